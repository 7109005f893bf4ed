"""What a resumed run may change: a ruling for every key of a config."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass

from canasta_agents.config_checks import ConfigError
from canasta_agents.learning.config import Config


@dataclass(frozen=True)
class Ruling:
    """Whether a resumed run may change a key."""

    may_change: bool
    text: str  # what happens then; for a key that stays, what to do instead
    is_measure: bool = False  # whether it changes what measurements mean


@dataclass(frozen=True)
class Change:
    """A key that a resumed run has another value of."""

    key: str
    before: object
    now: object
    ruling: Ruling

    def __str__(self) -> str:
        """For example "ppo.num_epochs: 3 in place of 2, from the next update on"."""
        return f"{self.key}: {self.now!r} in place of {self.before!r}, {self.ruling.text}"


def _stays(text: str) -> Ruling:
    return Ruling(False, text)


_NEXT_UPDATE = Ruling(True, "from the next update on")
_IMITATION = Ruling(True, "from the next update on, as long as the run imitates")
_AT_THE_END = Ruling(True, "for the comparison at the end")
_NOW = Ruling(True, "from now on")
_LENGTH = Ruling(
    True, "schedules go on from where they are and end with the new length, measurements are spread over it"
)
_MEASURE = Ruling(True, "from the next measurement on; the policy in best/ is measured anew", is_measure=True)
_GAME = _stays("another game is another run; leave it out, or begin a new run")
_FORM = _stays("the weights have the form of the old one; leave it out, or begin a new run")
_SEATS = _stays(
    "who sits at which table is settled when a run begins; leave it out, or begin a new run with the weights "
    "of this one (--run.start)"
)
_PLACE = _stays("a resumed run stays in its folder; leave it out (a folder may be renamed between two calls)")

RULINGS = {
    "game.name": _GAME,
    "game.players": _GAME,
    "game.scores": Ruling(
        True, "for the deals that begin from now on; the policy in best/ is measured anew", is_measure=True
    ),
    "game.objective": _stays(
        "values, and the best policy's score, are in the unit of the old one; begin a new run with the "
        "weights of this one (--run.start), which converts the values"
    ),
    "network.kind": _FORM,
    "network.width": _FORM,
    "network.row_width": _FORM,
    "network.layers": _FORM,
    "network.rows_in_trunk": _FORM,
    "network.critic": _FORM,
    "network.custom": _FORM,
    "rollout.tables": _stays("the checkpoint holds the tables that are being played; leave it out"),
    "rollout.steps": _NEXT_UPDATE,
    "rollout.workers": Ruling(True, "which have to be as many as before"),  # the trainer counts them
    "ppo.learning_rate": _NEXT_UPDATE,
    "ppo.final_learning_rate": _NEXT_UPDATE,
    "ppo.num_epochs": _NEXT_UPDATE,
    "ppo.minibatch_size": _NEXT_UPDATE,
    "ppo.clip_range": _NEXT_UPDATE,
    "ppo.clip_range_vf": _NEXT_UPDATE,
    "ppo.value_coef": _NEXT_UPDATE,
    "ppo.entropy_coef": _NEXT_UPDATE,
    "ppo.final_entropy_coef": _NEXT_UPDATE,
    "ppo.gamma": _NEXT_UPDATE,
    "ppo.gae_lambda": _NEXT_UPDATE,
    "ppo.gae_step": _NEXT_UPDATE,
    "ppo.loss": _NEXT_UPDATE,
    "ppo.max_gradient_norm": _NEXT_UPDATE,
    "ppo.target_kl": _NEXT_UPDATE,
    "opponents.self_play": _SEATS,
    "opponents.past": _SEATS,
    "opponents.reference": _SEATS,
    "opponents.players": _SEATS,
    "opponents.with_partners": _SEATS,
    "opponents.partners": _SEATS,
    "opponents.past_selves": Ruling(True, "from the next snapshot on"),
    "opponents.freeze_every": _NEXT_UPDATE,
    "imitation.share": _stays("the schedules of the whole run follow from it; leave it out"),
    "imitation.teacher": _IMITATION,
    "imitation.dagger_share": _IMITATION,
    "imitation.learning_rate": _IMITATION,
    "imitation.minibatch_size": _IMITATION,
    "imitation.value_coef": _IMITATION,
    "evaluation.player": _MEASURE,
    "evaluation.measurements": Ruling(True, "spread over the whole run; those that lie behind are not made"),
    "evaluation.boards": _MEASURE,
    "evaluation.final_boards": _AT_THE_END,
    "evaluation.final_matches": _AT_THE_END,
    "run.name": _PLACE,
    "run.folder": _PLACE,
    "run.seed": _stays("random numbers go on from where they are; leave it out, or begin a new run"),
    "run.start": _stays("the run has weights of its own; leave it out, or begin a new run"),
    "run.minutes": _LENGTH,
    "run.decisions": _LENGTH,
    "run.checkpoint_minutes": _NOW,
    "run.threads": _NOW,
    "run.device": _NOW,
    "run.precision": _NOW,
    "run.wandb": _NOW,
    "run.entropy_floor": _NEXT_UPDATE,
}


def check_changes(before: Config, now: Config) -> list[Change]:
    """The keys that a resumed run changes.

    Args:
        before: The run's config until now.
        now: Its config from now on.

    Raises:
        ConfigError: If one of them may not be changed; names it, with what would be right.
    """
    changes = [
        Change(key, value, new, RULINGS[key])
        for (key, value), new in zip(_keys(before).items(), _keys(now).values(), strict=True)
        if value != new
    ]
    for change in changes:
        if not change.ruling.may_change:
            raise ConfigError(
                f"{change.key}: {change.now!r} cannot replace {change.before!r} in a resumed run: "
                f"{change.ruling.text}"
            )
    changed = {change.key for change in changes}
    if now.run.decisions and "run.minutes" in changed and "run.decisions" not in changed:
        raise ConfigError(
            f"run.minutes: {now.run.minutes:g} changes nothing, since the length of the run is its "
            f"run.decisions = {now.run.decisions}; give more of those, or --run.decisions 0 as well"
        )
    return changes


def _keys(config: Config) -> dict[str, object]:
    """The values of a config by key, section.name."""
    return {
        f"{section.name}.{field.name}": getattr(getattr(config, section.name), field.name)
        for section in dataclasses.fields(config)
        for field in dataclasses.fields(getattr(config, section.name))
    }
