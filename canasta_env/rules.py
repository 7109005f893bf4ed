"""The games as data: one frozen dataclass of numbers and switches, validated together.

A game is what its rules say, clause by clause: the engine asks `has_wild_meld` or `melds_end_at_seven`, never
which game is played. A house rule is a replaced field, a third game a set of them:
`dataclasses.replace(classic(), hand_size=15, has_wild_meld=True, wild_canasta_bonus=1_000)`.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Set
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, Literal

import numpy as np

from canasta_env.cards import CANASTA_SIZE, NUM_CARDS

Game = Literal["classic", "modern_american"]
GAMES: tuple[Game, ...] = ("classic", "modern_american")
PLAYERS: dict[Game, tuple[int, ...]] = {"classic": (2, 3, 4), "modern_american": (4,)}
USUAL_TARGETS = (2_500, 5_000, 7_500, 10_000)  # R-MATCH-1; any positive whole number will do

MAX_DEALT = 80  # leaves a stock that can replace every three and turn up a pile
MAX_POINTS = 1_000_000  # of one bonus or penalty: sums of a match stay far inside 64 bits
MAX_SCORE = 10**9  # of a side in a match, far inside 64 bits
MAX_MINIMA = 8
_MOST_READ, _LONGEST_READ = 10**100, 100  # of a number, and a text or list, that `Rules.from_dict` looks at
_DEEPEST_READ = 2  # lists within each other: pairs in a list

# Numbers that belong to a clause which a game may lack; they must be 0 there.
NEEDED_SWITCHES = {
    "clean_sevens_or_aces_bonus": "has_special_canastas",
    "twos_canasta_bonus": "has_wild_meld",
    "jokers_canasta_bonus": "has_wild_meld",
    "wild_canasta_bonus": "has_wild_meld",
    "unfinished_wilds_penalty": "has_wild_meld",
    "unfinished_jokers_penalty": "has_wild_meld",
    "concealed_bonus": "can_go_out_concealed",
}
LARGEST_TO_TAKE = 4  # cards of a meld that a pair and the top card bring to seven


class RulesError(ValueError):
    """Rules that are not a game: names the field, its value, and what would be right."""


@dataclass(frozen=True)
class Rules:
    """What a game does, and its numbers. Build one with `classic` or `modern_american`.

    `game` names the game that is played, or that a house rule began from. It goes into texts, file names and
    ids, and gives `from_dict` the fields that are left out; of what is played it decides only how many
    players there may be.
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
    # What the game does.
    lays_black_threes: bool  # R-DEAL-2: like red threes, as soon as they are dealt, drawn or taken
    turns_up_card: bool  # R-DEAL-3: to start the pile, which else starts empty
    keeps_unreplaced_three: bool  # R-TURN-2: a three drawn last stays in the hand; else it is laid
    ends_with_stock: bool  # R-TURN-3: the deal ends with the turn that drew the last card
    largest_meld_to_take: int | None  # R-TAKE-2: most cards of a meld that the pile may join; None: no limit
    can_take_with_wild: bool  # R-TAKE-3: the pile, with a natural and a wild
    opens_from_hand: bool  # R-TAKE-5: the opening stands without the top card, which joins at `pick up`
    needs_more_naturals: bool  # R-MELD-2: than wilds, in every meld of a rank
    melds_end_at_seven: bool  # R-MELD-3: a canasta takes no more cards
    sevens_take_wilds: bool  # R-MELD-5
    aces_take_wilds: bool  # R-MELD-5: after the opening; in it they do in every game
    has_wild_meld: bool  # R-MELD-6: three to seven wilds, one a side
    closes_ranks: bool  # R-MELD-7: a clean canasta closes its rank for everybody
    can_meld_black_threes: bool  # R-MELD-8: when going out
    needs_clean_opening: bool  # R-OPEN-3: a clean meld or a wild meld is part of it
    canasta_waives_minimum: bool  # R-OPEN-4: a clean or wild one, laid wholly from the hand
    wilds_freeze_pile: bool  # R-DISC-1, R-DEAL-3: then only a pair takes it
    holds_back_wilds: bool  # R-DISC-2: discarded only to go out, or from a hand of wilds only
    orders_first_discards: bool  # R-DISC-3: on an empty pile, by class
    goes_out_by_discarding: bool  # R-OUT-2: only so; else laying the last card goes out as well
    asks_once_a_deal: bool  # R-OUT-3: each player; else once a turn
    is_yes_binding: bool  # R-OUT-3: the player must go out after it
    can_go_out_concealed: bool  # R-OUT-4
    has_special_canastas: bool  # R-SCORE-2: clean sevens and clean aces have a bonus of their own
    subtracts_melds_without_canasta: bool  # R-SCORE-1
    canastas_for_threes: int  # R-SCORE-4: to count threes for a side; with 0, any meld is enough

    def __post_init__(self) -> None:
        """Refuse what is not a game.

        Raises:
            RulesError: Names the field.
        """
        _validate(self)

    @property
    def short_name(self) -> str:
        """The game in one word, for sentences: "Classic", "Modern"."""
        return "Classic" if self.game == "classic" else "Modern"

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
            raise RulesError(_unknown_rule(str(unknown[0])[:_LONGEST_READ], names))
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
        lays_black_threes=False,
        turns_up_card=True,
        keeps_unreplaced_three=False,
        ends_with_stock=False,
        largest_meld_to_take=None,
        can_take_with_wild=True,
        opens_from_hand=False,
        needs_more_naturals=True,
        melds_end_at_seven=False,
        sevens_take_wilds=True,
        aces_take_wilds=True,
        has_wild_meld=False,
        closes_ranks=False,
        can_meld_black_threes=True,
        needs_clean_opening=False,
        canasta_waives_minimum=False,
        wilds_freeze_pile=True,
        holds_back_wilds=False,
        orders_first_discards=False,
        goes_out_by_discarding=False,
        asks_once_a_deal=False,
        is_yes_binding=True,
        can_go_out_concealed=True,
        has_special_canastas=False,
        subtracts_melds_without_canasta=False,
        canastas_for_threes=0,
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
        lays_black_threes=True,
        turns_up_card=False,
        keeps_unreplaced_three=True,
        ends_with_stock=True,
        largest_meld_to_take=LARGEST_TO_TAKE,
        can_take_with_wild=False,
        opens_from_hand=True,
        needs_more_naturals=False,
        melds_end_at_seven=True,
        sevens_take_wilds=False,
        aces_take_wilds=False,
        has_wild_meld=True,
        closes_ranks=True,
        can_meld_black_threes=False,
        needs_clean_opening=True,
        canasta_waives_minimum=True,
        wilds_freeze_pile=False,
        holds_back_wilds=True,
        orders_first_discards=True,
        goes_out_by_discarding=True,
        asks_once_a_deal=True,
        is_yes_binding=False,
        can_go_out_concealed=False,
        has_special_canastas=True,
        subtracts_melds_without_canasta=True,
        canastas_for_threes=2,
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


def _unknown_rule(name: str, names: Set[str]) -> str:
    near = get_close_matches(name, names, n=1)
    hint = f"did you mean {near[0]!r}?" if near else "the fields of canasta_env.Rules are the rules"
    return f"unknown rule {name!r}; {hint}"


def _check_players(game: Game, players: object) -> None:
    if not _is_whole(players) or players not in PLAYERS[game]:
        choices = ", ".join(map(str, PLAYERS[game]))
        raise RulesError(f"players: {players!r} cannot play {game}; it is played by {choices}")


def _is_whole(number: object) -> bool:
    return isinstance(number, int) and not isinstance(number, bool)


def _plain(value: Any, name: str, depth: int = 0) -> Any:
    """A rule with Python's numbers and lists in place of NumPy's."""
    if isinstance(value, (np.generic, np.ndarray)) and value.size <= _LONGEST_READ:
        value = value.tolist()
    if isinstance(value, (list, tuple, np.ndarray)):
        if len(value) > _LONGEST_READ or depth == _DEEPEST_READ:
            raise RulesError(f"{name}: a list of such a length or depth is no rule")
        plain = [_plain(part, name, depth + 1) for part in value]
        return tuple(plain) if isinstance(value, tuple) else plain
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
    _check_range(rules, "naturals_before_wild", 2, 7)
    _check_range(rules, "canastas_for_threes", 0, 8)
    for field in dataclasses.fields(rules):
        if field.name.endswith(("_bonus", "_penalty")):
            _check_range(rules, field.name, 0, MAX_POINTS)
        elif field.type == "bool" and not isinstance(getattr(rules, field.name), bool):
            raise RulesError(f"{field.name}: {getattr(rules, field.name)!r} must be True or False")
    threes = rules.threes_points
    if not isinstance(threes, tuple) or len(threes) != 4 or not all(_is_points(points) for points in threes):
        raise RulesError(f"threes_points: {threes!r} must be four whole numbers from 0 to {MAX_POINTS:,}")
    _validate_minima(rules.opening_minima)
    _validate_together(rules)


def _validate_together(rules: Rules) -> None:
    """Refuse fields that do not make a game with each other."""
    for number, switch in NEEDED_SWITCHES.items():
        if getattr(rules, number) != 0 and not getattr(rules, switch):
            raise RulesError(f"{number}: {getattr(rules, number)!r} must be 0, or {switch} True")
    if rules.lays_black_threes and rules.can_meld_black_threes:
        raise RulesError(
            "can_meld_black_threes: True must be False where lays_black_threes is True: laid threes"
            " never come into a hand"
        )
    largest = rules.largest_meld_to_take
    if largest is not None:
        _check_range(rules, "largest_meld_to_take", 0, NUM_CARDS)
    if rules.melds_end_at_seven and (largest is None or largest > LARGEST_TO_TAKE):
        raise RulesError(
            f"largest_meld_to_take: {largest!r} must be at most {LARGEST_TO_TAKE} where melds_end_at_seven is"
            " True: taking the pile adds three cards"
        )
    if rules.closes_ranks and not rules.melds_end_at_seven and rules.naturals_before_wild > CANASTA_SIZE - 1:
        raise RulesError(
            f"naturals_before_wild: {rules.naturals_before_wild} must be at most {CANASTA_SIZE - 1} where"
            " closes_ranks is True and melds_end_at_seven False: seven naturals close the rank first"
        )


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
