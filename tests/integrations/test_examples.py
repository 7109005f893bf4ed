"""Each example learns for a few seconds in its library's environment, and OpenSpiel's checks run in its own.

`make test-integrations` makes the environments.
"""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENTS = Path(os.environ.get("CANASTA_INTEGRATIONS", ROOT / ".integrations"))
EXAMPLES = {
    "sb3": ["sb3_maskable_ppo.py", "--steps", "2048"],
    "rllib": ["rllib_shared_policy.py", "--iterations", "2", "--batch", "300"],
    "torchrl": ["torchrl_self_play.py", "--iterations", "2", "--steps", "150"],
    "tianshou": ["tianshou_monte_carlo.py", "--steps", "600"],
}
OPENSPIEL = "openspiel"
LIBRARIES = (*EXAMPLES, OPENSPIEL)
LIMIT_S = 900

pytestmark = pytest.mark.integrations


def run_in(name: str, *words: str) -> subprocess.CompletedProcess[str]:
    """Run Python in a library's environment; the test is skipped where it is not there."""
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{python.parent.parent} is not there: make test-integrations makes it")
    return subprocess.run(
        [python, *words],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        text=True,
        timeout=LIMIT_S,
        check=False,
    )


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_example_runs_to_its_end(name: str) -> None:
    file, *options = EXAMPLES[name]
    played = run_in(name, f"examples/{file}", *options, "--deals", "20")
    assert played.returncode == 0, played.stdout + played.stderr
    measured = r"{} *[+-][\d,]+ points a deal \(95%: [+-][\d,]+ to [+-][\d,]+\)"
    assert re.search(measured.format("before:"), played.stdout)
    assert re.search(measured.format("after:"), played.stdout)


def test_the_checks_of_openspiel_pass() -> None:
    file = "tests/env/test_openspiel_installed.py"
    checked = run_in(OPENSPIEL, "-m", "pytest", "-q", "--noconftest", file)
    assert checked.returncode == 0, checked.stdout + checked.stderr
    assert "passed" in checked.stdout and "skipped" not in checked.stdout
