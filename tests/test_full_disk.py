"""A disk that is full at any write: the old file stays whole, no half file is left, one line says why."""

from __future__ import annotations

import errno
import io
import json
import os
import re
import shutil
import stat
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random

import numpy as np
import pytest

from canasta_agents import files
from canasta_env import Table, classic, records
from canasta_env.__main__ import main as canasta_env_main
from canasta_env.files import write_file

ROOT = Path(__file__).parents[1]
FULL = os.strerror(errno.ENOSPC)
Content = dict[str, bytes]


class Disk:
    """Full at one write: of the file that is brought to it then, it has half."""

    def __init__(self, full_at: int | None) -> None:
        self.num_writes = 0
        self._full_at = full_at
        self._fsync = os.fsync

    def fsync(self, handle: int) -> None:
        """What `os.fsync` does on it."""
        about = os.fstat(handle)
        if stat.S_ISREG(about.st_mode):
            self.num_writes += 1
            if self.num_writes == self._full_at:
                os.ftruncate(handle, about.st_size // 2)
                raise OSError(errno.ENOSPC, FULL)
        self._fsync(handle)


@contextmanager
def disk(full_at: int | None = None) -> Iterator[Disk]:
    """All that is written in the block goes to such a disk."""
    made = Disk(full_at)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(os, "fsync", made.fsync)
        yield made


def contents(folder: Path, but: str = "$^") -> Content:
    """The files of a folder and those below it, but for names with a pattern."""
    found = {str(path.relative_to(folder)): path for path in folder.rglob("*") if path.is_file()}
    return {name: path.read_bytes() for name, path in found.items() if not re.search(but, name)}


def assert_whole(left: Content, before: Content, wanted: Content) -> None:
    """Each file is as it was or as it was to be, and there are no others."""
    for name, content in left.items():
        assert content in (before.get(name), wanted.get(name)), f"{name} is neither old nor new"


WRITES = (
    r"""\.write_text\(|\.write_bytes\(|\bopen\([^)]*["'][wax]|\.savefig\(path|\bsave_file\(|torch\.save\("""
)
WRITE_THEMSELVES = {
    "canasta_env/files.py": 2,  # beside, then renamed; devices
    "canasta_env/engine/kernel_files.py": 1,  # beside, then renamed
    "agents/files.py": 1,  # the lock of a folder
    "agents/learning/metrics.py": 1,  # lines behind others, of which half a one is skipped
}


def test_nothing_is_kept_but_through_one_writer() -> None:
    found = {
        str(path.relative_to(ROOT)): len(re.findall(WRITES, path.read_text(encoding="utf-8")))
        for package in ("canasta_env", "agents")
        for path in (ROOT / package).rglob("*.py")
    }
    assert {name: num for name, num in found.items() if num} == WRITE_THEMSELVES


def test_a_file_stays_what_it_was_where_the_disk_is_full(tmp_path: Path) -> None:
    write_file(tmp_path / "a", "old")
    with disk(full_at=1), pytest.raises(OSError, match=FULL) as caught:
        write_file(tmp_path / "a", "new" * 1_000)
    assert caught.value.filename == str(tmp_path / "a")
    assert contents(tmp_path) == {"a": b"old"}


def test_a_folder_stays_what_it_was_and_nothing_is_left_beside_it(tmp_path: Path) -> None:
    folder = tmp_path / "latest"
    files.write_folder(folder, {"a": b"old", "b": b"old"})
    with disk(full_at=2), pytest.raises(OSError, match=FULL) as caught:
        files.write_folder(folder, {"a": b"newer", "b": b"newer"})
    assert caught.value.filename == str(folder / "b")
    assert contents(tmp_path) == {"latest/a": b"old", "latest/b": b"old"}


def test_a_link_stays_one_and_a_pipe_is_written_to(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "file")
    write_file(tmp_path / "link", "text")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "file").read_text() == "text"
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write_file(tmp_path / "pipe", "text")
    assert os.read(reader, 100) == b"text"
    os.close(reader)


def a_record(turns: int) -> records.Record:
    """A deal of which a few actions were played."""
    recorder = records.Recorder(classic(players=2), seed=1)
    table = Table(classic(players=2), seed=1)
    recorder.begin(table)
    chance = Random(0)
    for _ in range(turns):
        recorder.play(chance.choice(table.legal()))
    return recorder.record()


def test_a_record_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "kept" / "game.jsonl"
    records.write(a_record(turns=2), path)
    with disk(full_at=1), pytest.raises(OSError, match=FULL) as caught:
        records.write(a_record(turns=4), path)
    assert caught.value.filename == str(path)
    assert records.read(path) == a_record(turns=2)
    assert list(contents(path.parent)) == ["game.jsonl"]


def test_a_picture_of_a_table_is_written_whole_or_not_at_all(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("PIL", reason="extra `render`")
    position, picture = tmp_path / "position.json", tmp_path / "table.png"
    position.write_text(json.dumps(Table(classic(players=2), seed=1).position()))
    words = ["picture", str(position), str(picture)]
    with disk(full_at=1):
        assert canasta_env_main(words) == 1
    assert str(picture) in (said := capsys.readouterr().err) and FULL in said
    assert list(contents(tmp_path)) == ["position.json"]
    assert canasta_env_main([*words[:-1], str(tmp_path / "table.odd")]) == 1
    assert "no picture's name ends in '.odd'" in capsys.readouterr().err
    assert canasta_env_main(words) == 0


def test_the_server_says_which_record_it_could_not_save(tmp_path: Path) -> None:
    from canasta_agents.play.lobby import Lobby
    from canasta_agents.play.messages import PlayError
    from tests.play.seated import play_deal

    lobby = Lobby(tmp_path / "runs", tmp_path / "records", tables=tmp_path / "tables")
    table = lobby.open({"game": "classic", "players": 2, "seats": ["random", "random"], "seed": 1})
    play_deal(lobby.find(table), Random(0))
    name = lobby.save(table)
    with disk(full_at=1), pytest.raises(PlayError, match=rf"^\S+\.jsonl: the record is not saved: {FULL}$"):
        lobby.save(table)
    assert list(contents(tmp_path / "records")) == [name]
    before = contents(tmp_path / "tables")
    with disk(full_at=1):
        lobby.keep(table, lobby.find(table))  # is logged, and play goes on
    assert contents(tmp_path / "tables") == before


def test_a_tournament_whose_disk_is_full_at_any_write(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("choix", reason="extra `arena`")
    from canasta_agents.arena.cli import main

    monkeypatch.chdir(tmp_path)

    def play(boards: int) -> int:
        options = ["--game", "classic", "--players", "2", "--target", "300", "--workers", "1"]
        options += ["--boards", str(boards), "--name", "mine", "--ladder", "ladder.json"]
        return main(["--agents", "random", "greedy", *options])

    assert play(boards=1) == 0
    shutil.copytree("results", "before")
    shutil.copy("ladder.json", "before.json")
    with disk() as whole:
        assert play(boards=3) == 0
    shutil.move("results", "after")
    shutil.move("ladder.json", "after.json")
    capsys.readouterr()
    timed = r"report\.html|results\.json|\.npz"  # say how long it took: no two are equal
    before, after = (contents(tmp_path / name, but=timed) for name in ("before", "after"))
    assert whole.num_writes >= len(set(after) - set(before)) + 3
    for full_at in range(1, whole.num_writes + 1):
        shutil.rmtree("results", ignore_errors=True)
        shutil.copytree("before", "results")
        shutil.copy("before.json", "ladder.json")
        with disk(full_at):
            assert play(boards=3) == 2
        said = capsys.readouterr().err
        assert re.fullmatch(rf"error: (results|ladder\.json)\S*: {FULL}\n", said), said
        assert_whole(contents(tmp_path / "results", but=timed), before, after)
        for block in (tmp_path / "results").rglob("*.npz"):
            assert all(array is not None for array in np.load(block).values())
        for entry in json.loads((tmp_path / "results" / "mine" / "games" / "index.json").read_text()):
            records.verify(tmp_path / "results" / "mine" / "games" / entry["file"])
        json.loads((tmp_path / "results" / "mine" / "results.json").read_text())
        assert (tmp_path / "results" / "mine" / "report.html").read_text().rstrip().endswith("</html>")
        json.loads((tmp_path / "ladder.json").read_text())
    assert play(boards=3) == 0


@pytest.fixture
def train(tmp_path: Path) -> Callable[[Path], str]:
    """A function: a run of the tiny game in a folder, to its end; what it prints."""
    torch = pytest.importorskip("torch", reason="extra `train`")
    from rich.console import Console

    from canasta_agents.learning.config import from_dict
    from canasta_agents.learning.distributed import Device
    from canasta_agents.learning.session import Session
    from canasta_agents.learning.trainer import Trainer
    from tests.learning.conftest import SMALL
    from tests.learning.fake import FAKE_GAME

    def run(folder: Path) -> str:
        text = io.StringIO()
        device = Device(cores=2, torch_device=torch.device("cpu"), precision=torch.float32)
        evaluation = SMALL["evaluation"] | {"measurements": 1, "boards": 8}
        config = from_dict(SMALL | {"run": {"decisions": 1_000, "seed": 3}, "evaluation": evaluation})
        trainer = Trainer(config, folder, device, **FAKE_GAME)
        session = Session(trainer, Console(file=text, width=100), is_resumed=(folder / "latest").is_dir())
        session.train()
        session.report()
        return text.getvalue()

    return run


def assert_readable(folder: Path) -> None:
    """Whatever a run has left can be read, and nothing else is there."""
    from canasta_agents.learning.checkpoint import load_state
    from canasta_agents.learning.metrics import read_metrics
    from canasta_agents.neural.policy_file import load_policy

    for path in folder.rglob("*"):
        name = path.name
        assert not name.startswith(".") and not name.endswith((".writing", ".previous")), path
        if path.suffix == ".json":
            json.loads(path.read_text())
        if path.suffix == ".jsonl" and path.parent != folder:
            records.read(path)
        if path.suffix == ".png":
            assert path.read_bytes().endswith(b"IEND\xaeB`\x82"), f"{path} is half a picture"
    read_metrics(folder)
    if (folder / "latest").is_dir():
        load_state(folder / "latest")
    if (folder / "best").is_dir():
        load_policy(folder)


def test_a_run_whose_disk_is_full_at_any_write(tmp_path: Path, train: Callable[[Path], str]) -> None:
    with disk() as whole:
        train(tmp_path / "whole")
    assert whole.num_writes >= 10
    for full_at in range(1, whole.num_writes + 1):
        folder = tmp_path / f"full-{full_at}"
        with disk(full_at), pytest.raises(OSError, match=FULL) as caught:
            train(folder)
        assert Path(caught.value.filename).is_relative_to(folder)
        assert_readable(folder)


@pytest.mark.skipif(os.name != "posix", reason="the system limits no sizes")
@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")  # TensorBoard's own
@pytest.mark.parametrize("limit", [0, 1_000, 3_000, 10_000, 50_000])
def test_a_run_whose_files_may_not_grow(tmp_path: Path, train: Callable[[Path], str], limit: int) -> None:
    """The system's own limit, which the lines of metrics and TensorBoard's file meet as well."""
    import resource

    size = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (limit, size[1]))
    try:
        with pytest.raises(OSError, match=os.strerror(errno.EFBIG)) as caught:
            train(tmp_path / "run")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, size)
    assert Path(caught.value.filename).is_relative_to(tmp_path)
    assert_readable(tmp_path / "run")
    train(tmp_path / "run")  # with room it goes on
