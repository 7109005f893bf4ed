"""The AEC environment: turns, rewards, endings, seeds, copies, and what it refuses."""

from __future__ import annotations

import copy
import dataclasses
import pickle
from itertools import pairwise
from random import Random
from typing import Any

import numpy as np
import pettingzoo
import pytest

import canasta_env
from canasta_env import IllegalActionError, Rules, Table, modern_american
from canasta_env.actions import DRAW, NOTATIONS, NUM_ACTIONS
from canasta_env.engine.layout import critic_size, observation_size
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.rules import standard_rules
from tests.engine.walking import house_rules
from tests.env.environments import GAMES, IDS, fresh, legal, needs_pettingzoo_s_make, play_on

each_game = pytest.mark.parametrize(("game", "players"), GAMES, ids=IDS)


def short_match(game: str, players: int, target: int) -> Rules:
    """Rules with which random play reaches a target in a few deals."""
    rules = standard_rules(game, players, target)
    penalties = [field.name for field in dataclasses.fields(rules) if field.name.endswith("_penalty")]
    return dataclasses.replace(rules, opening_minima=((None, 15),), **dict.fromkeys(penalties, 0))


def table_of(env: Any) -> Table:
    return env.unwrapped.episode.table()


@each_game
def test_agents_act_in_the_order_of_the_table(game: str, players: int) -> None:
    env = fresh(game, players)
    assert env.possible_agents == [f"player_{seat}" for seat in range(players)]
    rng = Random(0)
    while not any(env.terminations.values()):
        assert env.agent_selection == f"player_{table_of(env).to_play}"
        env.step(rng.choice(legal(env.last()[0])))


@each_game
def test_the_mask_is_that_of_the_table_and_empty_for_the_others(game: str, players: int) -> None:
    env = fresh(game, players)
    for _ in play_on(env, Random(1), 80):
        if any(env.terminations.values()):
            break
        for agent in env.agents:
            mask = env.observe(agent)["action_mask"]
            assert mask.dtype == np.int8
            expected = table_of(env).action_mask() if agent == env.agent_selection else np.zeros(NUM_ACTIONS)
            assert (mask == expected).all()


@each_game
def test_observations_are_float32_zeros_and_ones_of_the_documented_size(game: str, players: int) -> None:
    env = fresh(game, players)
    observation = env.last()[0]["observation"]
    assert observation.dtype == np.float32
    assert observation.shape == (observation_size(env.rules),)
    assert set(np.unique(observation)) == {0.0, 1.0}
    state = env.state()
    assert state.shape == (critic_size(env.rules),)
    assert (state[: observation.size] == observation).all()


@each_game
def test_an_observation_does_not_depend_on_hidden_cards(game: str, players: int) -> None:
    env = fresh(game, players)
    before = env.last()[0]["observation"]
    stock = env.episode._state["stock"][0]
    start = env.episode._state["next_card"][0]
    stock[start:] = np.sort(stock[start:])
    assert (env.observe(env.agent_selection)["observation"] == before).all()


@each_game
def test_arrays_are_new_on_each_call(game: str, players: int) -> None:
    env = fresh(game, players)
    first = env.last()[0]
    kept = copy.deepcopy(first)
    for array in env.observe(env.agent_selection).values():
        array[:] = 7  # what a caller does to its arrays is no concern of the environment
    second = env.last()[0]
    env.step(DRAW)
    env.last()
    for key in ("observation", "action_mask"):
        assert (first[key] == kept[key]).all()
        assert (second[key] == kept[key]).all()
    assert env.state() is not env.state()


@each_game
def test_spaces_are_the_same_objects_on_each_call(game: str, players: int) -> None:
    env = fresh(game, players)
    for agent in env.possible_agents:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)
        assert env.observation_space(agent).contains(env.observe(agent))
    assert len({id(env.action_space(agent)) for agent in env.possible_agents}) == players
    assert env.state_space.contains(env.state())


@each_game
def test_a_deal_ends_with_the_points_of_the_own_side_minus_the_mean_of_the_others(
    game: str, players: int
) -> None:
    env = fresh(game, players)
    for _ in play_on(env, Random(2)):
        if any(env.terminations.values()):
            break
        assert set(env.rewards.values()) == {0.0}
        assert not any(env.infos.values())
    points = [score.total for score in table_of(env).score()]
    sides = len(points)
    expected = [own - (sum(points) - own) / (sides - 1) for own in points]
    assert env.rewards == {f"player_{seat}": expected[seat % sides] for seat in range(players)}
    assert sum(expected) == 0
    assert all(type(flag) is bool for flag in [*env.terminations.values(), *env.truncations.values()])
    assert all(env.terminations.values()) and not any(env.truncations.values())
    assert env.infos["player_0"] == {"points": tuple(points), "scores": tuple(points)}
    for agent in list(env.agents):
        assert env.last()[1] == expected[int(agent[-1]) % sides]
        env.step(None)
    assert not env.agents


def test_rewards_last_one_step_and_add_up_until_the_agent_acts() -> None:
    env = fresh("classic", 2, episode="match")
    rng = Random(3)
    owed = dict.fromkeys(env.agents, 0.0)
    deals = 0
    for agent, _ in _while_alive(env, rng):
        owed[agent] = 0.0
        for other in env.agents:
            owed[other] += env.rewards[other]
            assert env._cumulative_rewards[other] == owed[other]
        deals += any(env.rewards.values())
    assert deals > 1


def _while_alive(env: Any, rng: Random) -> Any:
    for agent, action in play_on(env, rng):
        if action is None:
            return
        yield agent, action


@each_game
def test_a_match_is_played_to_its_target(game: str, players: int) -> None:
    env = canasta_env.raw_env(rules=short_match(game, players, 500), episode="match")
    env.reset(seed=4)
    totals = [0] * env.rules.num_sides
    for _ in _while_alive(env, Random(4)):
        info = env.infos["player_0"]
        if info:
            totals = [total + points for total, points in zip(totals, info["points"], strict=True)]
            assert info["scores"] == tuple(totals)
            best = max(totals)
            assert all(env.terminations.values()) == (best >= 500 and totals.count(best) == 1)


@each_game
def test_a_match_won_gives_one_to_the_winner_and_minus_one_to_the_others(game: str, players: int) -> None:
    env = canasta_env.raw_env(rules=short_match(game, players, 300), episode="match", reward="win")
    env.reset(seed=5)
    for _ in play_on(env, Random(5)):
        if any(env.terminations.values()):
            break
        assert set(env.rewards.values()) == {0.0}
    scores = env.infos["player_0"]["scores"]
    winner = scores.index(max(scores))
    assert env.rewards == {
        agent: 1.0 if seat % len(scores) == winner else -1.0 for seat, agent in enumerate(env.possible_agents)
    }


def test_a_deal_won_gives_one_and_minus_one() -> None:
    env = fresh("classic", 3, reward="win")
    for _ in _while_alive(env, Random(6)):
        if any(env.terminations.values()):
            points = env.infos["player_0"]["points"]
            assert env.rewards == {
                f"player_{seat}": 1.0 if points[seat] == max(points) else -1.0 for seat in range(3)
            }


@each_game
def test_the_dealer_moves_on_in_a_match(game: str, players: int) -> None:
    env = fresh(game, players, episode="match")
    dealers = [table_of(env).dealer]
    for _ in play_on(env, Random(7), 600):
        if env.infos.get("player_0"):
            dealers.append(table_of(env).dealer)
    assert len(dealers) > 2
    assert all(after == (before + 1) % players for before, after in pairwise(dealers))


@each_game
def test_a_seed_fixes_this_episode_and_all_that_follow(game: str, players: int) -> None:
    def first_hands(seed: int) -> list[list[dict[str, int]]]:
        env = fresh(game, players, seed=seed)
        hands = []
        for _ in range(4):
            hands.append([table_of(env).hand(seat) for seat in range(players)])
            env.reset()
        return hands

    assert first_hands(11) == first_hands(11)
    one, other = first_hands(11), first_hands(12)
    assert all(a != b for a, b in zip(one, other, strict=True))
    assert len({str(hands) for hands in one}) == 4


def test_a_match_has_other_cards_in_every_deal_and_the_same_with_the_same_seed() -> None:
    def orders(seed: int) -> list[list[str]]:
        env = fresh("classic", 2, seed=seed, episode="match")
        found = [table_of(env).order]
        for _ in play_on(env, Random(8), 400):
            if env.infos.get("player_0") and not any(env.terminations.values()):
                found.append(table_of(env).order)
        return found

    assert orders(1) == orders(1)
    assert len({str(order) for order in orders(1) + orders(2)}) == len(orders(1)) + len(orders(2))


def test_a_seed_deals_as_a_table_of_that_seed() -> None:
    env = fresh("modern_american", 4, seed=7)
    assert table_of(env).position() == Table(modern_american(), seed=7).position()


def test_environments_without_a_seed_differ() -> None:
    envs = [canasta_env.raw_env() for _ in range(2)]
    for env in envs:
        env.reset()
    assert table_of(envs[0]).order != table_of(envs[1]).order


@pytest.mark.parametrize("seed", [-1, 2**64, 1.5, "7"])
def test_a_seed_that_is_none_is_refused(seed: Any) -> None:
    with pytest.raises(ValueError, match="seed: "):
        canasta_env.raw_env().reset(seed=seed)


def test_numpy_seeds_and_unknown_options_are_taken() -> None:
    env = canasta_env.env()
    env.reset(seed=np.int64(5), options={"unknown": 1})
    assert table_of(env).seed == 5


@pytest.mark.parametrize("make", [canasta_env.env, canasta_env.raw_env])
@pytest.mark.parametrize("clone", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_a_copy_in_mid_game_goes_its_own_way(make: Any, clone: Any) -> None:
    env = make("classic", 3, episode="match")
    env.reset(seed=9)
    for _ in play_on(env, Random(9), 101):
        pass
    twin = clone(env)
    before = table_of(twin).position()
    one = [(agent, action, env.rewards.copy()) for agent, action in play_on(env, Random(10), 300)]
    assert table_of(twin).position() == before
    other = [(agent, action, twin.rewards.copy()) for agent, action in play_on(twin, Random(10), 300)]
    assert one == other
    assert table_of(env).position() == table_of(twin).position()
    env.reset()
    twin.reset()
    assert table_of(env).order == table_of(twin).order


def test_a_copy_samples_actions_of_its_own() -> None:
    env = fresh("classic", 2)
    env.action_space("player_0").seed(1)
    twin = copy.deepcopy(env)
    assert [env.action_space("player_0").sample() for _ in range(5)] == [
        twin.action_space("player_0").sample() for _ in range(5)
    ]


def test_an_illegal_action_raises_and_changes_nothing() -> None:
    env = fresh("classic", 4)
    before, agent = table_of(env).position(), env.agent_selection
    action = NOTATIONS.index("discard K")
    with pytest.raises(
        IllegalActionError, match=r'illegal action "discard K" for seat \d: a turn begins .*R-TURN'
    ):
        env.step(action)
    assert table_of(env).position() == before
    assert env.agent_selection == agent
    env.step(DRAW)


@pytest.mark.parametrize("action", [-1, NUM_ACTIONS, 10**30, 1.0, None, "draw", np.array([0, 1])])
@pytest.mark.parametrize("illegal", ["raise", "forfeit"])
def test_what_is_no_action_raises(action: Any, illegal: str) -> None:
    env = fresh("classic", 4, illegal=illegal)
    with pytest.raises(IllegalActionError, match="is not an action id; ids run from 0 to 95"):
        env.step(action)


@pytest.mark.parametrize("action", [np.int32(DRAW), np.int64(DRAW), np.array(DRAW), np.uint8(DRAW)])
def test_numpy_actions_are_taken(action: Any) -> None:
    env = fresh("classic", 4)
    env.step(action)
    assert table_of(env).phase != "draw"


@each_game
@pytest.mark.parametrize("reward", ["points", "win"])
def test_an_illegal_action_can_forfeit_the_deal_for_the_whole_side(
    game: str, players: int, reward: str
) -> None:
    env = fresh(game, players, illegal="forfeit", reward=reward)
    loser = int(env.agent_selection[-1]) % env.rules.num_sides
    env.step(NOTATIONS.index("discard K"))
    assert all(env.terminations.values())
    lost = FORFEIT_POINTS[env.rules.game] if reward == "points" else 1
    for agent, got in env.rewards.items():
        if int(agent[-1]) % env.rules.num_sides == loser:
            assert got == -lost
        else:
            assert got == (lost / (env.rules.num_sides - 1) if reward == "points" else 1)
    assert 'illegal action "discard K"' in env.infos["player_0"]["forfeit"]
    for _ in range(players):
        assert not env.last()[0]["action_mask"].any()
        env.step(None)
    assert not env.agents


@each_game
def test_a_cap_truncates_and_nothing_else_does(game: str, players: int) -> None:
    env = fresh(game, players, max_cycles=10)
    rng = Random(1)
    for step in range(1, 11):
        env.step(rng.choice(legal(env.last()[0])))
        assert all(env.truncations.values()) == (step == 10)
    assert not any(env.terminations.values())
    assert set(env.rewards.values()) == {0.0}
    for _ in range(players):
        env.step(None)
    env.reset()
    assert not any(env.truncations.values())


def test_a_dead_agent_has_no_action() -> None:
    env = fresh("classic", 4, max_cycles=1)
    env.step(DRAW)
    with pytest.raises(ValueError, match="only valid action is None"):
        env.step(DRAW)


def test_no_mask_in_the_infos() -> None:
    env = fresh("classic", 2)
    for _ in play_on(env, Random(1)):
        assert all("action_mask" not in info for info in env.infos.values())


@pytest.mark.parametrize(
    ("options", "minimum"), [({"scores": [3_000, 0]}, (120, 50)), ({}, (50, 50))], ids=["given", "zero"]
)
def test_deals_begin_at_the_given_scores(options: dict[str, Any], minimum: tuple[int, int]) -> None:
    env = fresh("classic", 4, **options)
    for _ in range(2):
        view = table_of(env).view(0)[0]
        assert tuple(view["minimum"][:2]) == minimum
        env.reset()


def test_drawn_scores_visit_every_minimum() -> None:
    env = canasta_env.raw_env(scores="drawn")
    minima = set()
    for seed in range(40):
        env.reset(seed=seed)
        minima |= set(table_of(env).view(0)[0]["minimum"][:2].tolist())
        assert max(table_of(env).scores) < env.rules.target
    assert minima == {125, 155, 180}


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"game": "rummy"}, "game: 'rummy'"),
        ({"game": "modern_american", "players": 3}, "players: 3"),
        ({"episode": "hand"}, "episode: 'hand'"),
        ({"reward": "score"}, "reward: 'score'"),
        ({"illegal": "ignore"}, "illegal: 'ignore'"),
        ({"scores": "random"}, "scores: 'random'"),
        ({"scores": [0]}, r"scores: \[0\]"),
        ({"scores": "drawn", "episode": "match"}, "scores: 'drawn' does not go with"),
        ({"max_cycles": 0}, "max_cycles: 0"),
        ({"render_mode": "rgb"}, "render_mode: 'rgb'"),
        ({"rules": "classic"}, "rules: 'classic'"),
        ({"rules": modern_american(), "game": "classic"}, "game: 'classic'"),
        ({"rules": modern_american(), "players": 2}, "players: 2"),
    ],
)
def test_arguments_are_checked(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        canasta_env.env(**options)


@pytest.mark.parametrize("seed", range(4))
def test_house_rules_are_played(seed: int) -> None:
    rules = house_rules(seed)
    env = canasta_env.raw_env(rules=rules)
    env.reset(seed=seed)
    for _ in play_on(env, Random(seed)):
        pass
    assert table_of(env).is_over


def test_the_wrapped_environment_refuses_calls_in_the_wrong_order() -> None:
    env = canasta_env.env()
    with pytest.raises(AttributeError, match="before reset"):
        _ = env.agent_selection
    with pytest.raises(AssertionError, match="reset"):
        env.step(DRAW)


@needs_pettingzoo_s_make
@pytest.mark.parametrize("name", ["ModernAmerican", "Classic"])
@pytest.mark.parametrize("kind", ["aec", "parallel"])
def test_registered_names(kind: Any, name: str) -> None:
    env = pettingzoo.make(kind, f"canasta/{name}-v1", max_cycles=5)
    env.reset(seed=1)
    assert env.unwrapped.rules.game == ("classic" if name == "Classic" else "modern_american")
    assert env.unwrapped.episode.max_cycles == 5


def test_rendering(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"):
        monkeypatch.delenv(name, raising=False)
    env = fresh("classic", 4, render_mode="ansi")
    assert env.render() == str(table_of(env))
    env = fresh("classic", 4, render_mode="human")
    assert env.render() is None
    assert capsys.readouterr().out == f"{table_of(env)}\n" * 2  # after the reset, and when asked
    assert fresh("classic", 4).render() is None
    env.close()
