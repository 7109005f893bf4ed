"""How well hidden hands are known: log-loss of the true ones by tables as drawn, and as a model weighs them.

    python -m benchmarks.hidden_hands --game classic --players 2 --deals 2000

The game's bundled policy plays deals that no model has learnt from. At some of its decisions tables are drawn
that the seat to move cannot tell from its own, and the probability of what the others truly hold is read off
them, kind by kind: the weight of the tables in which a seat holds as many copies as it does, of those that
are not known to be there. The table gives nats for a seat and kind, where there is something not to know:

- with all tables alike, as the cards fall;
- with the probability that the policy would have made the last discard (`benchmarks.last_discard`), if asked;
- by the model of the policy's hands, with its weights and with the chances by which a search takes tables;
- how much better the last is than the first, summed over seats and kinds: a position's nats;
- how many nats the model knows of all hands together, at least (`canasta_agents.learning.hands.gain`);
- how many equally likely tables those that were drawn are worth by the model's weights.

Intervals at 95% are over deals.
"""

from __future__ import annotations

import argparse
from dataclasses import astuple, dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from benchmarks.last_discard import LastDiscard
from canasta_agents.arena.statistics import points_interval
from canasta_agents.learning.hands import Positions, gain, play_positions
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.hands import HandsModel, load_hands
from canasta_agents.policies import FOLDER, HANDS, policy_name
from canasta_agents.processes import use_one_core
from canasta_agents.search.beliefs import POOL, effective_number, loose_cards, shares
from canasta_env.agent import DecisionBatch
from canasta_env.cards import FIRST_RANK, NUM_KINDS
from canasta_env.engine.layout import other_kinds
from canasta_env.engine.state import PHASE_DRAW
from canasta_env.hidden_hands import redeal
from canasta_env.rules import GAMES, standard_rules

SEED = 2_000_003  # of the deals; models have learnt from others
SHARE = 0.08  # of the decisions with a choice
NUM_TABLES = 256  # drawn at a position
ROWS_AT_ONCE = 256
COLUMNS = (
    "policy",
    "decisions",
    "deals",
    "as they fall",
    "by the last discard",
    "by the model",
    f"one in {POOL}",
    "better",
    "hands",
    "worth",
)


@dataclass(frozen=True)
class Losses:
    """What is known of the hands at positions, `(n,)` each; log-losses are sums over seats and kinds."""

    uniform: NDArray[np.float64]  # log-loss by the tables as drawn
    discard: NDArray[np.float64]  # by how likely the policy would have made the last discard
    model: NDArray[np.float64]  # by the model's weights
    taken: NDArray[np.float64]  # by the chances with which a search would take the tables
    num: NDArray[np.float64]  # how many seats and kinds there are
    worth: NDArray[np.float64]  # how many equally likely tables the model's weights are worth
    hands: NDArray[np.float64]  # how many nats the model knows of all hands together, at least


def losses(positions: Positions, policy: NeuralAgent | None, model: HandsModel, seed: int) -> Losses:
    """Measure the true hands' log-loss at positions.

    Args:
        positions: Of deals that the model has not learnt from.
        policy: Whose last discards are weighed; None: they say nothing.
        model: Of the policy's hands.
        seed: Fixes the tables that are drawn.
    """
    rng = np.random.default_rng(seed)
    parts = []
    for start in range(0, len(positions), ROWS_AT_ONCE):
        part = positions.take(np.arange(start, min(start + ROWS_AT_ONCE, len(positions))))
        parts.append(_losses(part, policy, model, rng))
    return Losses(*(np.concatenate(column) for column in zip(*map(astuple, parts), strict=True)))


def _losses(
    positions: Positions, policy: NeuralAgent | None, model: HandsModel, rng: np.random.Generator
) -> Losses:
    batch = positions.batch(np.arange(len(positions)))
    seeds = rng.integers(1 << 64, size=len(positions), dtype=np.uint64)
    tables = np.asarray(redeal(positions.rules, batch.views, seeds, NUM_TABLES)).reshape(len(positions), -1)
    kinds = [*range(FIRST_RANK, NUM_KINDS), *other_kinds(positions.rules)]
    true = loose_cards(batch, positions.tables[:, None])
    is_true = (loose_cards(batch, tables) == true)[..., kinds]
    by_chance, is_open = _chances(batch, true[:, 0], kinds)

    def log_loss(log_weights: NDArray[np.float64]) -> NDArray[np.float64]:
        found = np.where(is_open, _log_loss(is_true, log_weights, by_chance), 0.0)
        return np.asarray(found.sum(axis=(1, 2)))

    logs = model.log_weights(batch, tables)
    return Losses(
        uniform=log_loss(np.zeros_like(logs)),
        discard=log_loss(LastDiscard(policy).log_weights(batch, tables) if policy else np.zeros_like(logs)),
        model=log_loss(logs),
        taken=log_loss(np.log(shares(logs, NUM_TABLES // POOL))),
        num=is_open.sum(axis=(1, 2)),
        worth=effective_number(logs),
        hands=gain(model, positions, rng),
    )


def _chances(
    batch: DecisionBatch, true: NDArray[np.int8], kinds: list[int]
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """How likely each true number of copies is as the cards fall, and whether it could be another."""
    views, others = batch.views, slice(1, batch.rules.players)
    copies = (views["unseen"] - views["known"][:, others].sum(axis=1))[:, None, kinds].astype(int)
    unknown = (views["hand_size"] - views["known"].sum(axis=2))[:, others, None].astype(int)
    num = copies.sum(axis=2, keepdims=True)
    is_open = (copies > 0) & (copies < num) & (unknown > 0) & (unknown < num)
    return stats.hypergeom.pmf(true[..., kinds], num, copies, unknown), is_open


def _log_loss(
    is_true: NDArray[np.bool_], log_weights: NDArray[np.float64], by_chance: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minus the logarithm of the true numbers' probabilities: `(n, seats, kinds)`.

    To the tables one is added in which the cards lie as they fall, so that nothing has a probability of 0.
    """
    weights = np.exp(log_weights - log_weights.max(axis=1, keepdims=True))
    share = np.einsum("nw,nwsk->nsk", weights / weights.sum(axis=1, keepdims=True), is_true)
    num = effective_number(log_weights)[:, None, None]
    return -np.log((num * share + by_chance) / (num + 1))


def markdown(name: str, decisions: str, positions: Positions, found: Losses) -> str:
    """A row of the table in docs/search.md."""
    _, deal = np.unique(positions.deals, return_inverse=True)

    def over_deals(values: NDArray[np.float64], num: NDArray[np.float64]) -> str:
        interval = points_interval(np.bincount(deal, values), np.bincount(deal, num))
        return f"{interval.estimate:.3f} ± {interval.half_width:.3f}"

    one = np.ones(len(positions))
    by_kind = (found.uniform, found.discard, found.model, found.taken)
    cells = [over_deals(each, found.num) for each in by_kind]
    if (found.discard == found.uniform).all():
        cells[1] = "–"  # not asked for
    cells += [over_deals(found.uniform - found.taken, one), over_deals(found.hands, one)]
    where = f"`{name}` | {decisions} | {deal.max() + 1:,}"
    return f"| {where} | {' | '.join(cells)} | {found.worth.mean():.0f} |"


def main() -> None:
    """Play, measure, and print the table."""
    parser = argparse.ArgumentParser(description="Measure how well hidden hands are known.")
    parser.add_argument("--game", choices=GAMES, default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--deals", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--last-discard", action="store_true", help="weigh it, too: some minutes more")
    arguments = parser.parse_args()
    use_one_core()
    rules = standard_rules(arguments.game, arguments.players)
    name = policy_name(rules)
    policy, model = NeuralAgent(name), load_hands(FOLDER / name / HANDS)
    positions = play_positions(rules, policy, arguments.deals, arguments.seed, share=SHARE)
    found = losses(positions, policy if arguments.last_discard else None, model, arguments.seed)
    print(f"| {' | '.join(COLUMNS)} |\n|{'---|' * len(COLUMNS)}")
    print(markdown(name, "all", positions, found))
    rows = np.flatnonzero(positions.views["phase"] == PHASE_DRAW)
    if len(rows):
        of_rows = Losses(*(column[rows] for column in astuple(found)))
        print(markdown(name, "to draw or take", positions.take(rows), of_rows))


if __name__ == "__main__":
    main()
