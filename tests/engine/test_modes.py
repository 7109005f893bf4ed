"""The engine with bounds checks, and as plain Python, is the engine that is compiled (`make test-modes`)."""

from __future__ import annotations

import json
import os
import subprocess
import sys

import numba
import numpy as np
import pytest

from canasta_env import Rules, modern_american
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine import batch, jit
from canasta_env.engine.state import allocate, rules_record
from tests.engine.modes import digests
from tests.engine.walking import FOUR_GAMES, NAMES
from tests.reference.lockstep import DEALS, run_lockstep
from tests.rules.positions import modern

MODES = ("NUMBA_BOUNDSCHECK", "NUMBA_DISABLE_JIT")
is_ordinary = not any(os.environ.get(mode, "0") != "0" for mode in MODES)


@pytest.mark.skipif(is_ordinary, reason="nothing to compare with: no mode is set")
def test_the_same_deals_are_played_as_in_the_ordinary_mode() -> None:
    ordinary = {name: value for name, value in os.environ.items() if name not in MODES}
    command = [sys.executable, "-m", "tests.engine.modes"]
    told = subprocess.run(command, env=ordinary, capture_output=True, text=True, check=True).stdout
    assert json.loads(told) == digests()


@pytest.mark.skipif(not numba.config.BOUNDSCHECK or jit.JIT_DISABLED, reason="bounds are not checked")
def test_a_read_out_of_bounds_is_an_error() -> None:
    with pytest.raises(IndexError):
        batch.mask_one(rules_record(modern_american()), allocate(1), 1, np.zeros(NUM_ACTIONS, np.int8))


@pytest.mark.skipif(not jit.JIT_DISABLED, reason="kernels are compiled")
def test_kernels_are_plain_functions() -> None:
    assert type(batch.mask_one).__name__ == "function"


def test_code_with_bounds_checks_has_a_cache_of_its_own(monkeypatch: pytest.MonkeyPatch) -> None:
    here = jit.KernelCache("engine", jit.engine_sources()).folder
    monkeypatch.setattr(numba.config, "BOUNDSCHECK", None if numba.config.BOUNDSCHECK else 1)
    assert here is None or jit.KernelCache("engine", jit.engine_sources()).folder != here


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_engine_and_oracle_agree_on_a_deal(rules: Rules) -> None:
    assert run_lockstep(rules, 1, seed=9)[DEALS] == 1


def test_R_OUT_3_two_wilds_finish_the_second_canasta() -> None:
    table = modern("2 2 9", melds=["K K K K K K K", "Q Q Q Q Q"], pile="5", can_ask=True)
    assert table.legal() == ["ask", "add 2 to Q", "discard 9"]
