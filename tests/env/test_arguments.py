"""Every argument of every class and function is checked, and what does not fit is refused by its name.

The cases come from the signatures: an argument that is new must be told here what fits.
"""

from __future__ import annotations

import dataclasses
import inspect
import typing
from collections.abc import Callable
from random import Random
from types import NoneType
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode

import canasta_env
from canasta_env import (
    CanastaAECEnv,
    CanastaParallelEnv,
    CanastaSeatEnv,
    CanastaSeatVectorEnv,
    Rules,
    RulesError,
    Table,
    VectorTables,
    classic,
    layout,
    modern_american,
    records,
)
from canasta_env.positions.parse import KEYS
from canasta_env.records import Record, Recorder
from canasta_env.rules import GAMES
from tests.env.odd_values import Fits, faults, listed, none_or, whole, word

MAX_SEED = 2**64 - 1
TWO_SCORES = listed(whole(-(10**9), 10**9), 2)


def nothing(value: Any) -> bool:
    """No odd value fits."""
    return False


def anything(value: Any) -> None:
    """A value may fit or not."""


def flag(value: Any) -> bool:
    return isinstance(value, (bool, np.bool_))


def option(value: Any) -> bool:
    return value is None or isinstance(value, dict)


OF_EPISODES: dict[str, Fits] = {
    "game": none_or(word(*GAMES)),
    "players": none_or(whole(4, 4)),
    "target": none_or(whole(1)),
    "episode": word("deal", "match"),
    "render_mode": none_or(word("ansi", "rgb_array", "human")),
    "rules": none_or(nothing),
    "scores": lambda value: word("zero", "drawn")(value) or TWO_SCORES(value),
    "reward": word("points", "win"),
    "illegal": word("raise", "forfeit"),
    "max_cycles": none_or(whole(1, 10**9)),
    "observation": word("dict", "flat"),
}
OF_A_SEAT: dict[str, Fits] = OF_EPISODES | {
    "opponents": lambda value: value is None or callable(value),
    "seat": whole(0, 3),
}
OF_MANY: dict[str, Fits] = OF_A_SEAT | {
    "num_envs": whole(1, 2**20),
    "autoreset_mode": lambda value: isinstance(value, AutoresetMode),
    "max_episode_steps": lambda value: value is None or whole(1, 10**9)(value) or whole(-1, -1)(value),
}
CONSTRUCTORS: dict[str, tuple[Callable[..., Any], Callable[..., Any], dict[str, Any], dict[str, Fits]]] = {
    # called, with the signature of, with these arguments besides, what fits
    "raw_env": (canasta_env.raw_env, canasta_env.raw_env, {}, OF_EPISODES),
    "env": (canasta_env.env, canasta_env.env, {}, OF_EPISODES),
    "parallel_env": (canasta_env.parallel_env, CanastaParallelEnv, {}, OF_EPISODES | {"idle_action": flag}),
    "CanastaSeatEnv": (CanastaSeatEnv, CanastaSeatEnv, {}, OF_A_SEAT),
    "CanastaSeatVectorEnv": (CanastaSeatVectorEnv, CanastaSeatVectorEnv, {}, OF_MANY),
    "VectorTables": (
        VectorTables,
        VectorTables,
        {"rules": classic(), "num_tables": 2},
        {
            "rules": nothing,
            "num_tables": whole(1, 2**20),
            "seed": whole(0, MAX_SEED),
            "episode": word("deal", "match"),
            "scores": OF_EPISODES["scores"],
            "check": flag,
            "max_cycles": none_or(whole(1, 10**9)),
        },
    ),
    "Table": (
        Table,
        Table,
        {"rules": classic()},
        {
            "rules": nothing,
            "seed": none_or(whole(0, MAX_SEED)),
            "order": none_or(nothing),
            "dealer": none_or(whole(0, 3)),
            "scores": none_or(TWO_SCORES),
        },
    ),
    "Table.from_position": (
        Table.from_position,
        Table.from_position,
        {"position": {"game": "classic", "hands": {1: "K 4"}}, "partial": True},
        {"position": nothing, "partial": lambda value: flag(value) and bool(value)},
    ),
    "Recorder": (
        Recorder,
        Recorder,
        {"rules": classic()},
        {"rules": nothing, "seed": none_or(whole(0, MAX_SEED))},
    ),
}
ARGUMENTS = [
    (name, argument)
    for name, (_, signed, *_) in CONSTRUCTORS.items()
    for argument in inspect.signature(signed).parameters
]
CALLED = {"position": ("position", "game:", "'a'", "1 is not", "hands[1]"), "partial": ("partial", "stock:")}


@pytest.mark.parametrize(("name", "argument"), ARGUMENTS, ids=[" ".join(pair) for pair in ARGUMENTS])
def test_constructor(name: str, argument: str) -> None:
    function, _, besides, fitting = CONSTRUCTORS[name]
    names = CALLED.get(argument, (f"{argument}:", f"{argument}["))

    def call(value: Any) -> None:
        if argument in ("num_envs", "num_tables") and whole(91)(value) and value <= 2**20:
            return  # would fit, and takes long
        function(**{**besides, argument: value})

    assert not faults(call, fitting[argument], *names)


def table() -> Table:
    return Table(classic(), seed=1)


def aec() -> CanastaAECEnv:
    env = canasta_env.raw_env("classic")
    env.reset(seed=1)
    return env


def parallel() -> CanastaParallelEnv:
    env = canasta_env.parallel_env("classic")
    env.reset(seed=1)
    return env


def seat() -> CanastaSeatEnv:
    env = CanastaSeatEnv("classic")
    env.reset(seed=1)
    return env


def seats() -> CanastaSeatVectorEnv:
    env = CanastaSeatVectorEnv("classic", num_envs=2)
    env.reset(seed=1)
    return env


def tables() -> VectorTables:
    return VectorTables(classic(), 2)


def record() -> Record:
    recorder = Recorder(classic(), seed=1)
    recorder.begin(table())
    return recorder.record()


any_seed = none_or(whole(0))
AEC, PARALLEL, SEAT, SEATS, TABLES, TABLE = aec(), parallel(), seat(), seats(), tables(), table()
draw = whole(0, 0)  # the one action that is legal where these stand
METHODS: dict[str, tuple[Callable[[Any], Any], Fits, tuple[str, ...]]] = {
    # called with a value, what fits, what an error calls it
    "AEC reset seed": (lambda v: AEC.reset(seed=v), none_or(whole(0, MAX_SEED)), ("seed:",)),
    "AEC reset options": (lambda v: AEC.reset(options=v), option, ("options:",)),
    "AEC step": (lambda v: (AEC.reset(seed=1), AEC.step(v)), draw, ("action",)),
    "AEC observe": (AEC.observe, nothing, ("agent:",)),
    "AEC observation_space": (AEC.observation_space, nothing, ("agent:",)),
    "AEC action_space": (AEC.action_space, nothing, ("agent:",)),
    "parallel reset seed": (lambda v: PARALLEL.reset(seed=v), none_or(whole(0, MAX_SEED)), ("seed:",)),
    "parallel reset options": (lambda v: PARALLEL.reset(options=v), option, ("options:",)),
    "parallel step": (lambda v: (PARALLEL.reset(seed=1), PARALLEL.step(v)), nothing, ("actions:",)),
    "parallel action": (
        lambda v: (PARALLEL.reset(seed=1), PARALLEL.step(dict.fromkeys(PARALLEL.agents, v))),
        draw,
        ("action",),
    ),
    "parallel observation_space": (PARALLEL.observation_space, nothing, ("agent:",)),
    "parallel action_space": (PARALLEL.action_space, nothing, ("agent:",)),
    "seat reset seed": (lambda v: SEAT.reset(seed=v), any_seed, ("seed:",)),
    "seat reset options": (lambda v: SEAT.reset(options=v), option, ("options:",)),
    "seat step": (lambda v: (SEAT.reset(seed=1), SEAT.step(v)), draw, ("action",)),
    "seats reset seed": (
        lambda v: SEATS.reset(seed=v),
        lambda v: any_seed(v) or listed(any_seed, 2)(v),
        ("seed:", "seed["),
    ),
    "seats reset options": (lambda v: SEATS.reset(options=v), option, ("options:",)),
    "seats reset mask": (
        lambda v: SEATS.reset(options={"reset_mask": v}),
        lambda v: isinstance(v, np.ndarray) and v.dtype == np.bool_,
        ("reset_mask:",),
    ),
    "seats step": (lambda v: (SEATS.reset(seed=1), SEATS.step(v)), nothing, ("action",)),
    "tables reset": (TABLES.reset, whole(0, MAX_SEED), ("seed:",)),
    "tables step": (lambda v: (TABLES.reset(1), TABLES.step(v)), nothing, ("action",)),
    "tables set_state": (TABLES.set_state, nothing, ("state:",)),
    "table play": (TABLE.play, nothing, ("action",)),
    "table hand": (TABLE.hand, whole(0, 3), ("seat:",)),
    "table view": (TABLE.view, whole(0, 3), ("seat:",)),
    "table melds": (TABLE.melds, whole(0, 1), ("side:",)),
    "table threes": (TABLE.threes, whole(0, 1), ("side:",)),
    "recorder begin": (Recorder(classic()).begin, nothing, ("table:",)),
    "records write record": (lambda v: records.write(v, "never"), nothing, ("record:",)),
    "records replay": (lambda v: list(records.replay(v)), nothing, ("record:",)),
    "records read": (records.read, nothing, ("path:", "cannot be read as text")),
    "records verify": (records.verify, nothing, ("path:", "cannot be read as text")),
}


@pytest.mark.parametrize("name", METHODS)
def test_method(name: str) -> None:
    call, fits, names = METHODS[name]
    assert not faults(call, fits, *names)


@pytest.mark.parametrize("key", [key for key in KEYS if key not in ("game",)])
def test_key_of_a_position(key: str) -> None:
    """Odd values of a key are refused by its name, or by that of a key that they contradict."""

    def call(value: Any) -> None:
        position = {"game": "classic", "hands": {1: "K 4"}, key: value}
        now = Table.from_position(position, partial=True)
        assert now.is_over or now.legal()

    names = (key, "phase", "hands", "unknown rule", "game", "players", "canastas", "R-")
    assert not faults(call, anything, *names)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_field_of_rules(field: str) -> None:
    def call(value: Any) -> None:
        rules = Rules.from_dict({"game": "classic", field: value})
        assert Rules.from_dict(rules.to_dict()) == rules
        assert type(getattr(rules, field)) in (int, str, tuple, bool, NoneType)

    assert not faults(call, anything, field)


@pytest.mark.parametrize("field", [field.name for field in dataclasses.fields(Rules)])
def test_field_of_rules_is_named(field: str) -> None:
    with pytest.raises(RulesError, match=field):
        Rules.from_dict({"game": "classic", field: np.array([1.5, 2])})


def test_rules_from_no_dict() -> None:
    assert not faults(
        Rules.from_dict, lambda v: isinstance(v, dict) and "game" in v, "rules:", "game:", "unknown rule"
    )


def nested(depth: int) -> list[Any]:
    """An empty list in so many others."""
    inner: list[Any] = []
    for _ in range(depth):
        inner = [inner]
    return inner


# The cases that were found, each by its symptom.


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: VectorTables(classic(), 4, scores=np.array([1, 2])).scores.tolist() == [[1, 2]] * 4, ""),
        (
            lambda: VectorTables(classic(), 4, scores=np.array(5)),
            r"scores: array\(5\) must be 2 whole numbers",
        ),
        (lambda: Table(classic(), order=5), "order: 5 must be a list of the 108 cards"),
        (lambda: Table("classic"), "rules: 'classic' must be Rules"),
        (lambda: Rules.from_dict(None), "rules: a dict of rules is needed, not NoneType"),
        (
            lambda: Rules.from_dict({"game": "classic", "opening_minima": nested(100_000)}),
            "opening_minima: a list of such a length or depth is no rule",
        ),
        (
            lambda: Rules.from_dict({"game": "classic", "opening_minima": [[None, 15]] * 10**5}),
            "opening_minima: a list of such a length",
        ),
        (
            lambda: Rules.from_dict({"game": "classic", "threes_points": np.zeros(10**7, int)}),
            "threes_points: a list of such a length",
        ),
        (lambda: layout(None), "rules: None must be Rules"),  # type: ignore[arg-type]
        (lambda: layout("classic"), "rules: 'classic' must be Rules"),  # type: ignore[arg-type]
        (lambda: aec().step(True), "True is not an action id"),
        (lambda: seats().reset(seed=1.0), r"seed: 1\.0 must be a whole number"),
        (lambda: seats().reset(seed=np.array(3)), r"seed: array\(3\) must be a whole number"),
        (lambda: seats().step(np.array([2**63, 0], np.uint64)), "9223372036854775808"),
        (lambda: tables().step(np.array([2**63, 0], np.uint64)), "illegal action 9223372036854775808 at"),
    ],
)
def test_found(call: Callable[[], Any], reason: str) -> None:
    if not reason:
        assert call()
        return
    with pytest.raises(ValueError, match=reason):
        call()


@pytest.mark.parametrize(
    "shown", [canasta_env.raw_env, canasta_env.env, canasta_env.parallel_env, CanastaParallelEnv]
)
def test_the_arguments_of_the_environments_are_shown(shown: Callable[..., Any]) -> None:
    """The reference and help() once showed (*args, **kwargs)."""
    signature = inspect.signature(shown)
    expected = dict(inspect.signature(CanastaAECEnv).parameters)
    if shown in (canasta_env.parallel_env, CanastaParallelEnv):
        idle = inspect.Parameter(
            "idle_action", inspect.Parameter.KEYWORD_ONLY, default=False, annotation="bool"
        )
        expected["idle_action"] = idle
    assert signature.parameters == expected
    assert set(typing.get_type_hints(shown if inspect.isfunction(shown) else shown.__init__)) == {
        *expected,
        "return",
    }


FORMS: dict[str, Callable[..., Any]] = {
    "raw_env": canasta_env.raw_env,
    "env": lambda *args, **kwargs: canasta_env.env(*args, **kwargs).unwrapped,
    "parallel_env": canasta_env.parallel_env,
    "seat": CanastaSeatEnv,
    "seats": CanastaSeatVectorEnv,
    "make": lambda game, **kwargs: gymnasium.make("canasta_env:canasta/ClassicSeat-v1", **kwargs).unwrapped,
    "make_vec": lambda game, **kwargs: (
        gymnasium.make_vec("canasta_env:canasta/ClassicSeat-v1", num_envs=2, **kwargs).unwrapped
    ),
}


@pytest.mark.parametrize("form", FORMS)
def test_a_target_is_the_match_s(form: str) -> None:
    make = FORMS[form]
    assert make("classic", target=2_500).rules == classic(4, 2_500)
    assert make("classic", players=3).rules.target == 7_500
    env = make("classic", players=2, target=np.int64(100), episode="match", scores="zero")
    assert env.rules == classic(2, 100) and type(env.rules.target) is int
    assert make("classic", rules=classic(2, 2_500), target=2_500).rules == classic(2, 2_500)
    with pytest.raises(ValueError, match="target: 5000, but the rules are for 2500"):
        make("classic", rules=classic(2, 2_500), target=5_000)


def test_a_match_ends_at_its_target() -> None:
    env = canasta_env.raw_env("classic", 2, 1, episode="match")
    env.reset(seed=1)
    rng = Random(1)
    for _ in env.agent_iter():
        observation, _reward, termination, truncation, info = env.last()
        if termination or truncation:
            assert 1 <= max(info["scores"]) < classic(2).target
            break
        env.step(rng.choice(np.flatnonzero(observation["action_mask"]).tolist()))


def test_numpy_integers_are_taken_where_python_s_are() -> None:
    env = canasta_env.raw_env("classic", np.int64(2), max_cycles=np.int8(5))
    env.reset(seed=np.uint64(2**63))
    env.step(np.int64(0))
    assert env.rules.players == 2 and type(env.rules.players) is int
    now = Table.from_position(
        {
            "game": "classic",
            "players": np.int64(2),
            "hands": {np.int8(1): {"K": np.int8(2)}},
            "turn": np.int16(3),
        },
        partial=True,
    )
    assert now.hand(np.int32(1)) == {"K": 2}
    assert Rules.from_dict({"game": "classic", "target": np.int64(5_000)}) == classic()
    assert Table(modern_american(), seed=np.uint64(2**64 - 1)).seed == 2**64 - 1


@pytest.mark.parametrize("dtype", [np.int8, np.uint8, np.int64, ">i8", ">i2", np.uint64])
def test_actions_may_be_of_any_integer_dtype_and_layout(dtype: Any) -> None:
    expected = tables()
    expected.step([0, 0])
    for actions in (np.zeros(2, dtype), np.zeros(4, dtype)[::2], np.zeros((2, 2), dtype)[:, 0]):
        actions.flags.writeable = False
        now = tables()
        now.step(actions)
        assert (now.masks == expected.masks).all()
        env = seats()
        env.step(actions)


def test_arguments_by_which_nothing_is_known_are_named_by_python() -> None:
    for make in (canasta_env.env, canasta_env.parallel_env, CanastaSeatEnv, CanastaSeatVectorEnv):
        with pytest.raises(TypeError, match="unexpected keyword argument 'gam'"):
            make(gam="classic")  # type: ignore[operator]
