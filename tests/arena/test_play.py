"""Blocks of boards: fair, repeatable, and not stopped by an entrant at fault."""

from __future__ import annotations

import re

import numpy as np
import pytest

from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.schedule import draw_board, matchup
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.players import PLAYERS_OF
from canasta_env import Table
from canasta_env.actions import NOTATIONS
from canasta_env.engine.scoring import TOTAL
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.rules import Rules, classic, modern_american
from tests.arena import stubs

GAMES = [classic(4), classic(3), classic(2), modern_american()]
IDS = ["classic-4", "classic-3", "classic-2", "modern"]


def block(rules: Rules, boards: tuple[int, int] = (0, 4), **settings) -> Block:
    return Block(rules, matchup(rules, (0,), (1,)), *boards, **settings)


def play(what: Block, first, second) -> BlockResult:
    return play_block(what, [Player(first), Player(second)])


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_player_against_itself_comes_out_at_zero(rules, episode):
    rules = Rules.from_dict(rules.to_dict() | {"target": 1_000})
    played = play(block(rules, (0, 3), episode=episode), stubs.Laying(), stubs.Laying())
    assert (played.points.sum(axis=1) == 0).all()
    assert (played.deal_wins.sum(axis=1) * 2 == played.deals.sum(axis=1)).all()
    if episode == "match":
        assert (played.match_wins.mean(axis=1) == 0.5).all()


@pytest.mark.parametrize("rules", GAMES, ids=IDS)
def test_every_game_can_be_played_again_at_a_table(rules):
    what = block(rules, scores="drawn", seed=7)
    played = play(what, stubs.Drawing(), stubs.Laying())
    arrangements = len(what.matchup.arrangements)
    assert len(played.outcomes) == what.num_tables
    for outcome, actions in zip(played.outcomes, played.actions, strict=True):
        board = draw_board(rules, 7, what.start + outcome["table"] // arrangements, "drawn")
        table = Table(rules, order=board.order(), dealer=board.dealer, scores=board.scores)
        for action in actions:
            table.play(NOTATIONS[action])
        assert table.is_over
        totals = [score.total for score in table.score()]
        assert totals == outcome["points"][: rules.num_sides, TOTAL].tolist()
        assert board.scores == tuple(outcome["scores"][: rules.num_sides])
        assert outcome["decisions"] == len(actions)


def test_the_seed_of_a_board_deals_its_cards_at_a_table():
    board = draw_board(classic(), 3, 5)
    by_seed = Table(classic(), seed=board.seed).position()
    by_order = Table(classic(), order=board.order(), dealer=board.dealer).position()
    assert by_seed == by_order


def test_points_are_the_teams_difference_whoever_sits_where():
    what = block(classic(4))
    played = play(what, stubs.Drawing(), stubs.Laying())
    totals = played.outcomes["points"][:, :2, TOTAL]
    difference = (totals[:, 0] - totals[:, 1]).reshape(4, 2) * [1, -1]
    assert (played.points == difference).all()
    assert (played.deal_wins == (difference > 0) + 0.5 * (difference == 0)).all()


def test_boards_do_not_depend_on_how_they_are_cut_into_blocks():
    whole = play(block(classic(), (0, 6)), stubs.Laying(), stubs.Laying())
    parts = [play(block(classic(), part), stubs.Laying(), stubs.Laying()) for part in ((0, 2), (2, 6))]
    assert (whole.points == np.concatenate([part.points for part in parts])).all()


def test_a_match_is_played_to_the_target_with_the_deal_passing_on():
    rules = classic(target=1_500)
    what = block(rules, (0, 3), episode="match")
    played = play(what, stubs.Laying(), stubs.Laying())
    for table in range(what.num_tables):
        deals = played.outcomes[played.outcomes["table"] == table]
        totals = deals["points"][:, :2, TOTAL]
        assert deals["deal"].tolist() == list(range(len(deals)))
        assert (deals["scores"][:, :2] == np.cumsum(totals, axis=0) - totals).all()
        ends = (deals["scores"][:, :2] + totals).max(axis=1)
        assert (ends[:-1] < 1_500).all()
        assert ends[-1] >= 1_500
        assert played.deals.reshape(-1)[table] == len(deals)


def test_matches_that_nobody_finishes_end_by_the_higher_score():
    what = block(modern_american(), (0, 2), episode="match")
    played = play(what, stubs.Laying(), stubs.Laying())
    assert played.deals.max() == 60
    assert (played.match_wins.mean(axis=1) == 0.5).all()


AT_FAULT = [
    (stubs.Raising, "RuntimeError: no idea"),
    (stubs.Sprawling, "an action id for each of 1 decisions is right"),
    (stubs.Cheating, 'illegal action "meld black3 black3 black3" at seat '),
]


@pytest.mark.parametrize(("faulty", "reason"), AT_FAULT)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_fault_costs_the_board_in_all_arrangements_and_no_other(faulty, reason, episode):
    what = block(classic(target=1_000), episode=episode)
    honest = play(what, stubs.Laying(), stubs.Laying())
    played = play(what, stubs.Laying(), faulty(table=5))
    (fault,) = played.faults
    assert (fault.slot, fault.board) == (1, 2)
    assert reason in fault.reason
    assert (played.points[2] == FORFEIT_POINTS["classic"]).all()
    assert (played.deals[2] == 1).all()
    assert (played.deal_wins[2] == 1).all()
    others = [0, 1, 3]
    assert (played.points[others] == honest.points[others]).all()
    assert set(played.outcomes["table"].tolist()).isdisjoint({4, 5})
    assert len(played.outcomes) == len(played.actions)
    if episode == "match":
        assert (played.match_wins[2] == 1).all()


@pytest.mark.parametrize("action", [-1, 96, 10**6])
def test_a_number_that_is_no_action_is_a_fault(action):
    cheating = stubs.Cheating(table=0)
    cheating.action = action
    played = play(block(classic(), (0, 1)), cheating, stubs.Laying())
    assert f"illegal action {action} at seat" in played.faults[0].reason
    assert (played.points == -FORFEIT_POINTS["classic"]).all()


def test_an_entrant_that_tampers_with_its_mask_is_caught():
    played = play(block(modern_american(), (0, 2)), stubs.Laying(), stubs.Tampering())
    assert [fault.board for fault in played.faults] == [0, 1]
    assert (played.points == FORFEIT_POINTS["modern_american"]).all()


@pytest.mark.parametrize("writer", [stubs.Scribbling, stubs.Panicking])
def test_what_an_entrant_writes_into_its_batch_changes_nothing(writer):
    what = block(classic(), (0, 2))
    played = play(what, writer(), stubs.Drawing())
    assert not played.faults
    assert played.actions == play(what, stubs.Laying(), stubs.Drawing()).actions


@pytest.mark.parametrize(
    ("faulty", "reason"), [(stubs.Quitting, "SystemExit: enough"), (stubs.Speechless, "SpeechlessError")]
)
def test_an_entrant_that_raises_something_odd_forfeits(faulty, reason):
    played = play(block(classic(), (0, 2)), stubs.Laying(), faulty())
    assert [fault.board for fault in played.faults] == [0, 1]
    assert re.fullmatch(rf"{reason} \(stubs.py, line \d+\)", played.faults[0].reason)


def test_ctrl_c_is_no_fault_of_an_entrant():
    with pytest.raises(KeyboardInterrupt):
        play(block(classic(), (0, 1)), stubs.Laying(), stubs.Interrupting())


def test_an_entrant_that_thinks_too_long_is_interrupted():
    player = Player(stubs.Sleeping(table=None), is_warm=True)
    what = block(classic(), (0, 2), decision_time_s=0.05)
    played = play_block(what, [player, Player(stubs.Laying())])
    assert [fault.slot for fault in played.faults] == [0, 0]
    assert "thought longer than" in played.faults[0].reason


def test_an_entrant_that_cannot_be_reset_forfeits_every_board():
    played = play(block(classic()), stubs.Unwilling(), stubs.Laying())
    assert [fault.board for fault in played.faults] == [0, 1, 2, 3]
    assert "no weights here" in played.faults[0].reason
    assert (played.points == -FORFEIT_POINTS["classic"]).all()
    assert len(played.outcomes) == 0


def test_partners_play_together_against_a_pair():
    rules = classic()
    what = Block(rules, matchup(rules, (0, 1), (2,)), 0, 3)
    played = play_block(what, [Player(stubs.Laying()), Player(stubs.Drawing()), Player(stubs.Laying())])
    assert played.points.shape == (3, 4)
    assert not played.faults


class SteppedAgent(CompiledAgent):
    """A compiled player that the arena does not know for one: asked decision by decision."""


@pytest.mark.filterwarnings("ignore:First-class function type")
@pytest.mark.parametrize("rules", GAMES, ids=IDS)
@pytest.mark.parametrize("episode", ["deal", "match"])
def test_the_fast_way_plays_the_same_games(rules, episode):
    names = ("keeper", "random") if rules.game == "modern_american" else ("gambler", "random")
    what = block(rules, (3, 6), episode=episode, seed=5)
    fast = play(what, *(CompiledAgent(PLAYERS_OF[rules.game][name], rules) for name in names))
    slow = play(what, *(SteppedAgent(PLAYERS_OF[rules.game][name], rules) for name in names))
    assert fast.actions == slow.actions
    assert (fast.outcomes == slow.outcomes).all()
    assert (fast.points == slow.points).all()
