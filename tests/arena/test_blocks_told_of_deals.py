"""Agents with a memory are told when deals begin in tournaments."""

from __future__ import annotations

import pytest

from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.schedule import matchup
from canasta_agents.arena.third_party import EntrantProcess, ThirdPartyAgent
from canasta_env.rules import classic
from tests.arena import stubs
from tests.card_counter import MatchCardCounter

RULES = classic(4, target=1_500)


def play(episode: str, agent: object) -> BlockResult:
    block = Block(RULES, matchup(RULES, (0,), (1,)), 0, 3, episode=episode, decision_time_s=5.0)
    return play_block(block, [Player(agent), Player(stubs.Laying())])


@pytest.mark.parametrize("episode", ["deal", "match"])
def test_a_card_counter_counts_whole_deals_in_a_block(episode):
    counter = MatchCardCounter()
    played = play(episode, counter)
    assert played.faults == []
    assert counter.resets == 1
    assert counter.tables_told == counter.tables_asked == set(range(6))
    assert sum(counter.told) == len(played.outcomes) == played.deals.sum()
    assert (sum(counter.told) > 6) == (episode == "match")


@pytest.mark.parametrize("name", ["MatchCardCounter", "Untold"])
def test_a_card_counter_in_a_process_of_its_own_is_told_too(name):
    process = EntrantProcess()
    try:
        process.make(f"python:tests.{'card_counter' if name != 'Untold' else 'arena.stubs'}:{name}", RULES)
        assert process.has_memory
        faults = play("match", ThirdPartyAgent(process, name)).faults
    finally:
        process.end()
    assert [fault.board for fault in faults] == ([] if name != "Untold" else [0, 1, 2])
    assert all("begin_deals: RuntimeError: I will not hear it" in fault.reason for fault in faults)


def test_who_fails_when_a_deal_begins_forfeits_its_boards():
    played = play("match", stubs.Untold())
    assert [fault.slot for fault in played.faults] == [0, 0, 0]
    assert "begin_deals: RuntimeError: I will not hear it" in played.faults[0].reason
