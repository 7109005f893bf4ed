"""Whatever happens to the files of compiled kernels: the program plays, and says so in one line at most."""

from __future__ import annotations

import errno
import hashlib
import importlib.util
import io
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import ModuleType
from typing import Any

import numba
import pytest

from canasta_env.engine import compiling, jit, kernel_files

pytestmark = pytest.mark.skipif(jit.JIT_DISABLED, reason="nothing is compiled")

TINY = """
import sys
from pathlib import Path

import numba
from canasta_env.engine.jit import KernelCache

kernel = KernelCache("tiny", [Path(__file__)])

@kernel
def add_one(number):
    return number + 1

@kernel
def double_next(number):
    return 2 * add_one(number)

def tripled_next(number):
    return 3 * add_one(number)

def pointer():
    return kernel.pointer(numba.int64(numba.int64), tripled_next)

if __name__ == "__main__":
    print(double_next(int(sys.argv[1])))
"""
KINDS = ("called", "inlined", "pointer")


def _with_hash(pickled: bytes) -> bytes:
    return hashlib.sha256(pickled).digest() + pickled


def _flip_last_bit(content: bytes) -> bytes:
    return content[:-1] + bytes([content[-1] ^ 1])


DAMAGE: dict[str, Callable[[bytes], bytes]] = {
    "empty": lambda content: b"",
    "cut": lambda content: content[: len(content) // 2],
    "garbage": lambda content: b"\x93garbage\r\n" * 100,
    "one bit": _flip_last_bit,
    "something else": lambda content: _with_hash(pickle.dumps({"not": "a kernel"})),
    "end of pickle": lambda content: _with_hash(b"\x80\x04"),
    "module renamed": lambda content: _with_hash(b"cno_such_module\nThing\n."),
}


@pytest.fixture
def source(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A module of kernels, with an empty cache."""
    monkeypatch.setenv("CANASTA_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(kernel_files, "_warned", [])
    monkeypatch.setattr(jit._progress, "_has_spoken", True)
    monkeypatch.setitem(sys.modules, "tiny", ModuleType("tiny"))  # for the test's time
    path = tmp_path / "tiny.py"
    path.write_text(TINY, encoding="utf-8")
    return path


def start(source: Path) -> ModuleType:
    """The module as another process would import it."""
    spec = importlib.util.spec_from_file_location("tiny", source)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["tiny"] = module
    spec.loader.exec_module(module)
    return module


def play(source: Path) -> tuple[int, int]:
    """Use the module in each way that kernels can be; how often was compiled, and how often loaded."""
    module = start(source)
    pointer = module.pointer()
    assert module.double_next(3) == 8
    assert pointer.ctypes(3) == 12
    assert module.add_one(3) == 4
    stats = [module.double_next.stats, module.add_one.stats]
    compiled = sum(sum(each.cache_misses.values()) for each in stats)
    loaded = sum(sum(each.cache_hits.values()) for each in stats) + pointer.cache_hits
    return compiled + (1 - pointer.cache_hits), loaded


def file_of(kind: str, source: Path) -> Path:
    """The cached code of the kernel that is compiled in this way."""
    name = {"called": "double_next", "inlined": "add_one", "pointer": "tripled_next"}[kind]
    (path,) = start(source).kernel.folder.glob(f"tiny.{name}.{kind}-*.nbc")
    return Path(path)


def one_line(stderr: str, folder: Path) -> bool:
    """Whether one line names the folder."""
    return stderr.count("\n") == 1 and stderr.startswith(f"canasta_env: the kernel cache {folder} cannot be ")


def lose_callers(source: Path) -> None:
    """Remove what Python calls: it is compiled anew, of the kernels that are inlined."""
    for path in start(source).kernel.folder.glob("*.nbc"):
        if ".inlined-" not in path.name:
            path.unlink()


def test_what_is_cached_is_not_compiled_again(source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    assert play(source) == (3, 0)
    assert play(source) == (0, 3)
    assert capfd.readouterr().err == ""


def test_kernels_that_are_inlined_are_loaded_for_new_callers(source: Path) -> None:
    play(source)
    inlined = file_of("inlined", source)
    before = inlined.stat().st_mtime_ns
    lose_callers(source)
    assert play(source) == (3, 0)
    assert inlined.stat().st_mtime_ns == before


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_compiled_anew_and_replaced(
    kind: str, damage: str, source: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    play(source)
    path = file_of(kind, source)
    path.write_bytes(DAMAGE[damage](path.read_bytes()))
    damaged = path.read_bytes()
    if kind == "inlined":
        lose_callers(source)
    play(source)
    assert one_line(capfd.readouterr().err, path.parent)
    assert path.read_bytes() != damaged
    kernel_files._warned.clear()
    assert play(source) == (0, 3)
    assert capfd.readouterr().err == ""


@pytest.mark.parametrize("kind", KINDS)
def test_a_missing_file_is_compiled_anew(kind: str, source: Path, capfd: pytest.CaptureFixture[str]) -> None:
    play(source)
    path = file_of(kind, source)
    path.unlink()
    if kind == "inlined":
        lose_callers(source)
    play(source)
    assert path.is_file()
    assert capfd.readouterr().err == ""


def test_an_unreadable_file_is_compiled_anew(
    source: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    play(source)
    folder = file_of("called", source).parent

    def refuse(path: Path) -> bytes:
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))

    with monkeypatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        patch.setattr(kernel_files, "_hash_of_file", kernel_files._hash_of_file.__wrapped__)
        patch.setattr(jit, "_fingerprint", lambda sources: folder.name.removeprefix("tiny-"))
        assert play(source) == (3, 0)
    assert one_line(capfd.readouterr().err, folder)


def test_a_folder_in_place_of_a_file_is_not_in_the_way(
    source: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    play(source)
    path = file_of("called", source)
    path.unlink()
    path.mkdir()
    play(source)
    assert one_line(capfd.readouterr().err, path.parent)


def test_a_full_disk_leaves_kernels_uncached(
    source: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def fill(path: Path, target: Path) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "replace", fill)
    assert play(source) == (3, 0)
    folder = start(source).kernel.folder
    assert one_line(capfd.readouterr().err, folder)
    assert [path.name for path in folder.iterdir()] == [compiling.MARK]


@pytest.mark.parametrize("is_late", [False, True])
def test_a_folder_that_cannot_be_made_leaves_kernels_uncached(
    is_late: bool, source: Path, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    module = start(source) if is_late else None
    (tmp_path / "cache").write_text("a file where the folder should be")
    module = module or start(source)
    assert module.double_next(3) == 8
    assert one_line(capfd.readouterr().err, module.kernel.folder)
    assert module.kernel.is_cold


def test_a_folder_that_is_removed_meanwhile_is_made_again(source: Path, tmp_path: Path) -> None:
    module = start(source)
    assert module.double_next(3) == 8
    shutil.rmtree(tmp_path / "cache")
    assert module.double_next(3.5) == 9
    assert not module.kernel.is_cold


def test_without_a_home_folder_the_program_plays(
    source: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def homeless() -> Path:
        raise RuntimeError("Could not determine home directory.")

    for name in ("CANASTA_CACHE_DIR", "XDG_CACHE_HOME"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", homeless)
    assert play(source) == (3, 0)
    assert "no home folder" in capfd.readouterr().err


def test_a_module_under_another_name_has_code_of_its_own(source: Path) -> None:
    play(source)
    assert play(source.rename(source.with_name("renamed.py"))) == (3, 0)


def test_another_numba_has_a_folder_of_its_own(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here = start(source).kernel.folder
    monkeypatch.setattr(numba, "__version__", "0.0.1")
    assert start(source).kernel.folder != here


def run_at_once(source: Path, count: int) -> list[str]:
    """Run the module as programs side by side; what they wrote to standard error."""
    command = [sys.executable, str(source)]
    programs = [
        subprocess.Popen([*command, str(i)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for i in range(count)
    ]
    told = [program.communicate() for program in programs]
    assert [out for out, _ in told] == [f"{2 * (i + 1)}\n" for i in range(count)]
    return [err for _, err in told]


def test_programs_that_start_at_once_share_a_cold_cache(source: Path) -> None:
    announced = "".join(run_at_once(source, 3))
    assert announced.count("\n") == announced.count("compiling the tiny kernels") == 1
    assert run_at_once(source, 1) == [""]


def test_a_second_program_does_not_announce_other_kernels(source: Path) -> None:
    (said,) = run_at_once(source, 1)
    assert said.count("\n") == 1
    for path in (source.parent / "cache").rglob("*.nbc"):
        path.unlink()
    assert run_at_once(source, 1) == [""]


def test_many_that_start_at_once_can_all_write(tmp_path: Path) -> None:
    def write(number: int) -> bool:
        folder = tmp_path / str(number // 16) / "deep" / "cache"
        is_first = compiling._mark(folder)
        kernel_files._write(folder / "same.nbc", number)
        assert kernel_files._read(folder / "same.nbc") // 16 == number // 16
        return is_first

    with ThreadPoolExecutor(16) as threads:
        assert sum(threads.map(write, range(800))) == 800 // 16
    assert not any(tmp_path.rglob("*.tmp"))


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_terminal_shows_how_far_compilation_is(source: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    progress = compiling.Progress()
    monkeypatch.setattr(jit, "_progress", progress)
    monkeypatch.setattr(sys, "stderr", terminal)
    with numba.core.event.install_listener("numba:compile", progress):
        assert start(source).double_next(3) == 8
    said, _, count = terminal.getvalue().partition("\n")
    assert said.startswith("canasta_env: compiling the tiny kernels, once for this version")
    assert count == "\r\x1b[K  1 of at most 2 kernels\r\x1b[K"


def test_other_users_of_numba_are_not_announced(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = Terminal()
    monkeypatch.setattr(sys, "stderr", terminal)

    def negate(number: Any) -> Any:
        return -number

    assert numba.njit(negate)(3) == -3
    assert terminal.getvalue() == ""
