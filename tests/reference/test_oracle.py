"""The worked cases of CASES.md against the oracle alone, and checks of its look-ahead."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import pytest

from canasta_env.cards import COPIES, KINDS, NUM_KINDS
from canasta_env.rules import Rules, classic, modern_american
from tests.reference.house_rules import draw_rules
from tests.reference.legality import Turn, TurnSearch
from tests.reference.lockstep import run_lockstep
from tests.reference.oracle import Oracle, dict_to_counts
from tests.reference.walks import POLICIES, draw_order, draw_scores
from tests.rules.positions import position

FOURS, FIVES, SEVENS, NINES, KINGS, ACES = (" ".join([rank] * 7) for rank in "4579KA")
DECK = Counter(dict(zip(KINDS, COPIES, strict=True)))


def game_name(rules: Rules) -> str:
    return f"{rules.game} {rules.players}"


def table(rules: Rules, hand: str, **named: Any) -> Oracle:
    """A table in the position of `tests.rules.positions.position`.

    Without cards named for them the pile is empty and the other seats hold a king and a nine each; nobody has
    melded in an earlier turn.
    """
    others = dict.fromkeys(range(1, rules.players), "K 9")
    unnamed = {"pile": "", "hands": others, "melded": [False] * rules.players}
    return Oracle.from_position(position(rules, hand, **(unnamed | named)))


def modern(hand: str, **fields: Any) -> Oracle:
    return table(modern_american(), hand, **fields)


def standard(hand: str, players: int = 4, **fields: Any) -> Oracle:
    return table(classic(players), hand, **fields)


def play(oracle: Oracle, *actions: str) -> Oracle:
    for action in actions:
        oracle.play(action)
    return oracle


def discards(oracle: Oracle) -> list[str]:
    return [action.removeprefix("discard ") for action in oracle.legal() if action.startswith("discard ")]


def total(oracle: Oracle, side: int = 0) -> int:
    return oracle.score()[side]["total"]


# Modern American


@pytest.mark.parametrize(("score", "is_legal"), [(0, True), (3_000, False)])
def test_case_1_opening_from_the_hand(score: int, is_legal: bool) -> None:
    oracle = modern("Q Q Q K K joker joker 4 5", scores=[score, 0])
    assert ("meld Q Q Q" in oracle.legal()) == is_legal
    if is_legal:
        play(oracle, "meld Q Q Q", "meld K K joker", "add joker to K", "discard 4")
        assert oracle.opened == [True, False]


def test_case_1_minima() -> None:
    scores = [-20, 0, 2_995, 3_000, 4_995, 5_000]
    assert [modern_american().minimum(score) for score in scores] == [125, 125, 125, 155, 155, 180]


def test_case_2_a_clean_canasta_waives_the_minimum() -> None:
    oracle = modern("4 4 4 4 4 4 4 8 9", scores=[8_000, 0])
    play(oracle, "meld 4 4 4", "add 4", "add 4", "add 4")
    assert discards(oracle) == []
    play(oracle, "add 4", "discard 8")
    assert oracle.opened[0]


def test_case_2_a_mixed_canasta_does_not() -> None:
    assert not any("meld" in action for action in modern("4 4 4 4 4 2 2 8 9", scores=[8_000, 0]).legal())


@pytest.mark.parametrize(
    ("wilds", "is_legal"), [("2 2 2 2 2 2", False), ("joker joker 2", False), ("joker joker 2 2", True)]
)
def test_case_2_opening_with_wilds(wilds: str, is_legal: bool) -> None:
    oracle = modern(f"{wilds} 8 9")
    assert any("meld" in action for action in oracle.legal()) == is_legal


def test_case_3_wilds_in_the_opening() -> None:
    oracle = modern("K K 2 2 2 A A A 7 7 8 8 8 9 9 9", hands={1: "9", 2: "9", 3: "9"})
    assert "meld K K 2" in oracle.legal()
    assert "meld 7 7 2" not in oracle.legal()
    play(oracle, "meld K K 2", "add 2 to K")
    assert "add 2 to K" not in oracle.legal()  # R-MELD-3: two wilds


def test_case_3_wilds_after_the_opening() -> None:
    fields: dict[str, Any] = {"hands": {1: "4", 2: "4", 3: "4"}}
    melds = ["8 8 8", "10 10 10 10 10", "A A A A A"]
    legal = modern("Q Q 2 7 7 5 9", melds=melds, **fields).legal()
    assert "meld Q Q 2" not in legal and "meld 7 7 2" not in legal
    assert "add 2 to 8" not in legal and "add 2 to 10" in legal and "add 2 to A" not in legal


def test_case_4_take_not_opened() -> None:
    oracle = modern("Q Q Q K K joker joker 4", pile="5 Q", phase="draw", hands={1: "9", 2: "9", 3: "9"})
    play(oracle, "take")
    assert oracle.position()["pile"] == ["5", "Q"] and discards(oracle) == []
    play(oracle, "meld Q Q Q", "meld K K joker", "add joker to K", "pick up")
    now = oracle.position()
    assert now["melds"][0]["Q"] == [4, 0, 0]
    assert now["hands"][0] == {"4": 1, "5": 1} and now["pile"] == []
    assert now["opened"] == [True, False] and now["known"][0] == {"5": 1}


@pytest.mark.parametrize("hand", ["Q Q Q 4 4 5 8", "Q joker K K K joker joker 2 4 8"])
def test_case_4_no_take(hand: str) -> None:
    assert modern(hand, pile="5 Q", phase="draw").legal() == ["draw"]


def test_case_5_take_opened() -> None:
    melds = ["8 8 8"]
    assert modern("Q Q 4 6", melds=melds, pile="5 Q", phase="draw").legal() == ["draw", "take"]
    assert modern("Q Q 4 6", melds=["Q Q Q Q Q"], pile="5 Q", phase="draw").legal() == ["draw"]
    oracle = modern("7 7 4 6", melds=["7 7 7 7"], pile="7", phase="draw")
    play(oracle, "take")
    assert oracle.score()[0]["canastas"] == 2_500


@pytest.mark.parametrize(
    ("hand", "pile", "expected"),
    [
        ("A 7 4 2", "", ["4"]),
        ("A 7 2", "", ["7", "A"]),
        ("joker 2 K", "5", ["K"]),
        ("2 joker", "5", ["joker", "2"]),
        ("2 joker", "", ["joker", "2"]),
    ],
)
def test_case_6_discards(hand: str, pile: str, expected: list[str]) -> None:
    assert discards(modern(hand, pile=pile)) == expected


@pytest.mark.parametrize(
    ("hand", "expected"), [("9 4 A 2", ["9"]), ("4 A 2", ["4"]), ("A 7 2", ["A"]), ("7 2", ["7"])]
)
def test_r_disc_3_closed_ranks(hand: str, expected: list[str]) -> None:
    their_melds = [FOURS, SEVENS]
    assert discards(modern(hand, their_melds=their_melds)) == expected


def test_case_7_going_out() -> None:
    two = [FOURS, FIVES]
    oracle = play(modern("K", melds=two), "discard K")
    assert oracle.is_over and oracle.went_out == 0
    one = [FOURS, "5 5 5 5 5 5"]
    assert "add 5" in modern("5 K", melds=one).legal()
    assert "add 5" not in modern("5 K", melds=[FOURS, "5 5 5 5 5"]).legal()
    oracle = play(modern("K 4", melds=two), "discard K")
    assert not oracle.is_over


def test_case_8_score() -> None:
    melds = [FOURS, "7 7 7"]
    fields: dict[str, Any] = {"threes": "red3 black3 black3", "hands": {1: "K 9", 2: "A A A", 3: "K 9"}}
    assert total(modern("A A A", melds=melds, **fields)) == -5_070
    two = [*melds, FIVES]
    assert modern("A A A", melds=two, **fields).score()[0]["threes"] == 400


@pytest.mark.parametrize("three", ["red3", "black3"])
def test_case_9_last_card_a_three(three: str) -> None:
    oracle = play(modern("Q Q Q 9", whole_stock=three, phase="draw", melds=[FOURS]), "draw")
    assert oracle.is_over and oracle.went_out is None
    assert oracle.score()[0]["cards_in_hand"] == -(30 + 10 + 5 + 20)


def test_case_9_last_card_no_three() -> None:
    oracle = play(modern("Q Q Q 9", whole_stock="K", phase="draw", melds=[FOURS]), "draw")
    assert not oracle.is_over
    play(oracle, "meld Q Q Q", "discard K")
    assert oracle.is_over and oracle.went_out is None


def test_case_10_sevens() -> None:
    assert modern("7 7 7", melds=["7 7 7"]).score()[0]["penalties"] == -4_000


def test_case_11_the_wild_meld_bars_wilds() -> None:
    melds = ["Q Q Q Q Q", "2 2 2 2 2"]
    oracle = modern("2 2 joker 8 9", melds=melds)
    assert "add 2 to Q" not in oracle.legal()
    play(oracle, "add 2 to wilds", "add joker to wilds")
    assert "add 2 to Q" in oracle.legal()


def test_case_12_after_a_refusal() -> None:
    two = [FOURS, FIVES, "6 6 6"]
    oracle = modern("6 K", melds=two, phase="play", can_ask=True)
    play(oracle, "ask")
    assert oracle.to_play == 2 and oracle.legal() == ["yes", "no"]
    play(oracle, "no")
    assert oracle.legal() == ["discard 6", "discard K"]


def test_r_out_3_yes_is_not_binding_in_modern() -> None:
    two = [FOURS, FIVES, "6 6 6"]
    oracle = play(modern("6 K", melds=two, can_ask=True), "ask", "yes")
    assert oracle.legal() == ["add 6", "discard 6", "discard K"]


# Classic


@pytest.mark.parametrize(
    ("hand", "is_legal"),
    [
        ("6 6 6 K K K 2 9 5", False),
        ("6 6 6 A A A 2 9 5", True),
        ("10 10 joker 9 5", False),
        ("10 10 joker J J joker 9 5", True),
    ],
)
def test_case_13_opening(hand: str, is_legal: bool) -> None:
    oracle = standard(hand, scores=[1_600, 0], hands={1: "8 9", 2: "8 9", 3: "8 9"})
    assert any("meld" in action for action in oracle.legal()) == is_legal


@pytest.mark.parametrize(("score", "is_legal"), [(0, True), (1_500, False)])
def test_case_14_buried_cards_do_not_count(score: int, is_legal: bool) -> None:
    oracle = standard(
        "K K Q Q 2", pile="Q K K", phase="draw", scores=[score, 0], hands={1: "9", 2: "9", 3: "9"}
    )
    assert ("take" in oracle.legal()) == is_legal
    if is_legal:
        play(oracle, "take")
        assert oracle.opening_points == 30 and oracle.position()["pile"] == ["Q", "K"]
        assert "pick up" not in oracle.legal()
        play(oracle, "meld Q Q 2", "pick up")
        assert oracle.position()["hands"][0] == {"Q": 1, "K": 1}
        assert oracle.legal() == ["discard Q", "discard K"]  # one must be discarded, and one kept


@pytest.mark.parametrize(
    ("meld", "is_legal"),
    [("9 9 2", False), ("9 9 9 2", True), ("9 9 9 9 2 2", True), ("9 9 9 2 2", False), (NINES, True)],
)
def test_case_15_wilds(meld: str, is_legal: bool) -> None:
    assert (
        "add 2 to 9" in standard("2 5 8", melds=[meld], hands={1: "K", 2: "K", 3: "K"}).legal()
    ) == is_legal


def test_case_15_a_fourth_wild_never() -> None:
    oracle = standard("2 5 8", melds=["9 9 9 9 9 9 9 2 2 joker"], hands={1: "K", 2: "K", 3: "K"})
    assert "add 2 to 9" not in oracle.legal()
    oracle = standard("2 5 8", melds=[NINES], hands={1: "K", 2: "K", 3: "K"})
    assert play(oracle, "add 2 to 9").score()[0]["canastas"] == 300


def test_case_16_freezing() -> None:
    oracle = standard("2 5 8 J J", melds=["9 9 9"], pile="4", hands={1: "K Q", 2: "K Q", 3: "K Q"})
    play(oracle, "discard 2")
    assert oracle.wild_frozen
    play(oracle, "draw", "discard K", "draw", "discard K")
    assert oracle.wild_frozen
    oracle = standard("J 2 5 8", melds=["9 9 9"], pile="2 4 J", phase="draw", wild_frozen=True)
    assert oracle.legal() == ["draw"]
    oracle = standard("J J 5 8", melds=["9 9 9"], pile="2 4 J", phase="draw", wild_frozen=True)
    assert not play(oracle, "take").wild_frozen
    oracle = standard("J J 5 8", melds=["9 9 9"], pile="4 black3", phase="draw")
    assert oracle.legal() == ["draw"]


@pytest.mark.parametrize(
    ("turned", "is_frozen"), [("2 4", True), ("red3 joker 5", True), ("black3", False), ("red3 black3", True)]
)
def test_case_16_the_card_turned_up(turned: str, is_frozen: bool) -> None:
    rest = DECK - Counter(turned.split())
    naturals = [name for name in rest.elements() if name not in ("red3", "black3")]
    order = naturals[:44] + turned.split()
    order += list((DECK - Counter(order)).elements())
    oracle = Oracle(classic(4), order, 0, [0, 0])
    assert oracle.position()["pile"] == turned.split() and oracle.wild_frozen == is_frozen
    assert oracle.to_play == 1 and oracle.phase == "draw"


def test_case_17_takes_with_a_wild() -> None:
    fields: dict[str, Any] = {"pile": "4 J", "phase": "draw"}
    assert standard("2 5 8", melds=["J J J J"], wild_frozen=True, **fields).legal() == ["draw"]
    legal = standard("J 2 joker 5 8", melds=["J J J J"], **fields).legal()
    assert legal == ["draw", "take with 2", "take with joker"]
    assert standard("J 2 joker 5 8", melds=["J J J J 2 2 2"], **fields).legal() == ["draw"]
    assert standard("J 2 joker 5 8", **fields).legal() == ["draw"]  # not opened


def test_case_18_the_top_card_alone_is_never_added() -> None:
    assert standard("J 5 8", melds=["J J J J"], pile="4 J", phase="draw").legal() == ["draw"]


def score_at_the_end(hand: str, discard: str, **fields: Any) -> int:
    oracle = play(standard(hand, **fields), f"discard {discard}")
    assert oracle.is_over
    return total(oracle)


def test_case_19_scores() -> None:
    aces = [ACES]
    assert standard("4", melds=aces, hands={1: "K", 2: "4", 3: "K"}).score()[0]["total"] + 10 == 640
    fields: dict[str, Any] = {"hands": {1: "K", 2: "", 3: "K"}, "melds": aces}
    assert score_at_the_end("4", "4", threes="red3 red3", **fields) == 940
    assert score_at_the_end("4", "4", begun=["A"], melded_now=True, **fields) == 840
    assert total(standard("K 5", melds=["A A A"], hands={1: "9", 2: "", 3: "9"})) == 45
    assert total(standard("K 5", threes="red3 red3", hands={1: "9", 2: "", 3: "9"})) == -215
    assert standard("K 5", threes="red3 red3 red3 red3").score()[0]["threes"] == -800
    assert total(standard("", melds=[KINGS], hands={1: "9", 2: "", 3: "9"})) == 570


def test_case_20_out_without_a_discard() -> None:
    oracle = standard("K K K", melds=["K K K K"], hands={1: "9", 2: "9", 3: "9"})
    play(oracle, "add K", "add K", "add K")
    assert oracle.is_over and oracle.went_out == 0 and not oracle.concealed
    assert standard("A A A 5", melds=["4 4 4"]).legal() == ["discard 5", "discard A"]


def test_case_21_black_threes() -> None:
    canasta = [KINGS]
    assert standard("black3 black3", melds=canasta, hands={1: "9", 2: "9", 3: "9"}).legal() == [
        "discard black3"
    ]
    oracle = standard("black3 black3 black3 9", melds=canasta, hands={1: "9", 2: "9", 3: "9"})
    assert "meld black3 black3 black3" in oracle.legal()
    play(oracle, "meld black3 black3 black3")
    assert oracle.legal() == ["discard 9"]
    assert play(oracle, "discard 9").went_out == 0
    assert "meld black3 black3 black3" not in standard("black3 black3 black3 9", melds=["4 4 4"]).legal()


@pytest.mark.parametrize("pile", ["4 black3", "4 J"])
def test_case_22_empty_stock(pile: str) -> None:
    oracle = standard("5 8", melds=["9 9 9"], pile=pile, whole_stock="", phase="draw")
    assert oracle.legal() == ["draw"]
    play(oracle, "draw")
    assert oracle.is_over and oracle.went_out is None and oracle.to_play is None


def test_case_23_red_three_in_the_pile() -> None:
    oracle = standard("J J 5 8", melds=["9 9 9"], pile="red3 J", wild_frozen=True, phase="draw")
    num_stock = len(oracle.stock)
    play(oracle, "take")
    now = oracle.position()
    assert now["threes"][0] == {"red3": 1} and len(now["stock"]) == num_stock
    assert now["hands"][0] == {"5": 1, "8": 1}


# Any program


def test_case_29_large_hands() -> None:
    oracle = standard(
        " ".join(["4 5 6 7 8"] * 8 + ["9 10"] * 7 + ["J J J"]), scores=[0, 0], hands={1: "K", 2: "K", 3: "K"}
    )
    play(oracle, *["meld 4 4 4"], *["add 4"] * 5)
    assert oracle.position()["melds"][0] == {"4": [8, 0, 0]} and "meld 5 5 5" in oracle.legal()


def test_case_30_ask_is_not_offered() -> None:
    oracle = standard("Q Q", melds=[KINGS], pile="9 Q", phase="draw", hands={1: "8", 2: "8", 3: "8"})
    play(oracle, "take")
    assert oracle.can_ask and oracle.legal() == ["discard 9"]


def test_case_31_out_by_take() -> None:
    oracle = standard("10 10", melds=[KINGS], pile="10", phase="draw", hands={1: "8", 2: "8", 3: "8"})
    play(oracle, "take")
    assert oracle.went_out == 0 and oracle.is_over and not oracle.concealed


def test_case_32_last_card_red_three() -> None:
    oracle = play(standard("5 8", players=2, whole_stock="K red3", phase="draw", hands={1: "9"}), "draw")
    assert oracle.is_over and oracle.position()["hands"][0] == {"5": 1, "8": 1, "K": 1}
    assert oracle.position()["threes"][0] == {"red3": 1}
    oracle = play(standard("5 8", players=2, whole_stock="red3 K", phase="draw", hands={1: "9"}), "draw")
    assert not oracle.is_over and oracle.position()["hands"][0] == {"5": 1, "8": 1, "K": 1}


def test_r_take_5_pick_up_goes_out() -> None:
    oracle = standard("10 10 9 9 9 9 9 9 9", pile="10", phase="draw", hands={1: "8", 2: "8", 3: "8"})
    play(oracle, "take", "meld 9 9 9", *["add 9"] * 4)
    assert not oracle.is_over and oracle.legal() == ["pick up"]
    play(oracle, "pick up")
    assert oracle.went_out == 0 and oracle.concealed


def test_r_out_4_joining_an_earlier_meld_is_not_concealed() -> None:
    oracle = standard("9 9 9 9 9 9 9 K", melds=["K K K"], hands={1: "8", 2: "8", 3: "8"})
    play(oracle, "meld 9 9 9", *["add 9"] * 4, "add K")
    assert oracle.went_out == 0 and not oracle.concealed


def test_r_take_5_a_full_meld_of_the_top_cards_rank_bars_pick_up() -> None:
    # Both jokers are needed for the minimum. With one on the sixes and one on the fours nothing is clean;
    # with both on the sixes these are seven cards, and the top card cannot join.
    fields: dict[str, Any] = {"melds": ["6 6 6 6 6"], "opened": [False, False], "opening_points": 25}
    fields |= {"pile": "6", "taken": "6", "melded_now": True, "begun": ["6"], "scores": [-5, 0]}
    assert modern("joker joker 4 4 4 4 4 4", **fields).legal() == ["meld 4 4 4", "meld 4 4 joker"]


# The look-ahead


class PlainSearch(TurnSearch):
    """The definition of R-TURN-4 with nothing left out; gives up after a number of turns looked at."""

    BUDGET = 3_000

    def _search(self, turn: Turn) -> bool:
        assert len(self._completes) < self.BUDGET, "budget"
        return super()._search(turn)

    def _is_hopeless(self, turn: Turn) -> bool:
        return False

    def _simplified(self, turn: Turn) -> Turn:
        return turn

    def _enough_moves(self, turn: Turn) -> list[int]:
        return self.moves(turn)


def same_turns(rules: Rules, seed: int) -> Counter[str]:
    """Compare the look-ahead with the plain one along a deal; count the comparisons by their result."""
    rng = random.Random(seed)
    oracle = Oracle(rules, draw_order(rules, rng), 0, draw_scores(rules, rng))
    policy = rng.choice(list(POLICIES.values()))
    counts: Counter[str] = Counter()
    while not oracle.is_over:
        if oracle.phase == "play":
            turn, search = oracle.as_turn(), oracle.turn_search()
            plain = PlainSearch(rules, search.minimum, search.closed)
            for goal in (turn.goal, *((1, 2) if turn.goal == 0 else ())):
                for move in [None, *search.moves(turn)]:
                    start = turn._replace(goal=goal)
                    start = start if move is None else search.after(start, move)
                    try:
                        expected = plain.can_complete(start)
                    except AssertionError:
                        counts["given up"] += 1
                        break
                    assert search.can_complete(start) == expected, oracle.position()
                    counts[f"{goal} {expected}"] += 1
        oracle.play(policy(oracle, oracle.legal(), rng))
    return counts


@pytest.mark.parametrize("rules", [modern_american(), classic(2), classic(3), classic(4)], ids=game_name)
def test_r_turn_4_prunings_change_nothing(rules: Rules) -> None:
    for seed in range(3):
        same_turns(rules, seed)
        same_turns(draw_rules(rules.game, rules.players, random.Random(seed)), seed)


# Walks


@pytest.mark.parametrize("rules", [modern_american(), classic(2), classic(3), classic(4)], ids=game_name)
def test_walks_keep_the_invariants(rules: Rules) -> None:
    counts = run_lockstep(rules, num_deals=4, seed=1, alone=True)
    assert counts["deals"] == 4
    assert counts == run_lockstep(rules, num_deals=4, seed=1, alone=True)


def test_walks_with_house_rules_keep_the_invariants() -> None:
    for seed in range(6):
        rng = random.Random(seed)
        run_lockstep(draw_rules("classic", rng.choice([2, 3, 4]), rng), num_deals=1, seed=seed, alone=True)
        run_lockstep(draw_rules("modern_american", 4, rng), num_deals=1, seed=seed, alone=True)


def test_a_copy_is_independent() -> None:
    oracle = standard("Q Q Q K K 8 9")
    twin, before = oracle.copy(), oracle.position()
    play(oracle, "discard 8")
    assert twin.position() == before and dict_to_counts(before["hands"][0])[NUM_KINDS - 1] == 0
