"""Games and states with OpenSpiel's names do what OpenSpiel asks of a Python game; no OpenSpiel is needed."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from random import Random

import numpy as np
import pytest

from canasta_env import IllegalActionError, Rules, Table, classic
from canasta_env.cards import COPIES, KINDS, NUM_CARDS
from canasta_env.openspiel import CHANCE, TERMINAL, CanastaGame, CanastaState, register
from tests.engine.test_hidden_information import reshuffled
from tests.engine.walking import FOUR_GAMES, NAMES

each_game = pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)


def dealt(rules: Rules, seed: int = 1) -> CanastaState:
    return CanastaGame(rules=rules).deal(np.random.default_rng(seed))


def played(rules: Rules, seed: int) -> Iterator[CanastaState]:
    """Every state of a random deal, the dealt one first, the last one over; each is the same object."""
    state, rng = dealt(rules, seed), Random(seed)
    yield state
    while not state.is_terminal():
        state.apply_action(rng.choice(state.legal_actions()))
        yield state


def at_decision(rules: Rules, number: int, seed: int = 3) -> CanastaState:
    return next(state for done, state in enumerate(played(rules, seed)) if done == number)


@each_game
def test_a_deal_from_the_shuffle_to_its_end_keeps_what_open_spiel_checks(rules: Rules) -> None:
    game, rng = CanastaGame(rules=rules), Random(1)
    state = game.new_initial_state()
    next_round_trip = 1
    while not state.is_terminal():
        legal = state.legal_actions()
        assert legal and legal == sorted(legal)
        assert [action for action, is_legal in enumerate(state.legal_actions_mask()) if is_legal] == legal
        assert state.legal_actions(1 if state.current_player() == 0 else 0) == []
        assert state.returns() == state.rewards() == [0.0] * rules.players
        for action in legal:
            assert state.string_to_action(state.action_to_string(action)) == action
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            assert list(outcomes) == legal and sum(chances) == pytest.approx(1.0)
            assert len(outcomes) <= game.max_chance_outcomes()
        if state.move_number() >= next_round_trip:
            next_round_trip *= 2
            back = game.deserialize_state(state.serialize())
            assert (str(back), back.full_history()) == (str(state), state.full_history())
        action = rng.choice(legal)
        twin = state.clone()
        after = state.child(action)
        assert (str(twin), twin.history()) == (str(state), state.history())
        state.apply_action(action)
        assert (str(after), after.history()) == (str(state), state.history())
        assert twin.move_number() == state.move_number() - 1
    num_chance = [player for player, _ in state.full_history()].count(CHANCE)
    assert num_chance == game.max_chance_nodes_in_history() == 1 + NUM_CARDS
    assert state.move_number() - num_chance <= game.max_game_length()
    assert state.current_player() == TERMINAL and state.legal_actions() == []
    assert sum(state.returns()) == pytest.approx(game.utility_sum())
    assert all(game.min_utility() < points < game.max_utility() for points in state.returns())


@each_game
def test_chance_deals_what_a_table_deals_with_that_dealer_and_order(rules: Rules) -> None:
    state = dealt(rules)
    dealer, *order = state.history()
    table = Table(rules, 0, order=[KINDS[kind] for kind in order], dealer=dealer)
    assert state.table.position() == table.position()
    assert np.bincount(order).tolist() == list(COPIES)


def test_chance_gives_each_dealer_and_each_card_its_frequency() -> None:
    state = CanastaGame("classic", 3).new_initial_state()
    assert state.chance_outcomes() == [(seat, 1 / 3) for seat in range(3)]
    state.apply_action(2)
    assert state.chance_outcomes()[0] == (KINDS.index("joker"), 4 / 108)
    for _ in range(4):
        state.apply_action(KINDS.index("joker"))
    assert state.chance_outcomes()[0] == (KINDS.index("2"), 8 / 104)


@each_game
def test_returns_are_the_points_of_the_own_side_minus_the_mean_of_the_others(rules: Rules) -> None:
    *_, state = played(rules, 5)
    totals = [score.total for score in state.table.score()]
    for seat, points in enumerate(state.returns()):
        own = totals[rules.side_of(seat)]
        assert points == own - (sum(totals) - own) / (rules.num_sides - 1)
        assert state.player_return(seat) == state.player_reward(seat) == points


@each_game
def test_hidden_cards_reach_neither_strings_nor_tensors(rules: Rules) -> None:
    rng, num_compared = Random(1), 0
    for state in played(rules, 2):
        seat = rng.randrange(rules.players)
        table = reshuffled(state.table, seat, rng) if rng.random() < 0.3 else None
        if table is None or table.position() == state.table.position():
            continue
        other = state.clone()
        other._table = table
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert other.observation_string(seat) == state.observation_string(seat)
        assert (other.information_state_tensor(seat) == state.information_state_tensor(seat)).all()
        assert (other.observation_tensor(seat) == state.observation_tensor(seat)).all()
        assert any(
            other.information_state_string(each) != state.information_state_string(each)
            for each in range(rules.players)
        )
        num_compared += 1
    assert num_compared > 10


@each_game
def test_an_information_state_tells_the_draws_of_its_own_seat_only(rules: Rules) -> None:
    *_, state = played(rules, 4)
    for seat in range(rules.players):
        first, *lines = state.information_state_string(seat).split("\n")[:-1]
        deal, events = json.loads(first), [json.loads(line) for line in lines]
        assert len(deal["hand"]) == deal["hand_sizes"][seat] and "hands" not in deal
        assert {event["seat"] for event in events if "drawn" in event} == {seat}
        assert [state.string_to_action(0, event["action"]) for event in events] == state.history()[109:]


@each_game
def test_two_ways_to_one_view_are_two_information_states(rules: Rules) -> None:
    twin = at_decision(rules, 30)
    other = twin.clone()
    other._seen._lines[0][-1] = "something else"
    assert other.observation_string(0) == twin.observation_string(0)
    assert other.information_state_string(0) != twin.information_state_string(0)


@each_game
def test_resampling_keeps_the_seat_s_information_state_and_deals_the_rest_anew(rules: Rules) -> None:
    rng, num_other_cards = np.random.default_rng(1), 0
    for state in played(rules, 6):
        if rng.random() > 0.15 or state.is_terminal():
            continue
        seat = state.current_player()
        other = state.resample_from_infostate(seat, rng.random)
        assert other.information_state_string(seat) == state.information_state_string(seat)
        assert (other.information_state_tensor(seat) == state.information_state_tensor(seat)).all()
        assert other.legal_actions() == state.legal_actions()
        assert other.history() == []
        num_other_cards += other.table.hand((seat + 1) % rules.players) != state.table.hand(
            (seat + 1) % rules.players
        )
        again = CanastaGame(rules=rules).deserialize_state(other.serialize())
        assert again.information_state_string(seat) == state.information_state_string(seat)
        while not other.is_terminal():
            other.apply_action(int(rng.choice(other.legal_actions())))
    assert num_other_cards > 5


def test_a_resampled_state_does_not_tell_what_the_others_really_drew() -> None:
    state = at_decision(classic(2), 40)
    other = state.resample_from_infostate(0, np.random.default_rng(1).random)
    *lines, _ = other.information_state_string(1).split("\n")
    assert not any("drawn" in json.loads(line) or "hand" in json.loads(line) for line in lines)
    before = len(lines)
    while other.current_player() != 1 or other.action_to_string(other.legal_actions()[0]) != "draw":
        other.apply_action(other.legal_actions()[0])
    other.apply_action(other.legal_actions()[0])
    assert any("drawn" in line for line in other.information_state_string(1).split("\n")[before:])


def test_resampling_in_mid_shuffle_keeps_what_has_happened_and_not_the_cards() -> None:
    state = CanastaGame("classic", 2).new_initial_state()
    assert state.resample_from_infostate(0, lambda: 0.5).history() == []
    for outcome in (1, 4, 4, 4, 4, 4, 4, 4):
        state.apply_action(outcome)
    other = state.resample_from_infostate(0, lambda: 0.5)
    assert other.history()[0] == 1 and len(other.history()) == 8 and other.history() != state.history()
    assert other.information_state_string(0) == "not dealt"


def test_the_scores_set_the_minimum() -> None:
    state = CanastaGame("classic", 2, scores=[3_000, 0]).deal(np.random.default_rng(1))
    assert "minimum=120,50,0" in state.observation_string(0)
    assert state.table.scores == (3_000, 0)


def test_what_does_not_fit_is_refused_and_changes_nothing() -> None:
    state = CanastaGame("classic", 2).new_initial_state()
    with pytest.raises(ValueError, match=r"5 is no outcome of chance here; the dealers are \[0, 1\]"):
        state.apply_action(5)
    with pytest.raises(ValueError, match="table: no cards have been dealt"):
        _ = state.table
    with pytest.raises(ValueError, match="player: no seat is to move"):
        state.observation_string()
    state.shuffle(np.random.default_rng(1))
    with pytest.raises(ValueError, match="the cards have been dealt"):
        state.chance_outcomes()
    seen = state.information_state_string(0)
    with pytest.raises(IllegalActionError, match="R-TURN"):
        state.apply_action(95)
    with pytest.raises(ValueError, match="action: 96 must be"):
        state.apply_action(96)
    with pytest.raises(ValueError, match="player: 2 must be"):
        state.observation_tensor(2)
    with pytest.raises(ValueError, match="not an outcome of chance"):
        state.string_to_action(CHANCE, "draw")
    assert state.information_state_string(0) == seen
    *_, over = played(classic(2), 1)
    with pytest.raises(ValueError, match="the deal is over"):
        over.apply_action(0)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("nonsense", "is not what serialize"),
        ("[]", "must be what serialize"),
        (
            '{"game": "classic", "players": 4, "history": []}',
            r"'classic' with 4 players; this is classic with 2",
        ),
        ('{"game": "classic", "players": 2, "history": [7]}', "7 is not a player and its action"),
        ('{"game": "classic", "players": 2, "history": [[-1, 9]]}', "9 is no outcome of chance"),
        ('{"game": "classic", "players": 2, "history": [], "table": {}}', "position"),
    ],
)
def test_a_text_that_is_no_state_is_refused(text: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CanastaGame("classic", 2).deserialize_state(text)


def test_a_resampled_state_s_text_with_other_lines_is_refused() -> None:
    state = at_decision(classic(2), 10)
    saved = json.loads(state.resample_from_infostate(0, lambda: 0.5).serialize())
    for seen, message in (([], "3 lists of lines"), ([[1], [], []], "every line must be a text")):
        with pytest.raises(ValueError, match=message):
            CanastaGame("classic", 2).deserialize_state(json.dumps(saved | {"seen": seen}))
    with pytest.raises(ValueError, match="other rules"):
        CanastaGame("classic", 2, target=7_500).deserialize_state(json.dumps(saved))


def test_without_open_spiel_the_error_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "canasta_env.openspiel.pyspiel_game", raising=False)
    with pytest.raises(ImportError, match="pip install open_spiel"):
        register()
