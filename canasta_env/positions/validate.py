"""Whether the flags of a position fit together, and whether the turn under way can be completed."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.actions import ASK, NUM_ACTIONS
from canasta_env.cards import (
    BLACK_THREE,
    CANASTA_SIZE,
    COPIES,
    FIRST_RANK,
    KINDS,
    NUM_CARDS,
    RED_THREE,
    SEVEN,
)
from canasta_env.engine.batch import mask_one
from canasta_env.engine.melds import MELD_START, PAIR
from canasta_env.engine.state import (
    MAX_SEATS,
    NO_CARD,
    NOBODY,
    NOT_ASKED,
    PHASE_ANSWER,
    PHASE_DRAW,
    PHASE_OVER,
    PHASE_PLAY,
    PHASES,
    WILD_MELD,
    rules_record,
)
from canasta_env.positions.facts import (
    PositionError,
    has_opening_under_way,
    holds_turned_on,
    is_turned_on,
    laid_threes,
    meld_kinds,
    meld_points,
    needs_card,
    turn_seat,
)
from canasta_env.positions.write import meld_name
from canasta_env.rules import Rules

MAX_TURN = 10_000
MAX_PILES = 100  # taken by one seat in a deal


def check_turn(rules: Rules, state: NDArray[np.void]) -> None:
    """Check the flags of the turn, of the seats and of the deal's end in a `(1,) STATE`.

    Raises:
        PositionError: Names the key and the clause.
    """
    s = state[0]
    _check_end(rules, s)
    if s["phase"] in (PHASE_PLAY, PHASE_ANSWER):
        _check_opening(rules, s)
        _check_begun(rules, s)
        _check_taken(rules, s)
        _check_question(rules, s)
    else:
        _check_no_turn(s)
    _check_asked(rules, s)
    _check_melded(rules, s)
    _check_completable(rules, state)


def _check_no_turn(s: Any) -> None:
    flags = {
        "opening_points": s["opening_points"] != 0,
        "taken": s["taken"] != NO_CARD,
        "can_ask": s["can_ask"],
        "answer": s["answer"] != NOT_ASKED,
        "melded_now": s["melded_now"],
        "begun": s["begun"].any(),
        "joined_earlier": s["joined_earlier"],
    }
    for key, is_set in flags.items():
        if is_set:
            raise PositionError(
                f'{key}: a flag of the turn cannot be set in phase "{PHASES[s["phase"]]}" (R-TURN)'
            )


def _check_end(rules: Rules, s: Any) -> None:
    seat = int(s["went_out"])
    if seat == NOBODY:
        if s["concealed"]:
            raise PositionError("concealed: True, but went_out names no seat (R-OUT-4)")
        return
    if s["phase"] != PHASE_OVER:
        raise PositionError(
            f'went_out: {seat}, but the phase is "{PHASES[s["phase"]]}" and not "over" (R-OUT-2)'
        )
    if s["hand_size"][seat]:
        raise PositionError(f"went_out: {seat}, but hands[{seat}] is not empty (R-OUT-2)")
    canastas = s["canastas"][rules.side_of(seat)]
    if canastas < rules.canastas_to_go_out:
        raise PositionError(
            f"went_out: {seat}, but the side has {canastas} of the {rules.canastas_to_go_out} canastas"
            " (R-OUT-1)"
        )
    if s["concealed"] and not rules.can_go_out_concealed:
        name = rules.short_name
        raise PositionError(f"concealed: True, but {name} knows no concealed going out (R-OUT-4)")


def _check_opening(rules: Rules, s: Any) -> None:
    side = rules.side_of(turn_seat(s))
    points = meld_points(s, side) if has_opening_under_way(rules, s) else 0
    if s["opening_points"] != points:
        because = f"the opening under way holds {points} points" if points else "no opening is under way"
        raise PositionError(f"opening_points: {s['opening_points']}, but {because} (R-OPEN-2)")


def _check_begun(rules: Rules, s: Any) -> None:
    melds = set(meld_kinds(s, rules.side_of(turn_seat(s))))
    begun = set(np.flatnonzero(s["begun"]).tolist())
    for kind in sorted(begun - melds):
        raise PositionError(f"begun: {meld_name(kind)}, but the side to move has no such meld")
    if s["joined_earlier"] and not melds - begun:
        raise PositionError("joined_earlier: True, but every meld of the side to move was begun in this turn")
    if has_opening_under_way(rules, s) and melds != begun:
        names = ", ".join(meld_name(kind) for kind in sorted(melds - begun))
        raise PositionError(
            f"begun: in an opening every meld was begun in this turn, but not {names} (R-OPEN)"
        )
    if "black3" in map(meld_name, melds - begun):
        raise PositionError("begun: black threes are melded only in the turn under way (R-MELD-8)")
    has_melded = bool(begun or s["joined_earlier"] or s["taken"] != NO_CARD)
    if s["melded_now"] != has_melded:
        raise PositionError(
            f"melded_now: {not has_melded}, but begun, joined_earlier and taken say that"
            f" {'something' if has_melded else 'nothing'} was melded or taken in this turn"
        )


def _check_taken(rules: Rules, s: Any) -> None:
    """R-TAKE-5: between `take` and `pick up`."""
    kind = int(s["taken"])
    if kind == NO_CARD:
        return
    side = rules.side_of(turn_seat(s))
    fault = ""
    if s["phase"] != PHASE_PLAY:
        fault = 'only in phase "play"'
    elif kind < FIRST_RANK:
        fault = "only a card of a rank can be taken (R-TAKE-1)"
    elif s["opened"][side]:
        fault = f"side {side} has opened, so the pile came into the hand at once (R-TAKE-5)"
    elif rules.opens_from_hand:
        fault = _waiting_pile_fault(rules, s, kind)
    elif s["naturals"][side, kind] < MELD_START:
        fault = (
            f"the pair and the top card are not melded: side {side} has no three naturals of it (R-TAKE-5)"
        )
    if fault:
        raise PositionError(f"taken: {KINDS[kind]}: {fault}")


def _waiting_pile_fault(rules: Rules, s: Any, kind: int) -> str:
    """What is wrong with a pile that lies until the opening from the hand is complete."""
    if s["pile_size"] == 0 or s["pile"][s["pile_size"] - 1] != kind:
        return "it must be the top card of the pile until `pick up` (R-TAKE-5)"
    if s["closed"][kind]:
        return "the rank is closed (R-MELD-7)"
    if rules.ends_with_stock and s["next_card"] == NUM_CARDS:
        return "nobody plays on from the pile when the stock is empty (R-TURN-3)"
    return ""


def _check_question(rules: Rules, s: Any) -> None:
    """R-OUT-3."""
    seat = turn_seat(s)
    is_partnership = rules.players == MAX_SEATS
    if s["phase"] == PHASE_ANSWER:
        if not is_partnership:
            raise PositionError('phase: "answer" needs a partner, so four players (R-OUT-3)')
        if s["answer"] != NOT_ASKED or s["can_ask"]:
            key = "can_ask" if s["can_ask"] else "answer"
            raise PositionError(
                f'{key}: cannot be set while the partner is asked, in phase "answer" (R-OUT-3)'
            )
    if (s["answer"] != NOT_ASKED or s["phase"] == PHASE_ANSWER) and not s["asked"][seat]:
        raise PositionError(f"asked[{seat}]: False, but seat {seat} has asked in this turn (R-OUT-3)")
    if s["can_ask"]:
        fault = _question_fault(rules, s, seat)
        if fault:
            raise PositionError(f"can_ask: True, but {fault} (R-OUT-3)")


def _check_asked(rules: Rules, s: Any) -> None:
    if rules.players == MAX_SEATS:
        return
    for key in ("can_ask", "asked"):
        if s[key].any():
            raise PositionError(
                f"{key}: nobody asks without a partner, with {rules.players} players (R-OUT-3)"
            )


def _question_fault(rules: Rules, s: Any, seat: int) -> str:
    if s["taken"] != NO_CARD:
        return "the pile was taken by a side that had not opened"
    if s["answer"] != NOT_ASKED:
        return "the partner has answered in this turn"
    if rules.asks_once_a_deal and s["asked"][seat]:
        return f"seat {seat} has asked in this deal"
    if s["melded_now"] and not _has_only_taken(rules, s, seat):
        return "the player has melded in this turn"
    return ""


def _has_only_taken(rules: Rules, s: Any, seat: int) -> bool:
    """Whether what was melded in this turn may be a take and no more, by a side that had opened."""
    side = rules.side_of(seat)
    begun = np.flatnonzero(s["begun"]).tolist()
    if s["pile_size"] or not s["opened"][side] or len(begun) + int(s["joined_earlier"]) != 1:
        return False
    return not begun or bool(
        sum(s[part][side, begun[0]] for part in ("naturals", "twos", "jokers")) == MELD_START
    )


def _check_melded(rules: Rules, s: Any) -> None:
    """R-OUT-4: who melded in an earlier turn, against what lies there since."""
    turn_side = NOBODY if turn_seat(s) == NOBODY else rules.side_of(turn_seat(s))
    for side in range(rules.num_sides):
        seats = range(side, rules.players, rules.num_sides)
        earlier = set(meld_kinds(s, side))
        if side == turn_side:
            earlier -= set(np.flatnonzero(s["begun"]).tolist())
        has_melded = [seat for seat in seats if s["melded"][seat]]
        if earlier and not has_melded:
            raise PositionError(f"melded: nobody, but side {side} has melds from earlier turns (R-OUT-4)")
        if has_melded and not earlier:
            raise PositionError(
                f"melded[{has_melded[0]}]: True, but side {side} has no meld from an earlier turn (R-OUT-4)"
            )


def _check_completable(rules: Rules, state: NDArray[np.void]) -> None:
    """R-TURN-4: a player to move has a legal action, and a player who asked was allowed to."""
    mask = np.zeros(NUM_ACTIONS, np.int8)
    if state["phase"][0] == PHASE_ANSWER:
        before = state.copy()
        before["phase"], before["to_play"], before["can_ask"] = PHASE_PLAY, turn_seat(state[0]), 1
        mask_one(rules_record(rules), before, 0, mask)
        if not mask[ASK]:
            raise PositionError(
                f'phase: "answer", but seat {turn_seat(state[0])} could not ask:'
                " the turn cannot be completed both by going out and without (R-OUT-3)"
            )
        return
    mask_one(rules_record(rules), state, 0, mask)
    if state["phase"][0] != PHASE_OVER and not mask.any():
        raise PositionError(
            f"phase: seat {state['to_play'][0]} has no legal action: the turn cannot be completed (R-TURN-4)"
        )


# Whether the cards of a position can lie as they do: melds, threes, hands, pile.


def check_table(rules: Rules, s: Any) -> None:
    """Check what lies on the table and in the hands.

    Raises:
        PositionError: Names the key and the clause.
    """
    for side in range(rules.num_sides):
        for kind in meld_kinds(s, side):
            _check_meld(rules, s, side, kind)
        _check_side(rules, s, side)
    for seat in range(rules.players):
        _check_hand(rules, s, seat)
    _check_pile(rules, s)
    _check_frozen(rules, s)
    _check_counters(rules, s)


def _check_meld(rules: Rules, s: Any, side: int, kind: int) -> None:
    naturals = int(s["naturals"][side, kind])
    wilds = int(s["twos"][side, kind] + s["jokers"][side, kind])
    if kind == WILD_MELD:
        reason = _wild_meld_fault(rules, naturals, wilds)
    elif kind == BLACK_THREE:
        reason = _black_three_fault(rules, s, side, naturals, wilds)
    elif naturals < PAIR or naturals + wilds < MELD_START:
        reason = "a meld of a rank is three or more cards, two of them naturals (R-MELD-1)"
    else:
        reason = _rank_fault(rules, kind, naturals, wilds)
    if reason:
        parts = ", ".join(str(s[part][side, kind]) for part in ("naturals", "twos", "jokers"))
        raise PositionError(f"melds[{side}]: {meld_name(kind)} ({parts}): {reason}")


def _wild_meld_fault(rules: Rules, naturals: int, wilds: int) -> str:
    if not rules.has_wild_meld:
        return f"{rules.short_name} has no wild meld (R-MELD-8)"
    if naturals or not MELD_START <= wilds <= CANASTA_SIZE:
        return "a wild meld is three to seven wilds (R-MELD-6)"
    return ""


def _black_three_fault(rules: Rules, s: Any, side: int, naturals: int, wilds: int) -> str:
    if not rules.can_meld_black_threes:
        return "threes are never melded (R-MELD-8)"
    if wilds or not MELD_START <= naturals <= COPIES[BLACK_THREE]:
        return "black threes are melded as three or four of them, without wilds (R-MELD-8)"
    seat = s["went_out"] if s["phase"] == PHASE_OVER else s["to_play"]
    if seat == NOBODY or rules.side_of(int(seat)) != side or s["phase"] not in (PHASE_PLAY, PHASE_OVER):
        return "black threes are melded only in the turn in which the player goes out (R-MELD-8)"
    return ""


def _rank_fault(rules: Rules, kind: int, naturals: int, wilds: int) -> str:
    """What is wrong with a meld of a rank that has enough cards (R-MELD-2 to R-MELD-7)."""
    if rules.melds_end_at_seven and naturals + wilds > CANASTA_SIZE:
        return "a meld is three to seven cards (R-MELD-3)"
    if rules.closes_ranks and wilds == 0 and naturals > CANASTA_SIZE:
        return "a clean canasta of seven cards closes the rank (R-MELD-7)"
    if wilds > rules.max_wilds_in_meld:
        clause = "R-MELD-2" if rules.needs_more_naturals else "R-MELD-3"
        return f"a meld holds at most {rules.max_wilds_in_meld} wilds ({clause})"
    if wilds and kind == SEVEN and not rules.sevens_take_wilds:
        return "sevens never take wilds (R-MELD-5)"
    if rules.needs_more_naturals and wilds >= naturals:
        return "a meld holds more naturals than wilds (R-MELD-2)"
    return ""


def _check_side(rules: Rules, s: Any, side: int) -> None:
    """Opened or not, and what only an opening under way may hold."""
    melds = meld_kinds(s, side)
    if s["black_threes"][side] and not rules.lays_black_threes:
        name = rules.short_name
        raise PositionError(f"threes[{side}]: black3: {name} lays red threes only (R-DEAL-2)")
    if s["opened"][side]:
        if not melds:
            raise PositionError(f"opened[{side}]: True, but side {side} has no meld (R-OPEN-2)")
        return
    if not melds:
        return
    seat = turn_seat(s)
    if s["phase"] != PHASE_PLAY or rules.side_of(seat) != side:
        raise PositionError(
            f"opened[{side}]: False, but side {side} has melds, and it is not the one to move in phase"
            ' "play"; an opening is completed in its turn (R-OPEN-5)'
        )
    growing = WILD_MELD in melds and s["twos"][side, WILD_MELD] + s["jokers"][side, WILD_MELD] < CANASTA_SIZE
    mixed = [kind for kind in melds if kind >= FIRST_RANK and _wilds(s, side, kind)]
    if growing and mixed:
        raise PositionError(
            f"melds[{side}]: an opening under way holds an unfinished wild meld and"
            f" {KINDS[mixed[0]]} with wilds (R-MELD-6)"
        )


def _wilds(s: Any, side: int, kind: int) -> int:
    return int(s["twos"][side, kind] + s["jokers"][side, kind])


def _check_hand(rules: Rules, s: Any, seat: int) -> None:
    hand = s["hand"][seat]
    laid = laid_threes(rules)
    held = [KINDS[three] for three in laid if hand[three]]
    if held and not rules.keeps_unreplaced_three:
        what = "a red three" if held[0] == "red3" else "a black three"
        raise PositionError(f"hands[{seat}]: {held[0]}: {what} is laid, never held (R-DEAL-2)")
    if held and s["phase"] != PHASE_OVER:
        raise PositionError(
            f"hands[{seat}]: {held[0]}: a three is laid; one stays in a hand only"
            " when the deal is over (R-TURN-2)"
        )
    more = np.flatnonzero(s["known"][seat] > hand)
    if more.size:
        kind = more[0]
        raise PositionError(
            f"known[{seat}]: {s['known'][seat, kind]} {KINDS[kind]}, but the hand holds {hand[kind]} of them"
        )
    discarded = s["discarded"][seat]
    thrown = [KINDS[three] for three in laid if discarded[three]]
    if thrown:
        raise PositionError(f"discarded[{seat}]: {thrown[0]} cannot be discarded (R-DEAL-2, R-DISC-2)")
    if not hand.any() and needs_card(s, seat):
        whose = "a player to move" if seat == turn_seat(s) else "a player whose turn will come"
        raise PositionError(f"hands[{seat}]: empty, but {whose} holds at least one card (R-TURN)")


def _check_pile(rules: Rules, s: Any) -> None:
    pile = s["pile"][: s["pile_size"]].tolist()
    laid = laid_threes(rules)
    if not rules.turns_up_card:
        for three in laid:
            if three in pile:
                name = rules.short_name
                raise PositionError(f"pile: {KINDS[three]}: no three comes into a {name} pile (R-DISC-2)")
        return
    turned = 0  # wilds and threes turned up at the start
    while turned < len(pile) and is_turned_on(rules, pile[turned]):
        turned += 1
    for three in laid:
        name, colour = KINDS[three], "red" if three == RED_THREE else "black"
        if three in pile[turned:]:
            raise PositionError(
                f"pile: {name} above other cards: a {colour} three is turned at the start of the deal,"
                f" with only wilds and {colour if len(laid) == 1 else 'other'} threes under it (R-DEAL-3)"
            )
        if pile and pile[-1] == three and s["taken"] == NO_CARD:
            raise PositionError(f"pile: {name} on top: another card is turned on a {colour} three (R-DEAL-3)")


def _check_frozen(rules: Rules, s: Any) -> None:
    pile = s["pile"][: s["pile_size"]]
    if not s["wild_frozen"]:
        if rules.wilds_freeze_pile and holds_turned_on(rules, pile):
            raise PositionError(
                "wild_frozen: False, but the pile holds a wild or a red three (R-DEAL-3, R-DISC-1)"
            )
    elif not rules.wilds_freeze_pile:
        name = rules.short_name
        raise PositionError(f"wild_frozen: True, but a {name} pile is never wild-frozen (R-DEAL-3)")
    elif not pile.size and s["taken"] == NO_CARD:
        raise PositionError("wild_frozen: True, but the pile is empty (R-TAKE-6)")


def _check_counters(rules: Rules, s: Any) -> None:
    """What a deal counts on must not come past its limit before the deal ends.

    Each turn draws a card, or takes the pile and so melds three.
    """
    melded = sum(int(s[part].sum()) for part in ("naturals", "twos", "jokers"))
    takes = (NUM_CARDS - melded) // MELD_START
    turns = NUM_CARDS - int(s["next_card"]) + takes
    _leave_room("turn", int(s["turn"]), turns, MAX_TURN)
    for seat in range(rules.players):
        _leave_room(f"piles_taken[{seat}]", int(s["piles_taken"][seat]), takes, MAX_PILES)
        discards = _turns_of(rules, s, seat, turns)
        for kind, count in enumerate(s["discarded"][seat].tolist()):
            _leave_room(f"discarded[{seat}]: count of {KINDS[kind]}", count, discards, NUM_CARDS)


def _turns_of(rules: Rules, s: Any, seat: int, turns: int) -> int:
    """How many turns, of `turns` that are to begin or under way, a seat has at most."""
    if s["phase"] == PHASE_OVER:
        return 0
    after = turns - 1 if s["phase"] == PHASE_DRAW else turns  # turns after the one under way
    distance = (seat - turn_seat(s)) % rules.players
    return (after - distance) // rules.players + 1 if after >= distance else 0


def _leave_room(key: str, count: int, to_come: int, limit: int) -> None:
    if count + to_come > limit:
        raise PositionError(
            f"{key}: {count:,} must be at most {limit - to_come:,} where {to_come} may follow"
        )
