"""Hand-made positions for what random play hardly reaches, in the engine and in the oracle.

Each position of `rare_positions/` is played to a point where RULES.md, read by hand, gives the whole set of
legal actions. From there the deal goes on at random in lockstep, and the rows of the coverage table must have
been counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from canasta_env import PositionError
from canasta_env.rules import GAMES
from tests.position_cases import Case, read_cases
from tests.reference.coverage import rows_of
from tests.reference.lockstep import play_on
from tests.reference.oracle import Oracle
from tests.reference.walks import POLICIES

CONTINUATIONS = 3
FOLDER = Path(__file__).parent / "rare_positions"


def every_case() -> Iterator[Any]:
    """The cases of both games, those of Classic for each number of players."""
    for game in GAMES:
        for case in read_cases(FOLDER / f"{game}.toml", ("rows", "legal", "then"), ("players", "first")):
            for players in case.told.get("players", [4]):
                position = {"game": game, "players": players, **case.position}
                name = f"{game} {players}: {' | '.join(case.told['rows'])}"
                yield pytest.param(case._replace(position=position), id=name)


@pytest.mark.parametrize("case", list(every_case()))
def test_rare_position(case: Case) -> None:
    table = case.table()
    rules, start = table.rules, table.position()
    oracle = Oracle.from_position(start)
    rows, first = case.told["rows"], case.told.get("first", [])
    assert set(rows) <= set(rows_of(rules))
    for notation in first:
        oracle.play(notation)
        table.play(notation)
    assert oracle.legal() == case.told["legal"]
    assert table.legal() == case.told["legal"]

    policies = [POLICIES["random"]] * rules.players
    for seed in range(CONTINUATIONS):
        counts: Counter[str] = Counter()
        oracle, table = Oracle.from_position(start), case.table()
        actions = [*first, *case.told["then"]]
        play_on(oracle, table, policies, Random(seed), counts, f"rare position {rows}", actions)
        assert [row for row in rows if not counts[row]] == []


def test_a_key_that_nobody_reads_is_refused(tmp_path: Path) -> None:
    """A misspelt key would leave a case without its check."""
    path = tmp_path / "cases.toml"
    path.write_text('[[case]]\ngame = "classic"\nhand = "K 4"\nmeld = {}\nlegal = ["draw"]\n')
    (case,) = read_cases(path, ("legal",))
    with pytest.raises(PositionError, match="'meld' is not a key of a position"):
        case.table()
    with pytest.raises(KeyError, match="then"):
        read_cases(path, ("legal", "then"))
    path.write_text(f"cases = 1\n{path.read_text()}")
    with pytest.raises(ValueError, match=r"holds cases, case, and should hold nothing but \[\[case\]\]"):
        read_cases(path, ("legal",))
