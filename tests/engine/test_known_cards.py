"""What an attentive player remembers: cards known to be in a hand, discards, piles taken."""

from canasta_env.cards import KINDS
from tests.rules.positions import classic, modern, play


def known(table):
    return table.position()["known"][0]


def test_the_cards_under_the_top_card_are_known_to_be_in_the_hand_of_who_took_them():
    table = classic("Q Q 4 6", phase="draw", melds=["9 9 9"], pile="red3 5 5 K Q", wild_frozen=True)
    table.play("take")
    assert known(table) == {"5": 2, "K": 1}
    assert {KINDS[kind]: num for kind, num in enumerate(table.view(2)[0]["known"][2]) if num} == {
        "5": 2,
        "K": 1,
    }
    table.play("discard 5")
    assert known(table) == {"5": 1, "K": 1}


def test_a_card_that_leaves_the_hand_is_taken_for_the_known_one():
    table = classic("5 5 4 6 7", melds=["5 5 5"], known=[{"5": 1}, {}, {}, {}])
    table.play("add 5")
    assert known(table) == {}
    table.play("add 5")
    assert known(table) == {}


def test_the_pair_leaves_before_the_pile_comes():
    named = {"phase": "draw", "melds": ["9 9 9"], "pile": "Q 5 Q"}
    for game in (classic, modern):
        assert known(play(game("Q Q 4 6", **named), "take")) == {"5": 1, "Q": 1}
        knows_queens = game("Q Q 4 6", known=[{"Q": 2}, {}, {}, {}], **named)
        assert known(play(knows_queens, "take")) == {"5": 1, "Q": 1}


def test_in_an_opening_the_pile_is_known_from_the_pick_up():
    table = classic("Q Q A A A 4 6", phase="draw", pile="5 Q Q", known=[{"Q": 1, "A": 1}, {}, {}, {}])
    table.play("take")
    assert known(table) == {"A": 1}
    table.play("meld A A A")
    assert known(table) == {}
    table.play("pick up")
    assert known(table) == {"5": 1, "Q": 1}


def test_modern_the_pair_leaves_the_hand_at_the_pick_up():
    remembered = {"known": [{"Q": 2, "K": 1}, {}, {}, {}]}
    table = modern("A A A A K K K K K Q Q 4", phase="draw", pile="5 Q", **remembered)
    play(table, "take", "meld A A A", "add A", "meld K K K", "add K", "add K")
    assert known(table) == {"Q": 2}
    table.play("pick up")
    assert known(table) == {"5": 1}
    # With a meld of queens from the hand only the top card joins it.
    table = modern("Q Q Q Q A A A A A 4", phase="draw", pile="5 Q", known=[{"Q": 4}, {}, {}, {}])
    play(table, "take", "meld A A A", "add A", "add A", "meld Q Q Q", "pick up")
    assert known(table) == {"5": 1, "Q": 1}


def test_discards_and_piles_taken_are_counted_for_each_seat():
    table = modern("Q Q Q A A A A A 4 6", phase="draw", pile="5 Q", hands={1: "8 8 10"}, stock="J")
    table.play("take")
    assert table.position()["piles_taken"] == [1, 0, 0, 0]  # at the take, not at the pick up
    play(table, "meld A A A", "add A", "add A", "meld Q Q Q", "pick up", "discard 4", "draw", "discard 8")
    assert table.position()["piles_taken"] == [1, 0, 0, 0]
    assert table.position()["discarded"] == [{"4": 1}, {"8": 1}, {}, {}]
