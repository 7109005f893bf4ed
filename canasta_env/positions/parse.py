"""Read a position: parse, fill in what is left out, derive, check."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import (
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    JOKER,
    KINDS,
    NUM_CARDS,
    NUM_KINDS,
    RED_THREE,
    TWO,
    CardError,
)
from canasta_env.engine.state import (
    MAX_SEATS,
    MAY_GO_OUT,
    MUST_GO_OUT,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASE_ANSWER,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_PLAY,
    PHASES,
    REFUSED,
    WILD_MELD,
    allocate,
)
from canasta_env.positions.facts import (
    PositionError,
    holds_turned_on,
    meld_kinds,
    meld_points,
    needs_card,
    turn_seat,
)
from canasta_env.positions.validate import MAX_PILES, MAX_TURN, check_table, check_turn
from canasta_env.positions.write import MELD_KINDS, meld_name
from canasta_env.rules import MAX_SCORE, Rules, RulesError
from canasta_env.validation import check_kind, is_listed, shown, whole_number

KEYS = (
    *("game", "players", "target", "rules", "dealer", "scores"),
    *("hands", "melds", "threes", "pile", "stock", "wild_frozen", "to_play", "phase", "opened"),
    *("opening_points", "taken", "can_ask", "answer", "asked", "melded", "melded_now", "begun"),
    *("joined_earlier", "went_out", "concealed", "turn", "discarded", "known", "piles_taken"),
)
_ANSWERS = (None, "no", "yes")
_MAX_POINTS = 2_000  # of an opening; all the cards together are worth less


def read_position(position: Mapping[str, Any], *, partial: bool = False) -> tuple[Rules, NDArray[np.void]]:
    """The rules and the `(1,) STATE` of a position (docs/positions.md).

    Args:
        position: What `write_position` returns, in any of the forms; what can be defaulted may be left out.
        partial: Let the cards that are named nowhere give a card to each hand that may not be empty, and
            follow the named stock, in kind order.

    Raises:
        PositionError: Names the key and why this cannot be a position.
    """
    if not isinstance(position, Mapping):
        raise PositionError(f"a position is a dict, not {type(position).__name__}")
    partial = read_flag(partial, "partial")
    for key in position:
        if key not in KEYS:
            raise PositionError(f"{shown(key)} is not a key of a position; the keys are {', '.join(KEYS)}")
    given = {key: value for key, value in position.items() if value is not None or key == "to_play"}
    rules = _read_rules(given)
    state = allocate(1)
    s = state[0]
    _read_progress(rules, given, s)
    _read_cards(rules, given, s)
    _read_memory(rules, given, s)
    _place_the_rest(rules, given, s, partial)
    _derive(rules, s)
    _read_flags(rules, given, s)
    check_table(rules, s)
    check_turn(rules, state)
    return rules, state


def _read_rules(given: dict[str, Any]) -> Rules:
    changes: Mapping[str, Any] = given.get("rules", {})
    if not isinstance(changes, Mapping):
        raise PositionError(
            f"rules: {shown(changes)} must be a dict of the rules that are not the game's own"
        )
    if "game" not in given and "game" not in changes:
        raise PositionError("game: a position names its game")
    named: dict[str, Any] = {key: given[key] for key in ("game", "players", "target") if key in given}
    for key, value in named.items():
        if key in changes and not _are_same(changes[key], value):
            raise PositionError(
                f"rules: {key} is {shown(changes[key])} there and {shown(value)} in the position"
            )
    try:
        return Rules.from_dict({**changes, **named})
    except RulesError as error:
        raise PositionError(str(error)) from None


def _are_same(one: Any, other: Any) -> bool:
    """Whether two names or numbers are equal; arrays and the like are neither."""
    plain = (str, int, np.integer)
    return isinstance(one, plain) and isinstance(other, plain) and bool(one == other)


def _read_progress(rules: Rules, given: dict[str, Any], s: Any) -> None:
    """Whose move it is, and the match around the deal."""
    last_seat = rules.players - 1
    s["phase"] = read_choice(given.get("phase", PHASES[PHASE_DRAW]), "phase", PHASES)
    s["dealer"] = read_whole(given.get("dealer", 0), "dealer", 0, last_seat)
    s["turn"] = read_whole(given.get("turn", 1), "turn", 1, MAX_TURN)
    if s["phase"] == PHASE_OVER:
        if given.get("to_play") is not None:
            raise PositionError(f"to_play: {shown(given['to_play'])} must be None when the deal is over")
        s["to_play"] = NOBODY
    else:
        first = (int(s["dealer"]) + 1) % rules.players
        s["to_play"] = read_whole(given.get("to_play", first), "to_play", 0, last_seat)
    scores = read_each(given.get("scores"), "scores", rules.num_sides, _read_score, 0)
    s["scores"][: rules.num_sides] = scores
    s["went_out"] = read_whole(given["went_out"], "went_out", 0, last_seat) if "went_out" in given else NOBODY
    s["concealed"] = read_flag(given.get("concealed", False), "concealed")


def _read_score(value: Any, where: str) -> int:
    return read_whole(value, where, -MAX_SCORE, MAX_SCORE)


def _read_cards(rules: Rules, given: dict[str, Any], s: Any) -> None:
    seats, sides = rules.players, rules.num_sides
    s["hand"][:seats] = read_each(given.get("hands"), "hands", seats, read_counts, {})
    for side, melds in enumerate(read_each(given.get("melds"), "melds", sides, read_melds, {})):
        for kind, (naturals, twos, jokers) in melds.items():
            s["naturals"][side, kind] = naturals
            s["twos"][side, kind] = twos
            s["jokers"][side, kind] = jokers
    for side, laid in enumerate(read_each(given.get("threes"), "threes", sides, read_counts, {})):
        for kind in range(NUM_KINDS):
            if laid[kind] and kind not in (RED_THREE, BLACK_THREE):
                raise PositionError(f"threes[{side}]: {KINDS[kind]} is not a three")
        s["red_threes"][side] = laid[RED_THREE]
        s["black_threes"][side] = laid[BLACK_THREE]
    pile = read_kinds(given.get("pile", []), "pile")
    if len(pile) > NUM_CARDS:
        raise PositionError(f"pile: {len(pile)} cards; there are only {NUM_CARDS}")
    s["pile"] = NO_CARD
    s["pile"][: len(pile)] = pile
    s["pile_size"] = len(pile)


def _read_memory(rules: Rules, given: dict[str, Any], s: Any) -> None:
    """What the players remember of the deal."""
    seats = rules.players
    s["discarded"][:seats] = read_each(given.get("discarded"), "discarded", seats, read_counts, {})
    s["known"][:seats] = read_each(given.get("known"), "known", seats, read_counts, {})
    s["piles_taken"][:seats] = read_each(given.get("piles_taken"), "piles_taken", seats, _read_piles_taken, 0)


def _read_piles_taken(value: Any, where: str) -> int:
    return read_whole(value, where, 0, MAX_PILES)


def _place_the_rest(rules: Rules, given: dict[str, Any], s: Any, partial: bool) -> None:
    """Put the stock behind the cards that have left it, and see that the deck is whole (R-CARD-1)."""
    stock = read_kinds(given.get("stock", []), "stock")
    missing = np.array(COPIES) - _count_named(s, stock)
    for kind in range(NUM_KINDS):
        if missing[kind] < 0:
            raise PositionError(
                f"{KINDS[kind]}: {COPIES[kind] - missing[kind]} of them are named in hands, melds, threes,"
                f" pile and stock; there are {COPIES[kind]} (R-CARD-1)"
            )
    if missing.any() and not partial:
        cards = ", ".join(f"{missing[kind]} {KINDS[kind]}" for kind in np.flatnonzero(missing))
        raise PositionError(
            f"stock: {missing.sum()} of the {NUM_CARDS} cards are named nowhere: {cards};"
            " with partial=True they follow the named stock"
        )
    _give_a_card_each(rules, s, missing)
    stock += np.repeat(np.arange(NUM_KINDS), missing).tolist()
    s["next_card"] = NUM_CARDS - len(stock)
    s["stock"] = NO_CARD
    s["stock"][s["next_card"] :] = stock


def _give_a_card_each(rules: Rules, s: Any, missing: NDArray[np.int64]) -> None:
    """Give each seat that is not to move and holds nothing the lowest natural that is named nowhere."""
    for seat in range(rules.players):
        if seat == turn_seat(s) or s["hand"][seat].any() or not needs_card(s, seat):
            continue
        for kind in range(FIRST_RANK, NUM_KINDS):
            if missing[kind]:
                missing[kind] -= 1
                s["hand"][seat, kind] = 1
                break


def _count_named(s: Any, stock: list[int]) -> NDArray[np.int64]:
    counts = np.zeros(NUM_KINDS, np.int64)
    counts += s["hand"].sum(axis=0, dtype=np.int64)
    counts += s["naturals"].sum(axis=0, dtype=np.int64)
    counts[TWO] += s["twos"].sum(dtype=np.int64)
    counts[JOKER] += s["jokers"].sum(dtype=np.int64)
    counts[RED_THREE] += s["red_threes"].sum(dtype=np.int64)
    counts[BLACK_THREE] += s["black_threes"].sum(dtype=np.int64)
    cards = [*s["pile"][: s["pile_size"]].tolist(), *stock]
    counts += np.bincount(np.array(cards, np.int64), minlength=NUM_KINDS)
    return counts


def _derive(rules: Rules, s: Any) -> None:
    """What follows from the cards: hand sizes, canastas, closed ranks."""
    s["hand_size"] = s["hand"].sum(axis=1)
    wilds = s["twos"] + s["jokers"]
    is_canasta = s["naturals"] + wilds >= CANASTA_SIZE
    s["canastas"] = is_canasta.sum(axis=1)
    if rules.closes_ranks:
        closes = (is_canasta & (wilds == 0)).any(axis=0)
        closes[:FIRST_RANK] = False
        s["closed"] = closes


def _read_flags(rules: Rules, given: dict[str, Any], s: Any) -> None:
    """The flags of the deal and of the turn under way, each by itself if given, else from what is known."""
    s["taken"] = read_kind(given["taken"], "taken") if "taken" in given else NO_CARD
    pile = s["pile"][: s["pile_size"]]
    holds_freezer = rules.wilds_freeze_pile and holds_turned_on(rules, pile)
    s["wild_frozen"] = read_flag(given.get("wild_frozen", holds_freezer), "wild_frozen")
    seat = turn_seat(s)
    side = NOBODY if seat == NOBODY else rules.side_of(seat)
    points = read_whole(given.get("opening_points", 0), "opening_points", 0, _MAX_POINTS)
    has_melds = [bool(meld_kinds(s, place)) for place in range(rules.num_sides)]
    is_opening = s["taken"] != NO_CARD or points > 0
    opened = [has and not (place == side and is_opening) for place, has in enumerate(has_melds)]
    s["opened"][: rules.num_sides] = read_each(
        given.get("opened", opened), "opened", rules.num_sides, read_flag
    )
    is_opening = side != NOBODY and has_melds[side] and not s["opened"][side]
    s["opening_points"] = points if "opening_points" in given or not is_opening else meld_points(s, side)
    _read_turn(rules, given, s, seat, is_opening)
    melded = [has_melds[rules.side_of(place)] for place in range(rules.players)]
    if is_opening:
        melded = [has and rules.side_of(place) != side for place, has in enumerate(melded)]
    s["melded"][: rules.players] = read_each(given.get("melded", melded), "melded", rules.players, read_flag)


def _read_turn(rules: Rules, given: dict[str, Any], s: Any, seat: int, is_opening: bool) -> None:
    begun = meld_kinds(s, rules.side_of(seat)) if is_opening else []
    if "begun" in given:
        begun = _read_begun(given["begun"])
    s["begun"][begun] = 1
    s["joined_earlier"] = read_flag(given.get("joined_earlier", False), "joined_earlier")
    melded_now = bool(begun) or bool(s["joined_earlier"]) or s["taken"] != NO_CARD
    s["melded_now"] = read_flag(given.get("melded_now", melded_now), "melded_now")
    answer = read_choice(given.get("answer"), "answer", _ANSWERS)
    yes = MUST_GO_OUT if rules.is_yes_binding else MAY_GO_OUT
    s["answer"] = (NOT_ASKED, REFUSED, yes)[answer]
    has_asked = answer != NOT_ASKED or s["phase"] == PHASE_ANSWER
    asked = [has_asked and place == seat for place in range(rules.players)]
    s["asked"][: rules.players] = read_each(given.get("asked", asked), "asked", rules.players, read_flag)
    s["can_ask"] = read_flag(given.get("can_ask", _may_ask(rules, s, seat)), "can_ask")


def _read_begun(value: Any) -> list[int]:
    names = value.split() if isinstance(value, str) else value
    if not isinstance(names, (list, tuple)):
        raise PositionError(f"begun: {shown(value)} must be a list of melds")
    return [read_meld_name(name, "begun") for name in names]


def _may_ask(rules: Rules, s: Any, seat: int) -> bool:
    """Whether the player stands as if the card was just drawn, and has the question (R-OUT-3)."""
    is_first = (
        s["phase"] == PHASE_PLAY
        and not s["melded_now"]
        and s["taken"] == NO_CARD
        and s["answer"] == NOT_ASKED
    )
    return bool(is_first and rules.players == MAX_SEATS and not (rules.asks_once_a_deal and s["asked"][seat]))


# The forms in which a position may name cards, melds, seats and flags.
#
# Each function takes a value and `where` it stands, e.g. `hands[2]`, and names that place when it refuses.


_DIGITS = 3  # of the number of a seat, and more

Part = TypeVar("Part")
Meld = tuple[int, int, int]  # naturals, twos, jokers

_MELD_FORMS = '[naturals, twos, jokers], a list of kinds or a text such as "K K 2"'


def read_whole(value: Any, where: str, low: int, high: int) -> int:
    """A whole number in low ... high."""
    try:
        return whole_number(value, where, low, high)
    except ValueError as error:
        raise PositionError(str(error)) from None


def read_flag(value: Any, where: str) -> bool:
    """True or False."""
    if not isinstance(value, (bool, np.bool_)):
        raise PositionError(f"{where}: {shown(value)} must be True or False")
    return bool(value)


def read_choice(value: Any, where: str, choices: Sequence[Any]) -> int:
    """The place of a value among the choices."""
    for place, choice in enumerate(choices):
        if value is choice or (isinstance(choice, str) and isinstance(value, str) and value == choice):
            return place
    raise PositionError(f"{where}: {shown(value)} must be one of {', '.join(map(repr, choices))}")


def read_kind(value: Any, where: str) -> int:
    """A kind of card by its name."""
    try:
        return check_kind(value, where)
    except CardError as error:
        raise PositionError(str(error)) from None


def read_kinds(value: Any, where: str) -> list[int]:
    """Cards in their order: a list of kinds, or a text of kinds between spaces."""
    names = value.split() if isinstance(value, str) else value
    if not is_listed(names):
        raise PositionError(
            f"{where}: {shown(value)} must be a list of kinds or a text of kinds between spaces"
        )
    return [read_kind(name, where) for name in names]


def read_counts(value: Any, where: str) -> NDArray[np.int8]:
    """Cards per kind, `(NUM_KINDS,) int8`, from {kind: count} or what `read_kinds` takes."""
    counts = np.zeros(NUM_KINDS, np.int8)
    if isinstance(value, Mapping):
        for name, count in value.items():
            counts[read_kind(name, where)] = read_whole(count, f"{where}: count of {name}", 0, NUM_CARDS)
        return counts
    kinds = read_kinds(value, where)
    if len(kinds) > NUM_CARDS:
        raise PositionError(f"{where}: {len(kinds)} cards; there are only {NUM_CARDS}")
    for kind in kinds:
        counts[kind] += 1
    return counts


def read_each(
    value: Any, where: str, num: int, read: Callable[[Any, str], Part], missing: Any = False
) -> list[Part]:
    """One entry for each of `num` seats or sides: a list of all, or {seat or side: entry} of some.

    Args:
        value: The list or dict; None stands for an empty dict.
        where: The key.
        num: Number of seats or sides.
        read: Reads one entry.
        missing: What is read in place of an entry that a dict leaves out.
    """
    entries = {} if value is None else value
    if isinstance(entries, Mapping):
        places: dict[int, Any] = {}
        for key, entry in entries.items():
            place = read_whole(_as_number(key), f"{where}: place", 0, num - 1)
            if place in places:
                raise PositionError(f"{where}: place {place} is named twice")
            places[place] = entry
        return [read(places.get(place, missing), f"{where}[{place}]") for place in range(num)]
    if not is_listed(entries) or len(entries) != num:
        raise PositionError(f"{where}: {shown(value)} must be a list of {num} entries")
    return [read(entry, f"{where}[{place}]") for place, entry in enumerate(entries)]


def _as_number(place: Any) -> Any:
    """JSON turns the numbers that are keys into text."""
    is_number = isinstance(place, str) and place.isascii() and place.isdigit() and len(place) <= _DIGITS
    return int(place) if is_number else place


def read_melds(value: Any, where: str) -> dict[int, Meld]:
    """A side's melds by their kind: {name: meld}, or a list of melds that are lists or texts of kinds."""
    if isinstance(value, Mapping):
        melds = [_read_named_meld(name, meld, where) for name, meld in value.items()]
    elif isinstance(value, Sequence) and not isinstance(value, str):
        melds = [_read_listed_meld(meld, f"{where}[{place}]") for place, meld in enumerate(value)]
    else:
        raise PositionError(f"{where}: {shown(value)} must be {{name: meld}} or a list of melds")
    kinds = [kind for kind, _ in melds]
    for kind in kinds:
        if kinds.count(kind) > 1:
            raise PositionError(f"{where}: two melds of {meld_name(kind)}; a side has one of each (R-MELD-1)")
    return dict(melds)


def read_meld_name(name: Any, where: str) -> int:
    """The kind of a meld by its name: a rank, "wilds" or "black3"."""
    kind = MELD_KINDS.get(name) if isinstance(name, str) else None
    if kind is None:
        raise PositionError(f"{where}: {shown(name)} is not a meld; melds are called {', '.join(MELD_KINDS)}")
    return kind


def _read_named_meld(name: Any, meld: Any, where: str) -> tuple[int, Meld]:
    kind = read_meld_name(name, where)
    place = f"{where}: {name}"
    if isinstance(meld, str) or (isinstance(meld, Sequence) and any(isinstance(card, str) for card in meld)):
        listed_kind, parts = _read_listed_meld(meld, place)
        if listed_kind != kind:
            raise PositionError(f"{place}: these cards are a meld of {meld_name(listed_kind)}")
        return kind, parts
    if not is_listed(meld) or len(meld) != 3:
        raise PositionError(f"{place}: {shown(meld)} must be {_MELD_FORMS}")
    naturals, twos, jokers = (read_whole(count, place, 0, NUM_CARDS) for count in meld)
    return kind, (naturals, twos, jokers)


def _read_listed_meld(meld: Any, where: str) -> tuple[int, Meld]:
    counts = read_counts(meld, where)
    kinds = [kind for kind in range(TWO + 1, NUM_KINDS) if counts[kind]]
    if len(kinds) > 1 or (kinds and kinds[0] < FIRST_RANK and kinds[0] != BLACK_THREE):
        names = " and ".join(KINDS[kind] for kind in kinds)
        raise PositionError(f"{where}: {names} cannot be a meld (R-MELD-1, R-MELD-8)")
    kind = kinds[0] if kinds else WILD_MELD
    return kind, (int(counts[kind]) if kinds else 0, int(counts[TWO]), int(counts[WILD_MELD]))
