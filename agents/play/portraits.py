"""How a table names its seats, and the agents in them: in words for people, not as specs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import PurePath

from canasta_agents.heuristics.players import STRONGEST
from canasta_agents.search.options import SEARCH_PREFIX
from canasta_env.rules import Game

_COMPASS: Mapping[int, tuple[str, ...]] = {
    2: ("South", "North"),
    3: ("South", "West", "East"),
    4: ("South", "West", "North", "East"),  # partners sit opposite
}
_GAME_WORDS: Mapping[Game, str] = {"classic": "Classic", "modern_american": "Modern"}
_HOW: Mapping[str, str] = {
    "random": "plays any legal action, by chance",
    "watcher": "watches what the next player can hold, guards the pile, and closes canastas with few wilds",
    "closer": "saves its wild cards to finish canastas, and goes out at the first chance",
    "closer_plain": "as the closer, with no special care for two players",
    "weigher": "weighs what the pile brings against what it costs, and goes out only with a reason",
    "builder": "grows its largest meld and hardly uses a wild card",
    "gambler": "lays everything, wild cards too, and freezes the pile now and then",
    "greedy": "lays down whatever it can, in a fixed order",
    "eager": "takes, lays and discards by fixed values, without a look at the others",
    "simple": "opens as soon as it can and lays what fits",
    "keeper": "keeps pairs to win the pile, and plans for sevens, aces and the wild canasta",
}
_LEARNT = "learnt by playing millions of deals against itself"


@dataclass(frozen=True)
class Portrait:
    """An agent as people are shown it.

    Attributes:
        title: Such as "Watcher (rule-based)".
        how: How it plays, to follow its title: "keeps pairs to win the pile". Empty if nobody knows.
    """

    title: str
    how: str = ""

    def message(self) -> dict[str, str]:
        """The portrait as it is sent."""
        return asdict(self)


def seat_names(players: int) -> tuple[str, ...]:
    """What the seats are called, in the order of play."""
    return _COMPASS[players]


def portrait(spec: str, game: Game) -> Portrait:
    """The agent of a spec of the registry, or of any other text that names one."""
    kind, _, place = spec.partition(":")
    if kind in _KINDS and place:
        return _KINDS[kind](place, game)
    name = STRONGEST[game].name if spec == "heuristic" else spec
    if game == "modern_american" and name == "closer":
        name = "keeper"
    if name == "random":
        return Portrait("Chance (random)", _HOW[name])
    words = name.replace("_", ", ").capitalize()
    return Portrait(f"{words} (rule-based)", _HOW[name]) if name in _HOW else Portrait(name)


def _neural(place: str, game: Game) -> Portrait:
    return Portrait(f"{_policy_words(place, game)} (trained)", _LEARNT)


def _policy_words(place: str, game: Game) -> str:
    name, _, version = PurePath(place).name.partition("@")
    if name != place.partition("@")[0] or not name.startswith(game):
        return f"Policy {PurePath(place).name}"
    return f"{_GAME_WORDS[game]} policy" + (f", version {version}" if version else "")


def _searching(place: str, game: Game) -> Portrait:
    base = place.partition("?")[0]
    plain = portrait(base, game).title.rpartition(" (")[0]
    return Portrait(f"{plain} (looks ahead)", "tries actions out on hands that may be before it plays one")


def _exported(place: str, game: Game) -> Portrait:
    return Portrait(f"Policy {PurePath(place).stem} (trained)", _LEARNT)


def _from_module(place: str, game: Game) -> Portrait:
    return Portrait(f"{place.rpartition(':')[2]} (a program of your own)")


def _process(place: str, game: Game) -> Portrait:
    program = PurePath(place.split()[-1]).stem if place.split() else place
    return Portrait(f"{program} (a program of your own)")


_KINDS = {
    "process": _process,
    "neural": _neural,
    SEARCH_PREFIX.rstrip(":"): _searching,
    "onnx": _exported,
    "python": _from_module,
    "file": _from_module,
}
