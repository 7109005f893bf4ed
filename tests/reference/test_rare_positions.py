"""Hand-made positions for what random play hardly reaches, in the engine and in the oracle.

Each position is played to a point where RULES.md, read by hand, gives the whole set of legal actions. From
there the deal goes on at random in lockstep, and the row of the coverage table must have been counted.
"""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, NamedTuple

import pytest

from canasta_env import Rules, Table
from canasta_env import classic as classic_rules
from canasta_env import modern_american as modern_rules
from tests.reference.coverage import rows_of
from tests.reference.lockstep import play_on
from tests.reference.oracle import Oracle
from tests.reference.walks import POLICIES
from tests.rules.positions import position

CONTINUATIONS = 3
MODERN = modern_rules()
KINGS, QUEENS = "K K K K K K K", "Q Q Q Q Q Q Q"  # clean canastas
NINES = "9 9 9 9 9 9 9"


class Case(NamedTuple):
    """A position and what is expected of it."""

    rows: tuple[str, ...]  # of the coverage table; each must be counted
    rules: Rules
    position: dict[str, Any]
    line: str  # the actions to play, separated by "|"
    legal: str  # all that is legal after it, by the rules
    then: str = ""  # the action that exercises the rows, if the line does not

    @property
    def actions(self) -> list[str]:
        return _split(self.line)


def _split(text: str) -> list[str]:
    return [notation.strip() for notation in text.split("|") if notation.strip()]


def case(
    rows: str, rules: Rules, hand: str, line: str = "", legal: str = "", then: str = "", **named: Any
) -> Any:
    """A case with the position of `tests.rules.positions.position`; rows are separated by "|"."""
    named_rows = tuple(_split(rows))
    made = Case(named_rows, rules, position(rules, hand, **named), line, legal, then)
    return pytest.param(made, id=f"{rules.game} {rules.players}: {rows}")


def to_go_out(rules: Rules) -> list[str]:
    """Melds with canastas enough to go out."""
    return [KINGS, QUEENS][: rules.canastas_to_go_out]


def lay(rank: str, num: int) -> str:
    """The actions that lay so many naturals as a new meld."""
    return " | ".join([f"meld {rank} {rank} {rank}", *[f"add {rank}"] * (num - 3)])


MODERN_CASES = [
    # Six kings and four aces of the hand are 140; the king on top is the seventh.
    case(
        "R-TAKE-5 pick up, top card completes a clean canasta | R-MELD-7 rank closed",
        MODERN,
        "K K K K K K A A A A 4 9",
        f"take | {lay('K', 6)} | {lay('A', 4)}",
        legal="pick up",
        then="pick up",
        pile="5 K",
        phase="draw",
    ),
    # A A A is the clean meld; with K K K K 2 2 these are 60 + 80 points.
    case(
        "R-TAKE-5 pick up, top card completes a mixed canasta | R-MELD-9 mixed canasta",
        MODERN,
        "K K K K 2 2 A A A 4 9",
        f"take | {lay('A', 3)} | {lay('K', 4)} | add 2 to K | add 2 to K",
        legal="pick up",
        then="pick up",
        pile="5 K",
        phase="draw",
    ),
    # The whole hand is laid, 130 points; it lives on from the five and the six under the king.
    case(
        "R-TAKE-5 hand empty between take and pick up",
        MODERN,
        "K K K A A A A A",
        f"take | {lay('K', 3)} | {lay('A', 5)}",
        legal="pick up",
        then="pick up",
        pile="5 6 K",
        phase="draw",
    ),
    # The opening holds no kings, so the two of the hand go with the king on top.
    case(
        "R-TAKE-5 pick up, with a pair | R-TAKE-5 pick up, nothing under the top card",
        MODERN,
        "K K A A A A A Q Q Q 4 9",
        f"take | {lay('A', 5)} | {lay('Q', 3)}",
        legal="pick up",
        then="pick up",
        pile="K",
        phase="draw",
    ),
    # Two canastas laid in the first turn of the side, 140 points, and the last card discarded.
    case(
        "R-OPEN-6 out in the opening turn | R-OUT-2 out by discard | R-OPEN-5 opened by discard",
        MODERN,
        f"{KINGS} {QUEENS} 4",
        f"{lay('K', 7)} | {lay('Q', 7)}",
        legal="discard 4",
        then="discard 4",
        pile="5",
    ),
    # 60 points of the minimum of 180 only: the clean canasta of fours waives it.
    case(
        "R-OPEN-6 out in the opening turn | R-OPEN-4 minimum waived by a clean canasta",
        MODERN,
        "4 4 4 4 4 4 4 5 5 5 5 5 2 2 J",
        f"{lay('4', 7)} | {lay('5', 5)} | add 2 to 5 | add 2 to 5",
        legal="discard J",
        then="discard J",
        pile="8",
        score=5_000,
    ),
    # 140 points of 180: the canasta of twos waives the minimum.
    case(
        "R-OPEN-4 minimum waived by a wild canasta | R-MELD-9 wild canasta of seven twos",
        MODERN,
        "2 2 2 2 2 2 2 9 K",
        "meld 2 2 2 | add 2 to wilds | add 2 to wilds | add 2 to wilds | add 2 to wilds",
        legal="discard 9 | discard K",
        then="discard 9",
        pile="8",
        score=5_000,
    ),
    case(
        "R-DISC-3 empty pile, class (ii)",
        MODERN,
        "4 A 2",
        legal="discard 4",
        then="discard 4",
        melds=["8 8 8"],
        their_melds=["4 4 4 4 4 4 4"],
        pile="",
    ),
    case(
        "R-DISC-3 empty pile, class (iii)",
        MODERN,
        "A 7 2 2",
        legal="discard 7 | discard A",
        then="discard A",
        melds=["4 4 4"],
        pile="",
    ),
    # The seven is of an open rank, the ace is not.
    case(
        "R-DISC-3 empty pile, class (iii)",
        MODERN,
        "A 7 2",
        legal="discard 7",
        then="discard 7",
        melds=["4 4 4"],
        their_melds=["A A A A A A A"],
        pile="",
    ),
    case(
        "R-DISC-3 empty pile, class (iv)",
        MODERN,
        "A 7 2 2",
        legal="discard 7 | discard A",
        then="discard A",
        melds=["4 4 4", "7 7 7 7 7 7 7"],
        their_melds=["A A A A A A A"],
        pile="",
    ),
    case(
        "R-DISC-3 empty pile, class (v) | R-DISC-2 wild discarded, a hand of wilds only",
        MODERN,
        "2 joker",
        legal="discard joker | discard 2",
        then="discard 2",
        melds=["4 4 4"],
        pile="",
    ),
    case(
        "R-DISC-3 empty pile, a barred class goes out",
        MODERN,
        "A",
        legal="discard A",
        then="discard A",
        melds=[KINGS, QUEENS],
        pile="",
    ),
    # The four may go onto the fours, and then the two goes out on an empty pile.
    case(
        "R-DISC-3 empty pile, a barred class goes out | R-DISC-2 wild discarded as the card that goes out",
        MODERN,
        "4 2",
        "add 4",
        legal="discard 2",
        then="discard 2",
        melds=[KINGS, QUEENS, "4 4 4"],
        pile="",
    ),
    # After the take only the nine is left, and it goes out: a refusal would leave no move.
    case(
        "R-OUT-3 ask not offered, out is sure but a refusal would leave no move",
        MODERN,
        "J J",
        "take",
        legal="discard 9",
        then="discard 9",
        melds=[KINGS, QUEENS],
        pile="9 J",
        phase="draw",
    ),
    case(
        "R-OUT-3 ask not offered, asked before",
        MODERN,
        "6 J",
        legal="add 6 | discard 6 | discard J",
        then="add 6",
        melds=[KINGS, QUEENS, "6 6 6"],
        pile="8",
        asked=[True, False, False, False],
    ),
    case(
        "R-OUT-3 not out after yes | R-OUT-3 yes",
        MODERN,
        "6 J",
        "ask | yes",
        legal="add 6 | discard 6 | discard J",
        then="discard J",
        melds=[KINGS, QUEENS, "6 6 6"],
        pile="8",
        can_ask=True,
    ),
    case(
        "R-OUT-3 no | R-OUT-3 refused turn completed",
        MODERN,
        "6 J",
        "ask | no",
        legal="discard 6 | discard J",
        then="discard J",
        melds=[KINGS, QUEENS, "6 6 6"],
        pile="8",
        can_ask=True,
    ),
    case(
        "R-SCORE-6 unfinished wilds with four jokers | R-SCORE-3 over without anybody out",
        MODERN,
        "9 K",
        legal="discard 9 | discard K",
        then="discard K",
        melds=["4 4 4", "joker joker joker joker"],
        pile="8",
        whole_stock="",
    ),
    case(
        "R-SCORE-6 unfinished mixed aces, no penalty | R-SCORE-6 unfinished sevens",
        MODERN,
        "9 K",
        legal="discard 9 | discard K",
        then="discard 9",
        melds=["A A 2", "7 7 7"],
        pile="8",
        whole_stock="",
    ),
    case(
        "R-MELD-9 wild canasta with four jokers",
        MODERN,
        "2 9 K",
        legal="add 2 to wilds | discard 9 | discard K",
        then="add 2 to wilds",
        melds=["4 4 4", "joker joker joker joker 2 2"],
        pile="8",
    ),
    case(
        "R-TURN-2 the last card drawn is a three",
        MODERN,
        "9 K",
        legal="draw",
        then="draw",
        melds=["4 4 4"],
        pile="8",
        whole_stock="red3",
        phase="draw",
    ),
    case(
        "R-TURN-3 going out after the last stock card",
        MODERN,
        "6 6",
        "draw | add 6",
        legal="add 6 | discard 6 | discard 9",
        then="add 6 | discard 9",
        melds=[KINGS, QUEENS, "6 6 6"],
        pile="8",
        whole_stock="9",
        phase="draw",
    ),
    case(
        "R-TURN-3 turn finished after the last stock card, nobody out",
        MODERN,
        "8 K",
        "draw",
        legal="discard 8 | discard 9 | discard K",
        then="discard K",
        melds=["6 6 6"],
        pile="5",
        whole_stock="9",
        phase="draw",
    ),
]


def classic_cases(players: int) -> list[Any]:
    """Cases of Classic for so many players."""
    rules = classic_rules(players)
    needed = rules.canastas_to_go_out
    canastas = to_go_out(rules)
    in_hand = {1: NINES, 2: f"{NINES} 8 8 8 8 8 8 8"}[needed]
    lay_all = {1: lay("9", 7), 2: f"{lay('9', 7)} | {lay('8', 7)}"}[needed]
    several = rules.cards_drawn > 1
    cases = [
        case(
            "R-OUT-2 out by take | R-TAKE-6 pile of one card taken",
            rules,
            "10 10",
            legal="draw | take",
            then="take",
            melds=canastas,
            pile="10",
            phase="draw",
        ),
        case(
            "R-OUT-2 out by take | R-TAKE-2 take, opened, onto a meld",
            rules,
            "10 10",
            legal="draw | take",
            then="take",
            melds=[*canastas, "10 10 2"],
            pile="10",
            phase="draw",
        ),
        # Take, opening, canastas and going out in one turn, with nothing under the top card.
        case(
            "R-OUT-2 out by pick up | R-TAKE-5 hand empty between take and pick up | "
            "R-TAKE-5 pick up, nothing under the top card | R-OPEN-6 out in the opening turn | "
            "R-OUT-4 concealed, pile taken in the turn | R-OPEN-5 opened by pick up",
            rules,
            f"10 10 {in_hand}",
            f"take | {lay_all}",
            legal="pick up",
            then="pick up",
            pile="10",
            phase="draw",
        ),
        # The same onto a pile of two: the five comes into the hand and goes out as the discard.
        case(
            "R-TAKE-5 hand empty between take and pick up | R-OPEN-5 opened by pick up | "
            "R-OUT-2 out by discard | R-OUT-4 concealed, with a discard",
            rules,
            f"10 10 {in_hand}",
            f"take | {lay_all} | pick up",
            legal="discard 5",
            then="discard 5",
            pile="5 10",
            phase="draw",
        ),
        # The pair and the top card are 30, a red three lies in the wild-frozen pile.
        case(
            "R-TAKE-7 red three in a pile taken | R-TAKE-6 wild-frozen pile taken, wild on top covered | "
            "R-OPEN-5 opened by pick up",
            rules,
            "J J Q Q 2 4 8",
            "take | meld Q Q 2 | pick up",
            legal="add 2 to J | discard 2 | discard 4 | discard 5 | discard 8",
            then="discard 4",
            pile="red3 2 5 J",
            phase="draw",
            wild_frozen=True,
        ),
        case(
            "R-OPEN-5 opened by the last card laid | R-OPEN-6 out in the opening turn | R-OUT-2 out by add | "
            "R-OUT-4 concealed, without a discard",
            rules,
            in_hand,
            lay_all.rpartition(" | ")[0],
            legal=f"add {in_hand[-1]}",
            then=f"add {in_hand[-1]}",
            pile="5",
        ),
        case(
            "R-TAKE-2 take onto a canasta",
            rules,
            "K K 5 8",
            legal="draw | take",
            then="take",
            melds=["K K K K K 2 2"],
            pile="4 K",
            phase="draw",
        ),
        case(
            "R-TAKE-3 no take with a wild, wild-frozen",
            rules,
            "J 2 5 8",
            legal="draw",
            then="draw",
            melds=["J J J"],
            pile="2 J",
            phase="draw",
            wild_frozen=True,
        ),
        case(
            "R-TAKE-3 take with 2 | R-TAKE-3 take with a wild onto a meld",
            rules,
            "J 2 joker 5 8",
            legal="draw | take with 2 | take with joker",
            then="take with 2",
            melds=["J J J"],
            pile="4 J",
            phase="draw",
        ),
        case(
            "R-MELD-8 fourth black three | R-OUT-2 out by discard",
            rules,
            "black3 black3 black3 black3 9",
            "meld black3 black3 black3 | add black3",
            legal="discard 9",
            then="discard 9",
            melds=canastas,
            pile="5",
        ),
        # The fourth may as well be the discard that goes out.
        case(
            "R-MELD-8 black threes melded | R-DISC-1 black three discarded",
            rules,
            "black3 black3 black3 black3",
            "meld black3 black3 black3",
            legal="add black3 | discard black3",
            then="discard black3",
            melds=canastas,
            pile="5",
        ),
        # Three black threes are 15 points, and end the opening and the deal.
        case(
            "R-MELD-8 black threes in an opening | R-OUT-2 out by meld | R-OPEN-6 out in the opening turn",
            rules,
            f"black3 black3 black3 {in_hand}",
            lay_all,
            legal="meld black3 black3 black3 | discard black3",
            then="meld black3 black3 black3",
            pile="5",
        ),
        case(
            "R-TURN-3 draw with an empty stock ends the deal | R-TAKE-1 black three on top blocks a take",
            rules,
            "J J 5 8",
            legal="draw",
            then="draw",
            melds=["9 9 9"],
            pile="4 black3",
            whole_stock="",
            phase="draw",
        ),
        case(
            "R-TURN-3 take with an empty stock",
            rules,
            "J J 5 8",
            legal="draw | take",
            then="take",
            melds=["9 9 9"],
            pile="4 J",
            whole_stock="",
            phase="draw",
        ),
        case(
            "R-TURN-3 last stock card drawn, the turn goes on",
            rules,
            "5 8",
            "draw",
            legal=f"discard 5 | discard 8 | {'discard Q | ' if several else ''}discard K",
            then="discard K",
            melds=["9 9 9"],
            pile="4",
            whole_stock="Q K" if several else "K",
            phase="draw",
        ),
        case(
            "R-TURN-2 the last card drawn is a red three, as first card",
            rules,
            "5 8",
            legal="draw",
            then="draw",
            melds=["9 9 9"],
            pile="4",
            whole_stock="red3",
            phase="draw",
        ),
        case(
            "R-TURN-1 a three drawn, laid and replaced | R-TURN-3 last stock card drawn, the turn goes on",
            rules,
            "5 8",
            "draw",
            legal="discard 5 | discard 8 | discard K",
            then="discard 5",
            melds=["9 9 9"],
            pile="4",
            whole_stock="red3 K",
            phase="draw",
        ),
    ]
    if several:
        cases += [
            case(
                "R-TURN-1 the last card drawn alone | R-TURN-3 last stock card drawn, the turn goes on",
                rules,
                "5 8",
                "draw",
                legal="discard 5 | discard 8 | discard K",
                then="discard K",
                melds=["9 9 9"],
                pile="4",
                whole_stock="K",
                phase="draw",
            ),
            case(
                "R-TURN-2 the last card drawn is a red three, as a later card",
                rules,
                "5 8",
                legal="draw",
                then="draw",
                melds=["9 9 9"],
                pile="4",
                whole_stock="K red3",
                phase="draw",
            ),
        ]
    if needed == 1:
        cases += [
            # 70 and 20 points are exactly the 90 that are needed; three black threes would be too few.
            case(
                "R-MELD-8 black threes in an opening | R-OPEN-2 opened with exactly the minimum",
                rules,
                f"black3 black3 black3 black3 {NINES}",
                f"{lay('9', 7)}",
                legal="meld black3 black3 black3",
                then="meld black3 black3 black3 | add black3",
                pile="5",
                score=1_500,
            ),
            case(
                "R-TURN-4 a meld or addition refused by the look-ahead",
                rules,
                f"black3 black3 black3 {NINES}",
                legal="discard black3 | discard 9",
                then="discard 9",
                pile="5",
                score=1_500,
            ),
        ]
    if players == 4:
        cases += [
            # The kings were the partner's; who adds to them is not concealed.
            case(
                "R-OUT-4 not concealed, the player's first melding",
                rules,
                "K K K",
                "add K | add K",
                legal="add K",
                then="add K",
                melds=["K K K K"],
                pile="5",
                melded=[False, False, True, False],
            ),
            case(
                "R-OUT-3 ask not offered, out is sure but a refusal would leave no move",
                rules,
                "Q Q",
                "take",
                legal="discard 9",
                then="discard 9",
                melds=[KINGS],
                pile="9 Q",
                phase="draw",
            ),
            case(
                "R-OUT-3 asked before in the deal, asks again",
                rules,
                "6 9",
                legal="ask | add 6 | discard 6 | discard 9",
                then="ask",
                melds=[KINGS, "6 6 6"],
                pile="5",
                can_ask=True,
                asked=[True, False, False, False],
            ),
            # `yes` binds: the nine alone can go out.
            case(
                "R-OUT-3 out after yes",
                rules,
                "6 9",
                "ask | yes",
                legal="add 6",
                then="add 6",
                melds=[KINGS, "6 6 6"],
                pile="5",
                can_ask=True,
            ),
            case(
                "R-OUT-3 ask after take",
                rules,
                "Q Q 6",
                "take",
                legal="ask | add 6 | discard 6 | discard 9",
                then="ask",
                melds=[KINGS, "6 6 6"],
                pile="9 Q",
                phase="draw",
            ),
        ]
    return cases


@pytest.mark.parametrize("case", [*MODERN_CASES, *classic_cases(2), *classic_cases(3), *classic_cases(4)])
def test_rare_position(case: Case) -> None:
    assert set(case.rows) <= set(rows_of(case.rules))
    oracle, table = Oracle.from_position(case.position), Table.from_position(case.position)
    for notation in case.actions:
        oracle.play(notation)
        table.play(notation)
    assert oracle.legal() == _split(case.legal)
    assert table.legal() == _split(case.legal)

    policies = [POLICIES["random"]] * case.rules.players
    for seed in range(CONTINUATIONS):
        counts: Counter[str] = Counter()
        oracle, table = Oracle.from_position(case.position), Table.from_position(case.position)
        actions = [*case.actions, *_split(case.then)]
        play_on(oracle, table, policies, Random(seed), counts, f"rare position {case.rows}", actions)
        assert [row for row in case.rows if not counts[row]] == []
