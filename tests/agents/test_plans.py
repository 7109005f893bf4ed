"""The pieces that players share: opening plans, canastas of this turn, going-out plans, chances."""

from itertools import product
from math import comb

import numpy as np
import pytest

from canasta_agents.heuristics import features, going_out, melding, opening
from canasta_env.cards import JOKER, KIND_OF, KINDS, TWO, VALUES
from canasta_env.engine.state import NO_CARD, rules_record
from canasta_env.rules import classic as classic_rules
from canasta_env.rules import modern_american as modern_rules
from tests.rules.positions import classic, modern

CLASSIC, MODERN = rules_record(classic_rules())[0], rules_record(modern_rules())[0]


def plan(table, prices=None, spare=None):
    """The cheapest opening of the seat to play: its price and `{kind: (naturals, twos, jokers)}`."""
    view = table.view(table.to_play)[0]
    prices = opening.fewest_wilds(view) if prices is None else prices
    missing = int(view["minimum"][0] - view["opening_points"])
    spare = int(view["hand_size"][0]) - 2 if spare is None else spare
    laid = opening.no_plan()
    rules = rules_record(table.rules)[0]
    price = opening.plan_opening(rules, view, NO_CARD, missing, spare, prices, laid)
    return price, {KINDS[kind]: tuple(laid[kind].tolist()) for kind in np.flatnonzero(laid.any(axis=1))}


@pytest.mark.parametrize(
    ("hand", "score", "expected"),
    [
        ("K K K K Q Q Q 2 4 5 6", 0, {"K": (3, 0, 0), "Q": (3, 0, 0)}),
        ("A A A 2 joker 4 5 6 8 9 10", 0, {"A": (3, 0, 0)}),
        ("K K K J J 2 joker 4 5 6 8", 0, {"K": (3, 0, 0), "J": (2, 1, 0)}),
        ("K K K J J 2 joker 4 5 6 8", 1_500, {"K": (3, 0, 0), "J": (2, 0, 1)}),
        ("K K 2 4 5 6 8 9 10 J Q", 0, {}),
        ("A A 2 2 joker 4 5 6 8 9 10", 1_500, {"A": (2, 0, 1)}),
    ],
)
def test_the_cheapest_classic_opening(hand, score, expected):
    assert plan(classic(hand, score=score))[1] == expected


@pytest.mark.parametrize(
    ("hand", "expected"),
    [
        ("Q Q Q K K joker joker 4 5 6 8 9 10", {"Q": (3, 0, 0), "K": (2, 0, 2)}),
        ("Q Q K K joker joker 2 2 4 5 6 8 9", {"wilds": 4}),  # R-OPEN-3: no clean meld but the wilds
        ("A A A K K K 10 10 10 4 4 4 5 6", {"10": (3, 0, 0), "K": (3, 0, 0), "A": (3, 0, 0), "4": (3, 0, 0)}),
    ],
)
def test_the_cheapest_modern_opening(hand, expected):
    laid = plan(modern(hand))[1]
    if "wilds" in expected:
        assert list(laid) == ["joker"] and sum(laid["joker"]) == expected["wilds"]
    else:
        assert laid == expected


def test_a_plan_lays_no_more_cards_than_can_be_spared():
    table = classic("K K K K Q Q Q")
    assert plan(table, spare=6)[1] == {"K": (3, 0, 0), "Q": (3, 0, 0)}
    assert plan(table, spare=5) == (opening.UNAFFORDABLE, {})


def test_plans_are_the_cheapest_of_all():
    """Against every way to lay a small hand, by prices drawn at random."""
    rng = np.random.default_rng(3)
    for hand in ("K K K 9 9 2 joker 4", "A A 8 8 8 2 2 5", "Q Q Q 10 10 10 joker 6"):
        for score in (0, 1_500):
            table = classic(hand, score=score)
            view = table.view(0)[0]
            prices = opening.no_prices()
            prices[opening.CARD] = rng.integers(1, 9, len(KINDS))
            prices[opening.CLEAN_MELD] = rng.integers(0, 5, len(KINDS))
            prices[opening.MIXED_MELD] = rng.integers(0, 5, len(KINDS))
            assert plan(table, prices, spare=8)[0] == cheapest_by_trying(view, prices)


def cheapest_by_trying(view, prices):
    ranks = [kind for kind in range(4, len(KINDS)) if view["hand"][kind] >= 2]
    ways = []
    for kind in ranks:
        counts = product(
            range(view["hand"][kind] + 1), range(view["hand"][TWO] + 1), range(view["hand"][JOKER] + 1)
        )
        ways.append([way for way in counts if sum(way) == 0 or is_classic_meld(*way)])
    best = opening.UNAFFORDABLE
    for ways_laid in product(*ways):
        if sum(way[1] for way in ways_laid) > view["hand"][TWO]:
            continue
        if sum(way[2] for way in ways_laid) > view["hand"][JOKER]:
            continue
        points, price = 0, 0.0
        for kind, (naturals, twos, jokers) in zip(ranks, ways_laid, strict=True):
            points += naturals * VALUES[kind] + twos * VALUES[TWO] + jokers * VALUES[JOKER]
            price += naturals * prices[0, kind] + twos * prices[0, TWO] + jokers * prices[0, JOKER]
            if twos + jokers:
                price += prices[opening.MIXED_MELD, kind]
            elif naturals:
                price += prices[opening.CLEAN_MELD, kind]
        if points >= view["minimum"][0]:
            best = min(best, price)
    return best


def is_classic_meld(naturals, twos, jokers):
    wilds = twos + jokers
    return naturals >= 2 and naturals + wilds >= 3 and wilds < naturals and wilds <= 3


@pytest.mark.parametrize(
    ("hand", "meld", "wilds"),
    [
        ("2 2 2 5", "K K K K", 3),
        ("K 2 2 5", "K K K K", 2),
        ("2 2 2 5", "K K K", melding.OUT_OF_REACH),
        ("2 2 5 6", "K K K 2 2", melding.OUT_OF_REACH),
        ("K K K K 5", "K K K", 0),
    ],
)
def test_wilds_that_complete_a_classic_canasta(hand, meld, wilds):
    view = classic(hand, melds=[meld]).view(0)[0]
    assert melding.wilds_for_canasta(CLASSIC, view, KIND_OF["K"]) == wilds


@pytest.mark.parametrize(
    ("hand", "melds", "wilds"),
    [
        ("2 2 5 6", ["K K K K K"], 2),
        ("2 2 5 6", ["K K K K"], melding.OUT_OF_REACH),
        ("K 2 2 5", ["K K K K"], 2),
        ("2 2 5 6", ["K K K K K", "2 2 2"], melding.OUT_OF_REACH),
    ],
)
def test_wilds_that_complete_a_modern_canasta(hand, melds, wilds):
    view = modern(hand, melds=melds).view(0)[0]
    assert melding.wilds_for_canasta(MODERN, view, KIND_OF["K"]) == wilds


CANASTA = "J J J J J J J"


@pytest.mark.parametrize(
    ("hand", "held"),
    [
        ("K K 4", "4"),
        ("K K", None),
        ("K K 2", None),
        ("4 5", going_out.NO_WAY),
        ("9 9 2 4", "4"),
        ("9 9 4", going_out.NO_WAY),
        ("black3 K", "black3"),
        ("black3 black3 K", going_out.NO_WAY),
        ("black3 black3 black3 K", None),
    ],
)
def test_the_card_to_go_out_with_in_classic(hand, held):
    view = classic(hand, melds=[CANASTA, "K K K"]).view(0)[0]
    expected = held if isinstance(held, int) else NO_CARD if held is None else KIND_OF[held]
    assert going_out.card_to_hold_back(CLASSIC, view) == expected


@pytest.mark.parametrize(
    ("hand", "melds", "held"),
    [
        ("K K 4", [CANASTA, "9 9 9 9 9 9 9", "K K K"], "4"),
        ("K K", [CANASTA, "9 9 9 9 9 9 9", "K K K"], "K"),  # a discard there must be
        ("K K 4", [CANASTA, "K K K"], going_out.NO_WAY),
        ("2 2 4", [CANASTA, "K K K K K"], "4"),
        ("J 4", [CANASTA, "9 9 9 9 9 9 9"], going_out.NO_WAY),
    ],
)
def test_the_card_to_go_out_with_in_modern(hand, melds, held):
    view = modern(hand, melds=melds).view(0)[0]
    assert going_out.card_to_hold_back(MODERN, view) == (held if isinstance(held, int) else KIND_OF[held])


def test_chances_are_binomial():
    for number, cards, share in product(range(5), range(6), (0.2, 0.5, 0.9)):
        terms = [comb(cards, k) * share**k * (1 - share) ** (cards - k) for k in range(number, cards + 1)]
        assert features.chance_of_at_least(number, cards, share) == pytest.approx(sum(terms))


def test_what_is_known_of_a_hand_is_certain():
    known = [{}, {"9": 2, "10": 1}, {}, {}]
    view = classic("4 5 6 9", melds=["K K K"], hands={1: "9 9 10 A A"}, known=known).view(0)[0]
    share = features.share_of_unseen(CLASSIC, view, 1)
    assert 0 < share < 0.1
    assert features.chance_of_pair(CLASSIC, view, 1, KIND_OF["9"], share) == 1
    ten = features.chance_of_pair(CLASSIC, view, 1, KIND_OF["10"], share)
    queen = features.chance_of_pair(CLASSIC, view, 1, KIND_OF["Q"], share)
    assert queen < ten < 1
    assert ten == pytest.approx(1 - (1 - share) ** 7)


def test_what_cannot_be_taken_is_safe():
    view = modern("4 5 6 9", melds=["K K K"], their_melds=["Q Q Q Q Q", "10 10 10"]).view(0)[0]
    assert not features.can_be_taken(MODERN, view, KIND_OF["Q"])
    assert features.can_be_taken(MODERN, view, KIND_OF["10"])
    assert features.can_be_taken(MODERN, view, KIND_OF["4"])
