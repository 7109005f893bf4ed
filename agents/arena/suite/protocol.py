"""The protocol `canasta-bench 1`: what is played against whom, as data that changes only with its version.

The data is protocol.json: for each game the frozen opponents with their ratings, the frozen partners, and
what shows that they still play as they did. How many boards are played is a `Form`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from canasta_agents.arena.blocks import Block, Player, play_block
from canasta_agents.arena.schedule import ArenaError, matchup
from canasta_agents.policies import FOLDER, WEIGHTS, bundled_policies
from canasta_agents.registry import make_agent
from canasta_env.rules import Game, Rules, standard_rules

NAME = "canasta-bench"
VERSION = 1
DATA = Path(__file__).with_name("protocol.json")
DECISION_TIME_S = 1.0
RANDOM = "random"

_NEURAL, _SEARCH = "neural:", "search:"
_BEHAVIOUR_BOARDS = 2


@dataclass(frozen=True)
class Form:
    """How many boards are played of each kind of meeting.

    Args:
        name: As results name it.
        boards: Against each opponent with a rating.
        searcher_boards: Against the searcher, which takes a hundred times longer; 0 leaves it out.
        partner_boards: Of each partner against each of the partners' opponents.
        check_boards: Of the entrant, and of random, against itself.
    """

    name: str
    boards: int
    searcher_boards: int
    partner_boards: int
    check_boards: int

    def of(self, rules: Rules) -> Form:
        """The form for a game: with three players a board has six seatings in place of two."""
        if rules.players != 3:
            return self
        return Form(self.name, self.boards // 2, self.searcher_boards // 2, 0, self.check_boards // 2)


FORMS = {
    "full": Form("full", boards=1_200, searcher_boards=50, partner_boards=300, check_boards=50),
    "quick": Form("quick", boards=100, searcher_boards=0, partner_boards=50, check_boards=20),
}


@dataclass(frozen=True)
class Opponent:
    """A frozen player: its spec, and its rating on the scale of its game (None: it has none)."""

    spec: str
    rating: float | None = None


@dataclass(frozen=True)
class GameProtocol:
    """What is played of one game.

    Args:
        game: Its name.
        players: How many play.
        points_per_logit: Ratings of two players differ by this for each unit of log odds of a deal.
        anchor: The rule-based player whose rating is 1,000; random's is 0.
        opponents: Those with a rating, the weakest first.
        searcher: Spec of the searcher, which has no rating.
        partners: Specs; empty without partnerships.
        partners_meet: Specs of those whom the partners play against.
        weights: The SHA-256 of the weights of each policy among them, by spec.
        behaviour: Of the rule-based players, see `behaviour`.
    """

    game: Game
    players: int
    points_per_logit: float
    anchor: str
    opponents: tuple[Opponent, ...]
    searcher: str
    partners: tuple[str, ...]
    partners_meet: tuple[str, ...]
    weights: dict[str, str]
    behaviour: str

    @property
    def rules(self) -> Rules:
        """The game's own rules, matches to its own target."""
        return standard_rules(self.game, self.players)

    @property
    def name(self) -> str:
        """As results and tables name the game."""
        return f"{self.game} {self.players}"


@dataclass(frozen=True)
class Protocol:
    """All that is fixed: `digest` is of the whole data."""

    seed: int
    games: tuple[GameProtocol, ...]
    digest: str

    def game(self, game: str, players: int) -> GameProtocol:
        """The part of one game.

        Raises:
            ArenaError: If the protocol has no such game.
        """
        for part in self.games:
            if (part.game, part.players) == (game, players):
                return part
        known = ", ".join(part.name for part in self.games)
        raise ArenaError(f"suite: {NAME} {VERSION} has no game {game} with {players} players; it has {known}")


@cache
def load_protocol() -> Protocol:
    """The protocol of this package's version."""
    content = DATA.read_bytes()
    data = json.loads(content)
    games = tuple(_game(part) for part in data["games"])
    return Protocol(data["seed"], games, hashlib.sha256(content).hexdigest()[:16])


def _game(part: dict[str, Any]) -> GameProtocol:
    return GameProtocol(
        game=part["game"],
        players=part["players"],
        points_per_logit=part["points_per_logit"],
        anchor=part["anchor"],
        opponents=tuple(Opponent(**opponent) for opponent in part["opponents"]),
        searcher=part["searcher"],
        partners=tuple(part["partners"]),
        partners_meet=tuple(part["partners_meet"]),
        weights=part["weights"],
        behaviour=part["behaviour"],
    )


def playable_spec(game: GameProtocol, spec: str) -> str:
    """The spec that today plays as a frozen one did.

    A policy of the package is known by its weights: when another takes its name, it is found under the name
    that it was kept by (`classic_4@2`).

    Raises:
        ArenaError: If a frozen policy is no longer in the package.
    """
    if spec.startswith(_SEARCH):
        return _SEARCH + playable_spec(game, spec.removeprefix(_SEARCH))
    if not spec.startswith(_NEURAL):
        return spec
    name = spec.removeprefix(_NEURAL)
    kept = [name, *(other for other in bundled_policies() if other.startswith(f"{name.partition('@')[0]}@"))]
    for candidate in kept:
        if weights_digest(candidate) == game.weights[spec]:
            return _NEURAL + candidate
    raise ArenaError(
        f"suite: {NAME} {VERSION} plays against {spec} with the weights {game.weights[spec][:12]}…; "
        f"none of {', '.join(kept)} in this package has them: install a version that does"
    )


def weights_digest(policy: str) -> str | None:
    """The SHA-256 of the weights of a policy of the package; None if there is none of that name."""
    path = FOLDER / policy / WEIGHTS
    return hashlib.sha256(path.read_bytes()).hexdigest() if path.is_file() else None


def behaviour(rules: Rules, specs: Sequence[str], seed: int) -> str:
    """A hash of how rule-based players play: of every board's points, each against the next.

    Args:
        rules: The game.
        specs: Rule-based players, at least two.
        seed: Of the boards.
    """
    digest = hashlib.sha256()
    for first, second in pairwise(specs):
        players = [Player(make_agent(spec, rules)) for spec in (first, second)]
        block = Block(rules, matchup(rules, (0,), (1,)), 0, _BEHAVIOUR_BOARDS, seed, "match")
        played = play_block(block, players)
        digest.update(
            np.ascontiguousarray(played.points, np.int64 if rules.players != 3 else np.float64).tobytes()
        )
    return digest.hexdigest()[:16]


def rule_based(game: GameProtocol) -> list[str]:
    """The opponents that are code of this package, by name."""
    return sorted(opponent.spec for opponent in game.opponents if ":" not in opponent.spec)


def dump_protocol(seed: int, games: Sequence[GameProtocol], calibration: Sequence[dict[str, Any]]) -> str:
    """The text of protocol.json.

    Args:
        seed: Of the boards.
        games: The parts.
        calibration: For each of them, what its ratings were computed from.
    """
    parts = [asdict(game) | {"calibration": how} for game, how in zip(games, calibration, strict=True)]
    data = {"name": NAME, "version": VERSION, "seed": seed, "games": parts}
    return json.dumps(data, indent=1, ensure_ascii=False) + "\n"
