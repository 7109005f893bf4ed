"""The command line of training, where something is missing."""

from __future__ import annotations

import sys

import pytest

from canasta_agents.learning import cli


def test_without_pytorch_the_command_says_what_to_install(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in [
        name for name in sys.modules if name.startswith(("torch", "canasta_agents.neural.policy_file"))
    ]:
        monkeypatch.delitem(sys.modules, module)
    monkeypatch.setitem(sys.modules, "torch", None)
    assert cli.main([]) == cli.REFUSED
    assert "canasta-env[train]" in capsys.readouterr().err
