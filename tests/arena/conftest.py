"""What the arena's tests share: where its processes come from."""

from __future__ import annotations

import pytest

from canasta_agents.arena import guarded
from tests import forked


@pytest.fixture
def forked_processes(monkeypatch: pytest.MonkeyPatch) -> None:
    """Workers and entrants are forks of a process that has loaded the libraries, and start at once.

    For tests of what tournaments do. How entrants may end, hang or misbehave in a process that was started as
    the arena starts it is what `test_hostile.py` shows.
    """
    forked.load_libraries()
    monkeypatch.setattr(guarded, "_SPAWN", forked.FORKS)
