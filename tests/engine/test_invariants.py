"""What holds of every deal, whoever plays it."""

import dataclasses
import json
from collections import Counter
from random import Random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from canasta_env import IllegalActionError, Table
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.cards import COPIES, KINDS
from canasta_env.vector import VectorTables
from tests.engine.recount import recount
from tests.engine.walking import DEALS, FOUR_GAMES, NAMES, every_deal, random_position, random_table, walk

COPIES_OF = dict(zip(KINDS, COPIES, strict=True))


def cards_of(position):
    """Every card of a position, wherever it is."""
    cards = Counter(position["pile"]) + Counter(position["stock"])
    for held in (*position["hands"], *position["threes"]):
        cards += Counter(held)
    for melds in position["melds"]:
        for name, (naturals, twos, jokers) in melds.items():
            cards += Counter({name: naturals, "2": twos, "joker": jokers})
    return cards


@given(st.data())
@settings(max_examples=25)
def test_any_line_of_play_keeps_the_table_in_order(data):
    # Hypothesis chooses every action, so a fault comes with the shortest line of play that shows it.
    table = random_position(*data.draw(st.sampled_from(DEALS)))
    for _ in range(data.draw(st.integers(1, 30))):
        before = table.copy()
        table.play(data.draw(st.sampled_from(table.legal())))
        assert cards_of(table.position()) == COPIES_OF
        assert table.position() != before.position()
        assert [dataclasses.asdict(score) for score in table.score()] == recount(table)
        assert Table.from_position(table.position()).position() == table.position()
        if table.is_over:
            break
        assert table.legal()


@every_deal
def test_108_cards_each_in_one_place(rules, seed):
    for table in walk(rules, seed):
        position = table.position()
        assert cards_of(position) == COPIES_OF
        assert table.stock_size == len(position["stock"])


@every_deal
def test_the_mask_is_empty_only_when_the_deal_is_over(rules, seed):
    for table in walk(rules, seed):
        mask = table.action_mask()
        assert mask.shape == (NUM_ACTIONS,) and mask.dtype == np.int8
        assert set(np.unique(mask)) <= {0, 1}
        assert mask.any() != table.is_over
        assert table.legal() == [NOTATIONS[action] for action in np.flatnonzero(mask)]
        assert (table.to_play is None) == table.is_over == (table.phase == "over")


@every_deal
def test_a_player_to_move_holds_a_card(rules, seed):
    for table in walk(rules, seed):
        if table.phase in ("draw", "play") and table.position()["taken"] is None:
            assert table.hand(table.to_play)
        if table.phase == "draw":
            assert "draw" in table.legal()


@every_deal
def test_only_legal_actions_apply_and_illegal_ones_change_nothing(rules, seed):
    rng = Random(seed)
    for table in walk(rules, seed):
        if rng.random() > 0.05:
            continue
        before = table.position()
        mask = table.action_mask()
        for action, notation in enumerate(NOTATIONS):
            if mask[action]:
                after = table.copy()
                after.play(notation)
                assert after.position() != before
                assert cards_of(after.position()) == COPIES_OF
                assert after.is_over or after.legal()
            else:
                with pytest.raises(IllegalActionError):
                    table.play(notation)
        assert table.position() == before


@every_deal
def test_asking_changes_nothing(rules, seed):
    for table in walk(rules, seed):
        before = table.position()
        legal = table.legal()
        score = table.score()
        views = [table.view(seat).tobytes() for seat in range(rules.players)]
        text = str(table)
        assert table.position() == before
        assert table.legal() == legal
        assert table.score() == score
        assert [table.view(seat).tobytes() for seat in range(rules.players)] == views
        assert str(table) == text


@every_deal
def test_the_score_is_a_recount_card_by_card(rules, seed):
    for table in walk(rules, seed):
        assert [dataclasses.asdict(score) for score in table.score()] == recount(table)


@every_deal
def test_known_cards_are_in_the_hand(rules, seed):
    for table in walk(rules, seed):
        position = table.position()
        for known, hand in zip(position["known"], position["hands"], strict=True):
            assert all(num <= hand.get(kind, 0) for kind, num in known.items())


@every_deal
def test_a_side_that_opened_has_melds(rules, seed):
    for table in walk(rules, seed):
        position = table.position()
        for side in range(rules.num_sides):
            if position["opened"][side]:
                assert position["melds"][side]
            elif position["melds"][side]:
                assert side == rules.side_of(table.to_play)  # its opening is under way


@every_deal
def test_nobody_goes_out_without_the_canastas(rules, seed):
    *_, table = walk(rules, seed)
    if table.went_out is None:
        assert all(score.going_out == 0 for score in table.score())
        return
    assert table.hand(table.went_out) == {}
    melds = table.melds(rules.side_of(table.went_out))
    assert sum(sum(meld) >= 7 for meld in melds.values()) >= rules.canastas_to_go_out


@every_deal
def test_positions_round_trip_through_json(rules, seed):
    rng = Random(seed)
    for table in walk(rules, seed):
        if not table.is_over and rng.random() > 0.1:
            continue
        position = json.loads(json.dumps(table.position()))
        again = Table.from_position(position)
        assert again.position() == position == table.position()
        assert again.rules == rules
        assert again.legal() == table.legal()
        assert again.score() == table.score()
        for seat in range(rules.players):
            assert again.view(seat).tobytes() == table.view(seat).tobytes()


@every_deal
def test_a_position_set_up_plays_on_like_the_table_it_was_written_from(rules, seed):
    table = random_position(rules, seed)
    again = Table.from_position(table.position())
    rng = Random(seed)
    while not table.is_over:
        action = rng.choice(table.legal())
        table.play(action)
        again.play(action)
        assert again.position() == table.position()
    assert again.is_over


@every_deal
def test_copies_are_independent(rules, seed):
    table = random_position(rules, seed)
    before = table.position()
    twin = table.copy()
    assert twin.position() == before
    rng = Random(seed)
    while not twin.is_over:
        twin.play(rng.choice(twin.legal()))
    assert table.position() == before
    assert twin.position() != before


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_the_same_seed_gives_the_same_deal_and_others_differ(rules):
    deals = [json.dumps(Table(rules, seed=seed).position()) for seed in range(40)]
    assert deals == [json.dumps(Table(rules, seed=seed).position()) for seed in range(40)]
    assert len(set(deals)) == 40
    large = [2**63, 2**64 - 1]
    assert len({json.dumps(Table(rules, seed=seed).position()) for seed in large}) == 2


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_the_dealer_given_does_not_change_the_shuffle(rules):
    for seed in range(5):
        stocks = [
            Table(rules, seed=seed, dealer=dealer).position()["stock"] for dealer in range(rules.players)
        ]
        assert all(stock == stocks[0] for stock in stocks)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_deal_of_a_match_is_another_one(rules):
    rules = dataclasses.replace(rules, target=10**9)
    deals = set()
    for seed in range(3):
        match = VectorTables(rules, 1, seed=seed, episode="match")
        rng = np.random.default_rng(0)
        deals.add(match.critic_states.tobytes())
        for _ in range(4):
            while not match.step(rng.choice(np.flatnonzero(match.masks[0]), 1)).ended[0]:
                pass
            deals.add(match.critic_states.tobytes())
    assert len(deals) == 3 * 5


@every_deal
def test_seats_rotated_give_the_same_game(rules, seed):
    rng = Random(seed)
    first = random_table(rules, rng).position()
    table = Table.from_position(first)
    turned = Table.from_position(_rotated(first, rules))
    while True:
        assert turned.position() == _rotated(table.position(), rules)
        assert turned.legal() == table.legal()
        scores = table.score()
        assert turned.score() == scores[-1:] + scores[:-1]
        for seat in range(rules.players):
            assert _without_seat(turned.view((seat + 1) % rules.players)) == _without_seat(table.view(seat))
        if table.is_over:
            break
        action = rng.choice(table.legal())
        table.play(action)
        turned.play(action)


def test_seats_rotated_are_dealt_the_same_cards():
    for rules in FOUR_GAMES:
        order = [kind for kind, num in COPIES_OF.items() for _ in range(num)]
        Random(4).shuffle(order)
        table = Table(rules, order=order, dealer=0)
        turned = Table(rules, order=order, dealer=1)
        assert turned.position() == _rotated(table.position(), rules)


def _rotated(position, rules):
    """The same position, every seat one further on."""
    rotated = dict(position)
    for key in (
        "hands",
        "asked",
        "melded",
        "discarded",
        "known",
        "piles_taken",
        "scores",
        "melds",
        "threes",
        "opened",
    ):
        rotated[key] = position[key][-1:] + position[key][:-1]
    for key in ("dealer", "to_play", "went_out"):
        if position[key] is not None:
            rotated[key] = (position[key] + 1) % rules.players
    return rotated


def _without_seat(view):
    view["seat"] = 0  # the only absolute number in it
    return view.tobytes()
