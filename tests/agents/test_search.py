"""The searching player: what it may know, what it is told, and that it finds what its base player misses."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from canasta_agents.config_checks import ConfigError
from canasta_agents.registry import RegistryError, files_of, fingerprint, make
from canasta_agents.search import agent as search_agent
from canasta_agents.search.agent import SearchAgent
from canasta_agents.search.evaluation import choose
from canasta_agents.search.kernels import find_distinct
from canasta_agents.search.options import SearchOptions, parse_search
from canasta_agents.search.rollouts import RolloutPlayer
from canasta_env import Table, classic
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.engine import batch as engine
from canasta_env.engine.state import allocate, rules_record
from canasta_env.engine.view import VIEW
from tests.agents.deciding import GAMES, decide, walk
from tests.engine.test_hidden_information import reshuffled
from tests.engine.walking import random_position
from tests.rules import positions

POLICIES = {
    "classic-2": "neural:classic_2",
    "classic-3": "neural:classic_3",
    "classic-4": "neural:classic_4",
    "modern": "neural:modern_american",
}
# Every game with its policy and with its strongest rule-based player.
SEARCHES = [(game, spec) for game, policy in POLICIES.items() for spec in (policy, "heuristic")]


@pytest.fixture(autouse=True)
def _policies_need_pytorch(request):
    spec = request.node.callspec.params.get("spec", "") if hasattr(request.node, "callspec") else ""
    if "neural" in spec:
        pytest.importorskip("torch", reason="neural agents need PyTorch (extra `train`)")


class Unwilling:
    """Plays the legal action with the highest number: it discards rather than melds."""

    name = "unwilling"

    def __init__(self):
        self.asked = []  # how many decisions at once

    def reset(self, num_tables, seed):
        pass

    def act(self, batch):
        self.asked.append(len(batch))
        return NUM_ACTIONS - 1 - np.argmax(batch.masks[:, ::-1], axis=1)


class Judging(Unwilling):
    """Finds all actions equally likely, and values the cards that its side has melded."""

    name = "judging"
    value_unit = "points"

    def judge(self, batch):
        melded = sum(batch.views[part][:, 0].sum(axis=1) for part in ("naturals", "twos", "jokers"))
        probabilities = batch.masks / batch.masks.sum(axis=1, keepdims=True)
        return probabilities.astype(np.float32), 100.0 * melded.astype(np.float32)


class Remembering(Unwilling):
    def begin_deals(self, tables, are_first):
        pass


class Faulty(Judging):
    """Answers or thinks what no player may: in its own decisions, or only when it plays rollouts."""

    def __init__(self, answer=None, probabilities=None, values=None):
        super().__init__()
        self.answer, self.probabilities, self.values = answer, probabilities, values

    def act(self, batch):
        actions = super().act(batch)
        return actions if self.answer is None else self.answer(actions, batch)

    def judge(self, batch):
        probabilities, values = super().judge(batch)
        if self.probabilities is not None:
            probabilities = self.probabilities(probabilities)
        return probabilities, values if self.values is None else self.values(values)


def raises(*_):
    raise KeyError("lost")


def writes_its_masks(actions, batch):
    batch.masks[:] = 1
    return np.zeros_like(actions)


FAULTS = {
    "an illegal action": (lambda actions, batch: np.argmin(batch.masks, axis=1), "is not legal in seat"),
    "no action": (lambda actions, batch: actions + 1_000_000, "is not legal in seat"),
    "a negative number": (lambda actions, batch: actions - 1_000, "is not legal in seat"),
    "floats": (lambda actions, batch: actions.astype(np.float64), "actions: float64"),
    "not a number": (lambda actions, batch: actions * np.nan, "actions: float64"),
    "booleans": (lambda actions, batch: actions > 0, "actions: bool"),
    "too few": (lambda actions, batch: actions[:-1], r"actions: int64\("),
    "a column": (lambda actions, batch: actions[:, None], r"actions: int64\("),
    "nothing": (lambda actions, batch: None, "actions: object"),
    "masks written over": (writes_its_masks, "is not legal in seat"),
}


@pytest.mark.parametrize("fault", FAULTS)
@pytest.mark.parametrize("only_in_rollouts", [False, True])
def test_what_a_base_player_must_not_answer_is_a_clear_error(fault, only_in_rollouts):
    """Kernels played what it said: floats were cut, and an illegal action was played at the tables tried."""
    answer, says = FAULTS[fault]
    tables = choices(classic(2), 6)

    def answers(actions, batch):
        is_own = len(batch) == len(tables) and (batch.tables == np.arange(len(tables))).all()
        return actions if is_own and only_in_rollouts else answer(actions, batch)

    agent = SearchAgent(Faulty(answers), classic(2), SearchOptions(worlds=4))
    agent.reset(len(tables), 1)
    with pytest.raises(ConfigError, match=rf"judging: .*{says}"):
        agent.act(asked_at(tables))


@pytest.mark.parametrize(
    ("faulty", "says"),
    [
        ({"probabilities": lambda numbers: numbers * np.nan}, "its probabilities must be finite"),
        ({"probabilities": lambda numbers: numbers[:, 1:]}, "its probabilities must be finite"),
        ({"values": lambda numbers: numbers * np.inf}, r"its values must be finite numbers of \(\d+,\)"),
        ({"values": lambda numbers: numbers[:, None]}, "its values must be finite"),
    ],
)
def test_what_a_base_player_must_not_think_is_a_clear_error(faulty, says):
    tables = choices(classic(2), 6)
    agent = SearchAgent(Faulty(**faulty), classic(2), SearchOptions(worlds=4))
    with pytest.raises(ConfigError, match=says):
        agent.act(asked_at(tables))


def test_what_a_base_player_raises_is_raised():
    with pytest.raises(KeyError, match="lost"):
        SearchAgent(Faulty(raises), classic(2)).act(asked_at(choices(classic(2), 2)))


def asked_at(tables: list[Table]) -> DecisionBatch:
    """The decisions of the seats to move at some tables of one game."""
    return DecisionBatch(
        rules=tables[0].rules,
        tables=np.arange(len(tables)),
        seats=np.array([table.to_play for table in tables], np.int8),
        views=np.concatenate([table.view(table.to_play) for table in tables]),
        masks=np.stack([table.action_mask() for table in tables]),
    )


def choices(rules, num):
    """Random positions at which there is a choice."""
    found = (random_position(rules, seed) for seed in range(10 * num))
    return [table for table in found if len(table.legal()) > 1][:num]


def told_apart_by_nobody(rules, rng):
    """Pairs of tables at which the seat to move has a choice and sees the same, with other hidden cards."""
    pairs = [(table, reshuffled(table, table.to_play, rng)) for table in choices(rules, 12)]
    pairs = [(one, other) for one, other in pairs if other and one.position() != other.position()]
    assert len(pairs) >= 8  # the test is no empty one
    return pairs


@pytest.mark.parametrize(("game", "spec"), SEARCHES)
def test_hidden_cards_do_not_reach_the_choice(game, spec):
    rules, rng = GAMES[game], Random(3)
    pairs = told_apart_by_nobody(rules, rng)
    agent = make(f"search:{spec}?worlds=6&gate=0", rules)
    chosen = []
    for tables in zip(*pairs, strict=True):
        agent.reset(len(tables), 5)
        chosen.append(agent.act(asked_at(list(tables))).tobytes())
    assert chosen[0] == chosen[1]


@pytest.mark.parametrize(("game", "spec"), SEARCHES)
def test_whole_deals_are_played_legally_and_the_same_again_by_the_same_seed(game, spec):
    rules = GAMES[game]
    agent = make(f"search:{spec}?worlds=4&candidates=3", rules)
    played = []
    for seed in (1, 1, 2):
        actions = []
        for step in walk(rules, [agent], 3, seed):
            going_on = np.flatnonzero(step.seats >= 0)
            assert step.masks[going_on, step.actions[going_on]].all()
            actions.append(step.actions.tobytes())
        played.append(actions)
    assert played[0] == played[1] != played[2]


@pytest.mark.parametrize("game", GAMES)
def test_a_choice_depends_on_nothing_else_in_the_batch_and_nothing_before_it(game):
    tables = choices(GAMES[game], 8)
    agent = make("search:heuristic?worlds=6&gate=0", GAMES[game])
    agent.reset(8, 1)
    together = agent.act(asked_at(tables))
    apart = [agent.act(asked_at([table]))[0] for table in reversed(tables)]
    assert together.tolist() == apart[::-1]


def test_the_seed_matters():
    tables = choices(classic(2), 40)
    agent = make("search:heuristic?worlds=2&gate=0", classic(2))
    chosen = []
    for seed in (1, 2):
        agent.reset(len(tables), seed)
        chosen.append(agent.act(asked_at(tables)).tolist())
    assert chosen[0] != chosen[1]


@pytest.mark.parametrize(("game", "spec"), [*SEARCHES, ("classic-4", "random")])
def test_with_an_infinite_gate_it_plays_as_its_base_player(game, spec):
    rules = GAMES[game]
    base, searching = (
        [step.actions.tobytes() for step in walk(rules, [make(each, rules)], 3, seed=4)]
        for each in (spec, f"search:{spec}?gate=inf")
    )
    assert base == searching


TWO_CANASTAS = ["Q Q Q Q Q Q Q", "J J J J J J J"]


def test_it_finds_the_way_out_that_its_base_player_misses():
    """The stock is all but empty: whoever does not go out now pays for the king and gets no bonus."""
    table = positions.classic("K K", players=2, melds=[*TWO_CANASTAS, "K K K"], whole_stock="4 5")
    assert decide(Unwilling(), table) == "discard K"
    assert decide(SearchAgent(Unwilling(), table.rules), table) == "add K"
    assert {decide(make("search:random", table.rules), table) for _ in range(3)} == {"add K"}


def test_it_finds_what_its_base_player_itself_values_at_its_next_turn():
    table = positions.classic("K K 4 5", players=2, melds=[*TWO_CANASTAS, "K K K"], hands={1: "A A 7 9 8"})
    assert decide(Judging(), table) == "discard K"
    assert decide(SearchAgent(Judging(), table.rules), table) == "add K"


def test_what_looks_the_same_is_asked_once():
    """The search decides once what follows "add K", and the opponent's draw in each world is forced."""
    table = positions.classic("K K 4 5", players=2, melds=[*TWO_CANASTAS, "K K K"], hands={1: "A A 7 9 8"})
    base = Judging()
    agent = SearchAgent(base, table.rules, SearchOptions(worlds=32, candidates=2, gate=0))
    agent.act(asked_at([table]))
    assert base.asked[0] == 1  # its own action
    assert 20 < base.asked[1] <= 1 + 32  # one decision after "add K", one a world after "discard K"


def tried(agent, tables, monkeypatch):
    """What is tried out when an agent is asked about tables."""
    seen = []

    def outcomes(self, tries, to_the_end):
        seen.append(tries)
        return np.zeros(len(tries.actions))

    monkeypatch.setattr(RolloutPlayer, "outcomes", outcomes)
    actions = agent.act(asked_at(tables))
    return seen, actions


def test_all_candidates_are_tried_in_the_same_worlds_and_none_can_be_told_from_the_table(monkeypatch):
    (table,) = choices(classic(4), 1)
    agent = SearchAgent(Unwilling(), table.rules, SearchOptions(worlds=5, candidates=3))
    (tries,), _ = tried(agent, [table], monkeypatch)
    num = len(np.unique(tries.actions))
    assert num == min(3, len(table.legal())) and len(tries.actions) == num * 5
    worlds = np.asarray(tries.tables).reshape(num, 5)
    assert (worlds == worlds[0]).all() and (tries.seeds.reshape(num, 5) == tries.seeds[:5]).all()
    assert len(np.unique(worlds[0]["stock"], axis=0)) == 5
    views = allocate(1, VIEW)
    for world in range(5):
        engine.view_one(rules_record(table.rules), tries.tables, world, table.to_play, views, 0)
        assert views.tobytes() == table.view(table.to_play).tobytes()


def test_the_clock_ends_a_search(monkeypatch):
    clock = iter(range(100))
    monkeypatch.setattr(search_agent.time, "monotonic", lambda: float(next(clock)))
    (table,) = choices(classic(4), 1)
    agent = SearchAgent(Unwilling(), table.rules, SearchOptions(time=2.5))
    seen, _ = tried(agent, [table], monkeypatch)
    assert len(seen) == 3  # at 0, 1 and 2 seconds
    assert len({tries.tables["stock"].tobytes() for tries in seen}) == 3


def test_the_floor_leaves_out_what_a_policy_hardly_plays(monkeypatch):
    class Sure(Judging):
        def judge(self, batch):
            _, values = super().judge(batch)
            return np.where(np.arange(NUM_ACTIONS) == self.act(batch)[:, None], 0.97, 0.03 / 40), values

    (table,) = choices(classic(4), 1)
    for floor, num_searches in ((0.02, 0), (0.0, 1)):
        agent = SearchAgent(Sure(), table.rules, SearchOptions(worlds=2, floor=floor))
        seen, actions = tried(agent, [table], monkeypatch)
        assert len(seen) == num_searches and actions == Unwilling().act(asked_at([table]))


@pytest.mark.parametrize(("gate", "chosen"), [(0.0, [7, 3]), (0.9, [7, 3]), (1.0, [5, 3]), (9.0, [5, 3])])
def test_a_candidate_is_played_where_its_lead_in_the_same_worlds_passes_the_gate(gate, chosen):
    """Action 7 leads 5 by 1, 2, 3 and −2: a mean of 1 with a standard error of 1.08. 6 is behind, 4 level."""
    worlds = [[0, 100, 200, 300], [-9, 90, 190, 290], [1, 102, 203, 298], [5, 5, 5, 5], [5, 5, 5, 5]]
    row, actions = np.array([0, 0, 0, 1, 1]), np.array([5, 6, 7, 3, 4])
    assert choose(row, actions, np.array(worlds, float), gate).tolist() == chosen


@pytest.mark.parametrize(
    ("unit", "has_values", "to_the_end"),
    [("points", True, False), ("points", False, True), ("percent of a match", True, True)],
)
def test_rollouts_end_with_the_deal_where_no_value_in_points_is_to_be_had(
    monkeypatch, unit, has_values, to_the_end
):
    class Other(Judging):
        value_unit = unit

        def judge(self, batch):
            probabilities, values = super().judge(batch)
            return probabilities, values if has_values else None

    ends = []
    monkeypatch.setattr(
        RolloutPlayer, "outcomes", lambda self, tries, end: ends.append(end) or np.zeros(len(tries.actions))
    )
    (table,) = choices(classic(4), 1)
    SearchAgent(Other(), table.rules).act(asked_at([table]))
    assert ends == [to_the_end]


def test_equal_rows_are_found():
    rng = np.random.default_rng(0)
    words = rng.integers(0, 3, (500, 3)).astype(np.uint64)
    group, first = np.empty(500, np.int64), np.empty(500, np.int64)
    num = find_distinct(words, group, first)
    assert num == len(np.unique(words, axis=0))
    assert (words[first[:num]][group] == words).all()
    assert find_distinct(words[:0], group[:0], first[:0]) == 0


def test_options_are_read():
    assert parse_search("search:neural:classic_2") == ("neural:classic_2", SearchOptions())
    base, options = parse_search("search:watcher?worlds=32&candidates=3&time=0.5&gate=1&floor=0")
    assert (base, options) == ("watcher", SearchOptions(32, 3, 0.5, 1.0, 0.0))
    assert [
        SearchOptions(**told).most_worlds for told in ({}, {"time": 1.0}, {"worlds": 9, "time": 1.0})
    ] == [
        16,
        4_096,
        9,
    ]


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (
            "depth=3",
            "unknown option 'depth'; the options of a search are worlds, candidates, time, gate, floor",
        ),
        ("", "unknown option ''"),
        ("worlds", "worlds: '' must be a whole number"),
        ("worlds=many", "worlds: 'many' must be a whole number"),
        ("worlds=1", "worlds: 1 must be from 2 to 4096"),
        ("worlds=4097", "worlds: 4097 must be from 2 to 4096"),
        ("candidates=1", "candidates: 1 must be at least 2"),
        ("candidates=2.5", "candidates: '2.5' must be a whole number"),
        ("time=0", "time: 0.0 must be seconds above 0"),
        ("time=nan", "time: nan must be seconds above 0"),
        ("gate=-1", "gate: -1.0 must be at least 0"),
        ("floor=2", "floor: 2.0 must be from 0 to 1"),
        ("floor=x", "floor: 'x' must be a number"),
        ("worlds=4&worlds=5", "worlds: is told twice"),
    ],
)
def test_an_option_that_cannot_be_is_refused_by_name(options, says):
    with pytest.raises(RegistryError, match=rf"'search:watcher\?.*{says}"):
        make(f"search:watcher?{options}", classic())
    with pytest.raises(ConfigError, match=says):
        parse_search(f"search:watcher?{options}")


@pytest.mark.parametrize(
    "base", ["", "python:tests.agents.test_registry:Drawing", "file:x.py:X", "search:closer"]
)
def test_a_base_player_that_cannot_search_is_refused(base):
    with pytest.raises(RegistryError, match="cannot search: it must be a rule-based player, neural:PATH or"):
        make(f"search:{base}", classic())


def test_an_unknown_base_player_is_an_error_that_lists_the_known_ones():
    with pytest.raises(RegistryError, match=r"no agent 'nobody' for classic; .*search:AGENT"):
        make("search:nobody", classic())


def test_a_base_player_with_a_memory_is_refused():
    with pytest.raises(ValueError, match="search: unwilling remembers what it has seen"):
        SearchAgent(Remembering(), classic())


def test_a_search_is_known_by_its_policy_and_its_options():
    assert files_of("search:neural:classic_2?worlds=8") == files_of("neural:classic_2")
    assert files_of("search:watcher") == {}
    specs = ("neural:classic_2", "search:neural:classic_2", "search:neural:classic_2?worlds=8")
    assert len({fingerprint(spec) for spec in specs}) == 3


def test_its_name_is_its_spec():
    spec = "search:watcher?worlds=8&candidates=3"
    assert make(spec, classic()).name == spec
    assert SearchAgent(make("watcher", classic()), classic()).name == "search:watcher"
