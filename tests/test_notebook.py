"""examples/first_hour.ipynb runs from its first cell to its last, only shorter."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="the notebook trains a policy (extra `train`)")
pytest.importorskip("PIL", reason="the notebook shows a table (extra `render`)")

import matplotlib.pyplot as plt

from tests.test_commands import SHORT_RUN

ROOT = Path(__file__).resolve().parents[1]
NOTEBOOK = ROOT / "examples" / "first_hour.ipynb"


def cells(kind: str) -> list[str]:
    notebook: dict[str, Any] = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    return ["".join(cell["source"]) for cell in notebook["cells"] if cell["cell_type"] == kind]


def test_its_cells_run_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("FIRST_HOUR_MINUTES", "0.02")
    monkeypatch.setenv("FIRST_HOUR_BOARDS", "2")
    monkeypatch.setenv("FIRST_HOUR_OPTIONS", " ".join(SHORT_RUN))
    plt.switch_backend("agg")
    names: dict[str, Any] = {}
    for number, text in enumerate(cells("code")):
        exec(compile(text, f"{NOTEBOOK.name}, code cell {number}", "exec"), names)
    printed = capsys.readouterr().out
    assert len(plt.get_fignums()) == 2, "a curve and a table"
    assert re.search(r"random against random: [+-]\d+ points a deal", printed)
    assert all(f"against {other} " in printed for other in ("random", "heuristic", "neural:classic_2"))
    assert names["measured"] and names["record"].deals
    assert (tmp_path / "runs" / "first_hour" / "best" / "policy.safetensors").is_file()
    plt.close("all")


def test_it_holds_no_outputs_and_names_files_that_there_are() -> None:
    notebook = json.loads(NOTEBOOK.read_text(encoding="utf-8"))
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert all(cell["outputs"] == [] and cell["execution_count"] is None for cell in code)
    named = re.findall(r"`((?:docs|examples|configs)/[\w/.]*)`", "\n".join(cells("markdown")))
    assert len(named) > 5
    assert all((ROOT / name).exists() for name in named), named
