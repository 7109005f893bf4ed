"""The layout of observations: which feature stands where, and what it is called.

First come the rows of the eleven ranks, all of the same form, then what belongs to no rank; a network may
read the first `NUM_RANKS * row_size(rules)` features as a matrix, `(NUM_RANKS, row_size)`, without a copy.
Seats and sides are relative to the viewer, as in VIEW.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from canasta_env.actions import (
    ADD_JOKER,
    ADD_NATURAL,
    ADD_TWO,
    DISCARD_NATURAL,
    MELD_CLEAN,
    MELD_WITH_JOKER,
    MELD_WITH_TWO,
    NOTATIONS,
    NUM_ACTIONS,
)
from canasta_env.cards import BLACK_THREE, JOKER, KINDS, NUM_KINDS, NUM_RANKS, RANKS, RED_THREE, TWO
from canasta_env.rules import Rules, RulesError

RANK_ACTIONS = (  # a rank's actions: the first of each block of the action table, to which the rank is added
    MELD_CLEAN,
    MELD_WITH_TWO,
    MELD_WITH_JOKER,
    ADD_NATURAL,
    ADD_TWO,
    ADD_JOKER,
    DISCARD_NATURAL,
)
OTHER_ACTIONS = tuple(  # those that belong to no rank
    action
    for action in range(NUM_ACTIONS)
    if all(not 0 <= action - start < NUM_RANKS for start in RANK_ACTIONS)
)


@dataclass(frozen=True)
class Block:
    """Some features of an observation that stand side by side.

    Attributes:
        name: What the features tell; of a rank, it ends in the rank's name.
        start: Index of the first feature.
        labels: Of each feature what it stands for: the level of a count, or a choice.
        detail: How to read them.
    """

    name: str
    start: int
    labels: tuple[str, ...]
    detail: str

    @property
    def size(self) -> int:
        """Number of features."""
        return len(self.labels)

    @property
    def slice(self) -> slice:
        """The features of this block in an observation."""
        return slice(self.start, self.start + self.size)

    @property
    def features(self) -> list[str]:
        """The names of the features, for example "hand_K:2"."""
        return [f"{self.name}:{label}" for label in self.labels]


# Levels of the thermometers.
HAND = (1, 2, 3, 4, 5, 6, 7)
UNSEEN = (1, 2, 3, 4, 5, 6, 8)
UNKNOWN = (1, 2, 3, 4, 6)
PILE = (1, 2, 3, 4)
FEW = (1, 2, 3, 4)  # of kinds with four copies
KNOWN = (1, 2, 3)
DISCARDED = (1, 2, 3)
PASSED = (1, 2)
MELD = (3, 4, 5, 6, 7)
MELD_WILDS = (1, 2, 3)
WILD_MELD_JOKERS = (1, 2, 3, 4)
THREES = (1, 2, 3, 4)
CANASTAS = (1, 2, 3, 4)
PILE_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 25, 32, 40)
STOCK_SIZE = (1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 22, 26, 30, 35, 40, 45, 50, 60)
HAND_SIZE = (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 14, 17, 22, 30)
PILES_TAKEN = (1, 2, 3)
POINTS_TO_OPEN = (1, 15, 30, 50, 70, 90, 110, 125, 140, 155, 180)
MINIMUM = (50, 90, 120, 125, 155, 180)
SCORE = (0, 2, 4, 8, 12, 16, 20, 24, 28, 32, 34, 36, 37, 38, 39)  # fortieths of the target
LEAD = (-20, -12, -8, -6, -4, -3, -2, -1, 0, 1, 2, 3, 4, 6, 8, 12, 20)  # fortieths of the target
HIDDEN_HAND = (1, 2, 3, 4, 5)


PHASE_LABELS = ("draw", "play", "answer")
ANSWER_LABELS = ("not_asked", "refused", "must_go_out", "may_go_out")
_TURN_FLAGS = ("wild_frozen", "can_ask", "melded_now", "joined_earlier", "opening")
_SEAT_FLAGS = ("melded", "asked")
_OTHER_KINDS = (JOKER, TWO, BLACK_THREE)  # that are no ranks and may be held

Entry = tuple[str, Iterable[object], str]  # name, labels, detail


def layout(rules: Rules) -> list[Block]:
    """The blocks of an observation under these rules, in order, without gaps.

    The rows of the ranks come first; a block of theirs is named `<fact>_<rank>`.

    Raises:
        RulesError: If `rules` is something else, such as a game's name.
    """
    if not isinstance(rules, Rules):
        raise RulesError(f"rules: {rules!r} must be Rules, as classic() and modern_american() return them")
    entries = [
        (f"{name}_{rank}", labels, detail) for rank in RANKS for name, labels, detail in rank_entries(rules)
    ]
    return _placed([*entries, *_other_entries(rules)], 0)


def rank_entries(rules: Rules) -> list[Entry]:
    """What the row of a rank tells: name, labels and detail of each block, in order."""
    entries: list[Entry] = [
        ("hand", HAND, "own cards"),
        ("unseen", UNSEEN, "in the stock or another hand"),
        ("unknown", UNKNOWN, "unseen, and not known to be in a hand"),
        ("pile", PILE, "in the pile"),
    ]
    wilds = [level for level in MELD_WILDS if level <= rules.max_wilds_in_meld]
    for side in range(rules.num_sides):
        entries.append((f"{_side(side)}_meld", MELD, "cards of the side's meld, wilds included"))
        entries.append((f"{_side(side)}_meld_wilds", wilds, "wilds in it"))
    for seat in range(rules.players):
        entries += [
            (f"{_seat(seat)}_known", KNOWN, "taken with the pile and not played since"),
            (f"{_seat(seat)}_discarded", DISCARDED, "discarded in this deal"),
            (f"{_seat(seat)}_passed", PASSED, "tops of the present pile that the seat did not take"),
            (f"{_seat(seat)}_last_discard", ("is",), "the seat's last discard in the present pile"),
        ]
    entries += [
        ("top_card", ("is",), "top card of the pile"),
        ("taken", ("is",), "top card between take and pick up"),
        ("begun", ("is",), "meld begun in this turn"),
    ]
    if rules.closes_ranks:
        entries.append(("closed", ("is",), "rank closed by a clean canasta"))
    legal = ("meld", "meld_with_2", "meld_with_joker", "add", "add_2", "add_joker", "discard")
    return [*entries, ("legal", legal, "legal actions with the rank")]


def _other_entries(rules: Rules) -> list[Entry]:
    names = {kind: KINDS[kind] for kind in other_kinds(rules)}
    entries: list[Entry] = []
    for kind, name in names.items():
        entries += [
            (f"hand_{name}", HAND if kind == TWO else FEW, "own cards"),
            (f"unseen_{name}", UNSEEN if kind == TWO else FEW, "in the stock or another hand"),
            (f"pile_{name}", PILE, "in the pile"),
            (f"top_card_{name}", ("is",), "top card of the pile"),
        ]
        for seat in range(rules.players):
            entries.append((f"{_seat(seat)}_known_{name}", KNOWN, "taken with the pile, not played since"))
            entries.append((f"{_seat(seat)}_discarded_{name}", DISCARDED, "discarded in this deal"))
    if rules.turns_up_card:  # a three that is laid may lie below a top card that is just being taken
        for kind in (RED_THREE, BLACK_THREE):
            if kind not in names:
                entries.append((f"top_card_{KINDS[kind]}", ("is",), "top card of the pile"))
    entries.append(("pile_size", PILE_SIZE, "cards"))
    entries.append(("stock_size", STOCK_SIZE, "cards"))
    for side in range(rules.num_sides):
        entries += _side_entries(rules, side)
    for seat in range(rules.players):
        entries += [
            (f"{_seat(seat)}_piles_taken", PILES_TAKEN, "piles"),
            (f"{_seat(seat)}_hand_size", HAND_SIZE, "cards"),
            (f"{_seat(seat)}_flags", _SEAT_FLAGS, "melded in an earlier turn, has asked"),
        ]
    return [
        *entries,
        ("phase", PHASE_LABELS, "one-hot"),
        ("to_play", range(rules.players), "relative seat, one-hot"),
        ("dealer", range(rules.players), "relative seat, one-hot"),
        ("answer", ANSWER_LABELS, "of the partner, one-hot"),
        ("points_to_open", POINTS_TO_OPEN, "of the own side; all 0 once opened"),
        ("turn", _TURN_FLAGS, "opening: points of an opening are melded"),
        ("legal_others", [NOTATIONS[action].replace(" ", "_") for action in OTHER_ACTIONS], "legal actions"),
    ]


def _side_entries(rules: Rules, side: int) -> list[Entry]:
    name = _side(side)
    entries: list[Entry] = []
    if rules.has_wild_meld:
        entries.append((f"{name}_wild_meld", MELD, "cards"))
        entries.append((f"{name}_wild_meld_jokers", WILD_MELD_JOKERS, "jokers"))
    if rules.lays_black_threes:
        entries.append((f"{name}_black_threes", THREES, "laid"))
    entries += [
        (f"{name}_red_threes", THREES, "laid"),
        (f"{name}_canastas", CANASTAS, "melds of seven cards or more"),
        (f"{name}_opened", ("is",), "flag"),
        (f"{name}_minimum", MINIMUM, "points that an opening needs"),
        (f"{name}_score", SCORE, "at least so many fortieths of the target"),
    ]
    if side > 0:
        entries.append((f"{name}_lead", LEAD, "own score minus theirs, fortieths of the target"))
    return entries


def _side(side: int) -> str:
    return "own" if side == 0 else f"side_{side}"


def _seat(seat: int) -> str:
    return "me" if seat == 0 else f"seat_{seat}"


def other_kinds(rules: Rules) -> list[int]:
    """The kinds that are no ranks and may be held: joker, 2 and, if it is not laid, the black three."""
    return [kind for kind in _OTHER_KINDS if kind != BLACK_THREE or not rules.lays_black_threes]


def hidden_layout(rules: Rules) -> list[Block]:
    """The blocks that a critic's state adds to the observation: the other hands."""
    entries: list[Entry] = [
        (f"seat_{seat}_hand_{KINDS[kind]}", HIDDEN_HAND, "cards")
        for seat in range(1, rules.players)
        for kind in range(NUM_KINDS)
        if kind not in (RED_THREE, BLACK_THREE)
    ]
    return _placed(entries, observation_size(rules))


def _placed(entries: Sequence[Entry], start: int) -> list[Block]:
    blocks = []
    for name, labels, detail in entries:
        blocks.append(Block(name, start, tuple(str(label) for label in labels), detail))
        start += blocks[-1].size
    return blocks


def features(rules: Rules) -> list[str]:
    """The name of every feature of an observation, in order: `block:label`, such as `hand_K:2`."""
    return [feature for block in layout(rules) for feature in block.features]


def row_size(rules: Rules) -> int:
    """Number of features in the row of a rank."""
    return sum(len(tuple(labels)) for _, labels, _ in rank_entries(rules))


def observation_size(rules: Rules) -> int:
    """Number of features of an observation."""
    last = layout(rules)[-1]
    return last.start + last.size


def critic_size(rules: Rules) -> int:
    """Number of features of a critic's state: the observation and the other hands."""
    last = hidden_layout(rules)[-1]
    return last.start + last.size
