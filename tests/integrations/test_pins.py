"""The requirement files pin every package that their libraries and canasta-env need."""

from __future__ import annotations

import subprocess
import tomllib

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.integrations.test_examples import ENVIRONMENTS, LIBRARIES, ROOT

FOLDER = ROOT / "tests" / "integrations"


def lines_of(name: str) -> list[str]:
    """What a file requires, and for `-c` what the file named there does."""
    lines = [line for line in (FOLDER / f"{name}.txt").read_text().splitlines() if not line.startswith("#")]
    return [line for line in lines if not line.startswith("-c ")]


def pins_of(name: str) -> dict[str, str]:
    """The version that a file, or the constraints it names, gives each package."""
    lines = lines_of(name)
    if "-c ../../constraints.txt" in (FOLDER / f"{name}.txt").read_text():
        constraints = (ROOT / "constraints.txt").read_text().splitlines()
        lines = [line for line in constraints if line and not line.startswith("#")] + lines
    pins = {}
    for line in lines:
        requirement = Requirement(line)
        (version,) = requirement.specifier
        assert version.operator == "==", f"{name}.txt: {line}"
        pins[canonicalize_name(requirement.name)] = version.version
    return pins


@pytest.mark.parametrize("name", LIBRARIES)
def test_every_line_pins_one_version(name: str) -> None:
    assert pins_of(name)


@pytest.mark.integrations
@pytest.mark.parametrize("name", LIBRARIES)
def test_every_package_that_is_needed_is_pinned_as_installed(name: str) -> None:
    python = ENVIRONMENTS / name / "bin" / "python"
    if not python.exists():
        pytest.skip(f"{python.parent.parent} is not there: make test-integrations makes it")
    ours = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    command = [python, FOLDER / "closure.py", *lines_of(name), *ours]
    printed = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    installed = dict(line.split("==") for line in printed.split())
    pins = pins_of(name)
    assert {package: pins.get(package) for package in installed} == installed
