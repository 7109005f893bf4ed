"""The two games as data: one frozen dataclass of numbers, validated together.

What the games share is code that reads these numbers; where they differ in kind (the wild meld, the
opening from the hand, ...) the engine asks `is_modern`. A house rule is a replaced number:
`dataclasses.replace(classic(), hand_size=15)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

Game = Literal["classic", "modern_american"]
GAMES: tuple[Game, ...] = ("classic", "modern_american")
PLAYERS: dict[Game, tuple[int, ...]] = {"classic": (2, 3, 4), "modern_american": (4,)}

MAX_DEALT = 80  # leaves a stock that can replace every three and turn up a pile
MAX_POINTS = 1_000_000  # of one bonus or penalty: sums of a match stay far inside 64 bits
MAX_SCORE = 10**9  # of a side in a match, far inside 64 bits
MAX_MINIMA = 8
_MOST_READ, _LONGEST_READ = 10**100, 100  # of a number and a text that `Rules.from_dict` looks at

# Numbers of clauses that the other game does not have; they must be 0 there.
MODERN_ONLY = (
    "clean_sevens_or_aces_bonus",
    "twos_canasta_bonus",
    "jokers_canasta_bonus",
    "wild_canasta_bonus",
    "unfinished_sevens_penalty",
    "unfinished_aces_penalty",
    "unfinished_wilds_penalty",
    "unfinished_jokers_penalty",
    "aces_in_hand_penalty",
    "sevens_in_hand_penalty",
)
CLASSIC_ONLY = ("concealed_bonus",)


class RulesError(ValueError):
    """Rules that are not a game: names the field, its value, and what would be right."""


@dataclass(frozen=True)
class Rules:
    """Every number of a game. Build one with `classic` or `modern_american`.

    Points are positive here, bonuses and penalties alike.
    """

    game: Game
    players: int
    target: int  # R-MATCH-1
    hand_size: int  # R-DEAL-1
    cards_drawn: int  # R-TURN-1
    canastas_to_go_out: int  # R-OUT-1
    opening_minima: tuple[tuple[int | None, int], ...]  # R-OPEN-1: (from this score on, minimum)
    max_wilds_in_meld: int  # R-MELD-2, R-MELD-3
    naturals_before_wild: int  # R-MELD-4: naturals a meld needs, after the opening, before a wild joins it
    mixed_canasta_bonus: int  # R-SCORE-2, down to wild_canasta_bonus
    clean_canasta_bonus: int
    clean_sevens_or_aces_bonus: int
    twos_canasta_bonus: int
    jokers_canasta_bonus: int
    wild_canasta_bonus: int
    going_out_bonus: int  # R-SCORE-3
    concealed_bonus: int
    threes_points: tuple[int, int, int, int]  # R-SCORE-4: for one, two, three, four of a colour
    unfinished_sevens_penalty: int  # R-SCORE-6, down to sevens_in_hand_penalty
    unfinished_aces_penalty: int
    unfinished_wilds_penalty: int
    unfinished_jokers_penalty: int  # in place of unfinished_wilds_penalty if the meld holds all four jokers
    aces_in_hand_penalty: int
    sevens_in_hand_penalty: int

    def __post_init__(self) -> None:
        """Refuse what is not a game.

        Raises:
            RulesError: Names the field.
        """
        _validate(self)

    @property
    def is_modern(self) -> bool:
        """Whether this is Modern American Canasta."""
        return self.game == "modern_american"

    @property
    def num_sides(self) -> int:
        """Two partnerships with four players; else each seat is a side."""
        return 2 if self.players == 4 else self.players

    def side_of(self, seat: int) -> int:
        """The side a seat plays for: seats 0+2 and 1+3 with four players."""
        return seat % self.num_sides

    def minimum(self, score: int) -> int:
        """The opening minimum of a side whose match score is `score` (R-OPEN-1)."""
        return [minimum for start, minimum in self.opening_minima if start is None or score >= start][-1]

    def to_dict(self) -> dict[str, Any]:
        """A JSON-able dict of every field; `Rules.from_dict` reads it back."""
        fields = dataclasses.asdict(self)
        fields["opening_minima"] = [list(step) for step in self.opening_minima]
        fields["threes_points"] = list(self.threes_points)
        return fields

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> Rules:
        """Read what `to_dict` wrote; fields left out take the game's standard number.

        Raises:
            RulesError: If a field is unknown or does not fit.
        """
        if not isinstance(fields, Mapping):
            raise RulesError(f"rules: a dict of rules is needed, not {type(fields).__name__}")
        names = {field.name for field in dataclasses.fields(cls)}
        if unknown := sorted(set(fields) - names, key=repr):
            raise RulesError(
                f"unknown rule {str(unknown[0])[:_LONGEST_READ]!r}; the rules are {', '.join(sorted(names))}"
            )
        changes = {name: _plain(value, name) for name, value in fields.items()}
        standard = standard_rules(changes.pop("game", None), changes.pop("players", None))
        if "opening_minima" in changes:
            changes["opening_minima"] = _tuples("opening_minima", changes["opening_minima"])
        if isinstance(changes.get("threes_points"), list):
            changes["threes_points"] = tuple(changes["threes_points"])
        return dataclasses.replace(standard, **changes)


def classic(players: int = 4, target: int | None = None) -> Rules:
    """Canasta as commonly played, for two, three or four players.

    Args:
        players: 2, 3 or 4; four play in partnerships.
        target: Match score to reach; 5,000, with three players 7,500, if None.

    Raises:
        RulesError: If `players` or `target` does not fit.
    """
    _check_players("classic", players)
    return Rules(
        game="classic",
        players=players,
        target=(7_500 if players == 3 else 5_000) if target is None else target,
        hand_size={2: 15, 3: 13, 4: 11}[players],
        cards_drawn=1 if players == 4 else 2,
        canastas_to_go_out=2 if players == 2 else 1,
        opening_minima=((None, 15), (0, 50), (1_500, 90), (3_000, 120)),
        max_wilds_in_meld=3,
        naturals_before_wild=2,
        mixed_canasta_bonus=300,
        clean_canasta_bonus=500,
        clean_sevens_or_aces_bonus=0,
        twos_canasta_bonus=0,
        jokers_canasta_bonus=0,
        wild_canasta_bonus=0,
        going_out_bonus=100,
        concealed_bonus=200,
        threes_points=(100, 200, 300, 800),
        unfinished_sevens_penalty=0,
        unfinished_aces_penalty=0,
        unfinished_wilds_penalty=0,
        unfinished_jokers_penalty=0,
        aces_in_hand_penalty=0,
        sevens_in_hand_penalty=0,
    )


def modern_american(target: int = 8_500) -> Rules:
    """Modern American Canasta, four players in partnerships.

    Args:
        target: Match score to reach.

    Raises:
        RulesError: If `target` is not a positive whole number.
    """
    return Rules(
        game="modern_american",
        players=4,
        target=target,
        hand_size=13,
        cards_drawn=1,
        canastas_to_go_out=2,
        opening_minima=((None, 125), (3_000, 155), (5_000, 180)),
        max_wilds_in_meld=2,
        naturals_before_wild=5,
        mixed_canasta_bonus=300,
        clean_canasta_bonus=500,
        clean_sevens_or_aces_bonus=2_500,
        twos_canasta_bonus=3_000,
        jokers_canasta_bonus=2_500,
        wild_canasta_bonus=2_000,
        going_out_bonus=100,
        concealed_bonus=0,
        threes_points=(100, 300, 500, 1_000),
        unfinished_sevens_penalty=2_500,
        unfinished_aces_penalty=2_500,
        unfinished_wilds_penalty=2_000,
        unfinished_jokers_penalty=2_500,
        aces_in_hand_penalty=1_500,
        sevens_in_hand_penalty=1_500,
    )


def standard_rules(game: object, players: int | None = None, target: int | None = None) -> Rules:
    """The rules of a game by name, as configs, records and command lines spell it.

    Args:
        game: One of `GAMES`.
        players: Number of players; 4 if None.
        target: Match score to reach; the game's own if None.

    Raises:
        RulesError: If there is no such game, or not for so many players.
    """
    if game not in GAMES:
        raise RulesError(f"game: {game!r} is not a game; the games are {', '.join(GAMES)}")
    players = 4 if players is None else players
    _check_players(game, players)
    rules = classic(players) if game == "classic" else modern_american()
    return rules if target is None else dataclasses.replace(rules, target=target)


def _check_players(game: Game, players: object) -> None:
    if not _is_whole(players) or players not in PLAYERS[game]:
        choices = ", ".join(map(str, PLAYERS[game]))
        raise RulesError(f"players: {players!r} cannot play {game}; it is played by {choices}")


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _plain(value: Any, name: str) -> Any:
    """A rule with Python's numbers and lists in place of NumPy's."""
    if isinstance(value, (list, tuple)):
        plain = [_plain(part, name) for part in value]
        return tuple(plain) if isinstance(value, tuple) else plain
    if isinstance(value, (np.generic, np.ndarray)):
        return value.tolist()
    is_long = isinstance(value, int) and abs(value) > _MOST_READ
    if is_long or (isinstance(value, str) and len(value) > _LONGEST_READ):
        raise RulesError(f"{name}: a number or text of such a length is no rule")
    return value


def _tuples(name: str, steps: object) -> tuple[tuple[Any, ...], ...]:
    try:
        return tuple(tuple(step) for step in steps)  # type: ignore[attr-defined]
    except TypeError:
        raise RulesError(f"{name}: {steps!r} is not a list of pairs") from None


def _validate(rules: Rules) -> None:
    if rules.game not in GAMES:
        raise RulesError(f"game: {rules.game!r} is not a game; the games are {', '.join(GAMES)}")
    _check_players(rules.game, rules.players)
    _check_range(rules, "target", 1, None)
    _check_range(rules, "hand_size", 1, MAX_DEALT // rules.players)
    _check_range(rules, "cards_drawn", 1, 8)
    _check_range(rules, "canastas_to_go_out", 1, 8)
    _check_range(rules, "max_wilds_in_meld", 0, 5)
    _check_range(rules, "naturals_before_wild", 2, 7 if rules.is_modern else 2)
    for name in (field.name for field in dataclasses.fields(rules)):
        if name.endswith(("_bonus", "_penalty")):
            _check_range(rules, name, 0, MAX_POINTS)
    for name in CLASSIC_ONLY if rules.is_modern else MODERN_ONLY:
        if getattr(rules, name) != 0:
            raise RulesError(f"{name}: {getattr(rules, name)!r} must be 0: {rules.game} has no such clause")
    threes = rules.threes_points
    if not isinstance(threes, tuple) or len(threes) != 4 or not all(_is_points(points) for points in threes):
        raise RulesError(f"threes_points: {threes!r} must be four whole numbers from 0 to {MAX_POINTS:,}")
    _validate_minima(rules.opening_minima)


def _check_range(rules: Rules, name: str, low: int, high: int | None) -> None:
    number = getattr(rules, name)
    if not _is_whole(number) or number < low or (high is not None and number > high):
        bound = f"from {low} to {high:,}" if high is not None else f"of at least {low}"
        raise RulesError(f"{name}: {number!r} must be a whole number {bound}")


def _is_points(number: object) -> bool:
    return _is_whole(number) and 0 <= number <= MAX_POINTS  # type: ignore[operator]


def _validate_minima(steps: object) -> None:
    form = (
        "pairs (from score, minimum), the first from None, the others from rising scores, with rising minima"
    )
    is_steps = isinstance(steps, tuple) and 1 <= len(steps) <= MAX_MINIMA
    if not is_steps or not all(isinstance(step, tuple) and len(step) == 2 for step in steps):  # type: ignore[attr-defined]
        raise RulesError(f"opening_minima: {steps!r} must be 1 to {MAX_MINIMA} {form}")
    starts = [start for start, _ in steps]  # type: ignore[attr-defined]
    minima = [minimum for _, minimum in steps]  # type: ignore[attr-defined]
    if starts[0] is not None or not all(_is_whole(start) and abs(start) <= MAX_SCORE for start in starts[1:]):
        raise RulesError(f"opening_minima: {steps!r} must be {form}")
    if starts[1:] != sorted(set(starts[1:])) or not all(map(_is_points, minima)) or minima != sorted(minima):
        raise RulesError(f"opening_minima: {steps!r} must be {form}")
