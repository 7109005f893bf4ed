"""Stored blocks: a file is read as it was written, for the block that it was written for, or not at all."""

from __future__ import annotations

import numpy as np
import pytest

from canasta_agents.arena.blocks import Block, BlockResult
from canasta_agents.arena.forfeits import Fault
from canasta_agents.arena.journal import Journal
from canasta_agents.arena.kernels import OUTCOME
from canasta_agents.arena.schedule import ArenaError, matchup
from canasta_env.rules import classic

RULES = classic(2)
PRINTS = ("0123", "4567")


def small_block(start: int = 0) -> Block:
    return Block(RULES, matchup(RULES, (0,), (1,)), start, start + 1)


def small_result() -> BlockResult:
    outcomes = np.zeros(2, OUTCOME)
    outcomes["turns"] = 30, 31
    tallies = np.arange(8.0).reshape(4, 1, 2)
    return BlockResult(
        points=tallies[0],
        deals=tallies[1].astype(np.int64),
        deal_wins=tallies[2],
        match_wins=tallies[3] * np.nan,
        outcomes=outcomes,
        actions=[bytes(range(40)), bytes(range(7))],
        faults=[Fault(1, 0, "raised: no idea")],
    )


@pytest.fixture
def journal(tmp_path):
    return Journal(tmp_path, "code")


def test_a_block_is_read_as_it_was_written(journal):
    place, written = journal.place(small_block(), PRINTS), small_result()
    assert journal.read(place) is None
    journal.write(place, written)
    read = journal.read(place)
    for name in ("points", "deals", "deal_wins", "match_wins", "outcomes"):
        assert getattr(read, name).dtype == getattr(written, name).dtype
        np.testing.assert_array_equal(getattr(read, name), getattr(written, name))
    assert (read.actions, read.faults) == (written.actions, written.faults)


def test_a_stored_block_is_still_an_archive_that_numpy_opens(journal):
    place = journal.place(small_block(), PRINTS)
    journal.write(place, small_result())
    with np.load(place.path) as archive:
        assert archive["points"].tolist() == [[0.0, 1.0]]


def refusal(journal, place, content: bytes) -> str:
    """What is said of a file with this content in a block's place."""
    place.path.write_bytes(content)
    with pytest.raises(ArenaError) as error:
        journal.read(place)
    return str(error.value)


def test_any_changed_bit_of_a_block_is_noticed(journal):
    place = journal.place(small_block(), PRINTS)
    journal.write(place, small_result())
    content = place.path.read_bytes()
    assert len(content) >= 500
    for position in range(len(content)):
        for mask in (1 << position % 8, 0xFF):
            changed = bytearray(content)
            changed[position] ^= mask
            said = refusal(journal, place, changed)
            assert said.startswith(f"{place.path}: damaged (")
            assert "delete it to play its boards again" in said


def test_a_block_cut_short_or_written_on_is_noticed(journal):
    place = journal.place(small_block(), PRINTS)
    journal.write(place, small_result())
    content = place.path.read_bytes()
    for changed in [content + b"\0", b"\0" + content, *(content[:end] for end in range(0, len(content), 7))]:
        assert "delete it" in refusal(journal, place, changed)


def test_a_block_copied_over_another_is_not_read_for_it(journal):
    places = [
        journal.place(small_block(), PRINTS),
        journal.place(small_block(start=1), PRINTS),
        journal.place(small_block(), PRINTS[::-1]),
        Journal(journal.folder, "other code").place(small_block(), PRINTS),
    ]
    assert len({place.identity for place in places}) == len({place.path for place in places}) == 4
    for place in places:
        journal.write(place, small_result())
    content = places[0].path.read_bytes()
    for other in places[1:]:
        said = refusal(journal, other, content)
        assert said.startswith(f"{other.path}: damaged (it is the file of another block")
        assert "delete it" in said
    assert journal.read(places[0]) is not None


def test_a_block_of_an_older_version_is_refused_by_name(journal):
    place = journal.place(small_block(), PRINTS)
    with place.path.open("wb") as file:
        np.savez_compressed(file, points=np.zeros((1, 2)))
    with pytest.raises(ArenaError, match=rf"{place.path.name}: damaged \(it ends without a seal.*delete it"):
        journal.read(place)


def test_a_folder_in_a_block_s_place_is_an_error_that_names_it(journal):
    place = journal.place(small_block(), PRINTS)
    place.path.mkdir()
    with pytest.raises(ArenaError, match=rf"{place.path.name}: damaged.*delete it"):
        journal.read(place)
