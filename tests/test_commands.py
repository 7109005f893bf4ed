"""Every command and snippet of README and docs/ runs, only shorter.

A command runs as it is written, by this environment's `python`, in a folder with links to the repository
where runs/, results/ and records/ are its own. `PROGRAMS` says how each program is cut short, what it has to
print and which files it has to leave; `CHECKED` names what no test can run, and what is looked at instead.
"""

from __future__ import annotations

import ast
import dataclasses
import importlib.util
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import time
import tomllib
import urllib.error
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from multiprocessing.context import ForkServerProcess
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("torch", reason="most of the commands train or play policies (extra `train`)")

import numpy as np
import tyro

from benchmarks.ablations import BASE, VARIANTS, split_variants
from canasta_agents.arena.cli import Arguments as Evaluating
from canasta_agents.learning.cli import parse
from canasta_agents.learning.config import Config, from_dict
from canasta_env import classic
from canasta_env.vector import VectorTables
from tests.document_blocks import ROOT, SHELL, Block, Command, blocks, commands, spans
from tests.forked import LIMIT_S, load_libraries, printed_in, run, running

OWN = ("runs", "results", "records", "docs")  # what commands write to
TRAINED = "tiny"  # NAME of the run that documents speak of
POLICIES = ROOT / "agents" / "policies"

SHORT_RUN = (
    *("--network.width", "16", "--rollout.tables", "16", "--rollout.steps", "16", "--run.threads", "1"),
    *("--evaluation.measurements", "1", "--evaluation.boards", "2"),
    *("--evaluation.final-boards", "2", "--evaluation.final-matches", "0"),
)
FIRST_DECISIONS, MORE_DECISIONS = "500", "900"


@dataclass(frozen=True)
class Program:
    """How one program is run in a test, and what shows that it worked."""

    shorter: tuple[str, ...] = ()  # options behind the others: the last one given counts
    prints: str = ""  # a pattern
    leaves: tuple[str, ...] = ()  # patterns of files
    serves: str = ""  # a pattern of the page that it serves until it is stopped
    types: str = ""  # what the user types


TRAINING = Program(
    shorter=(*SHORT_RUN, "--run.decisions", MORE_DECISIONS),
    prints=r"against[\s\S]+--resume runs/\S+",
    leaves=(
        "runs/*/best/policy.safetensors",
        "runs/*/latest/policy.safetensors",
        "runs/*/metrics.jsonl",
        "runs/*/tensorboard/*",
        "runs/*/curves.png",
        "runs/*/replays/*",
        "runs/*/config.json",
        "runs/*/result.json",
    ),
)
KEPT_BY_RESUMING = ("runs/*/best/policy.safetensors", "runs/*/replays/*")  # unless there is a better policy
PROGRAMS = {
    "train.py": TRAINING,
    "torchrun train.py": TRAINING,
    "evaluate.py": Program(
        shorter=("--boards", "2", "--target", "50", "--workers", "1"),
        prints=r"Pairings[\s\S]+Standings[\s\S]+Report: results/\S+/report.html",
        leaves=("results/*/report.html", "results/*/results.json", "results/*/games/index.json"),
    ),
    "play.py": Program(shorter=("--port", "PORT", "--no-open-browser"), serves="Canasta"),
    "play.py --text": Program(types="1\n" * 2_000, prints=r"total"),
    "tensorboard": Program(shorter=("--port", "PORT", "--host", "127.0.0.1"), serves="TensorBoard"),
    "-m canasta_agents export": Program(prints=r"it plays as onnx:", leaves=("policy.onnx",)),
    "-m canasta_agents equity": Program(
        shorter=("--agent", "heuristic", "--deals", "1000"), prints=r"50\.0%"
    ),
    "-m canasta_agents cross-play": Program(
        shorter=("--boards", "2", "--workers", "1"),
        prints=r"self-play[\s\S]+gap[\s\S]+Results: results/cross-play-\w+",
        leaves=("results/cross-play-*/cross_play.json", "results/cross-play-*/cross_play.csv"),
    ),
    "-m canasta_agents hands": Program(
        shorter=("--deals", "8"), prints=r"knows -?\d\.\d\d nats", leaves=("runs/*/best/hands.safetensors",)
    ),
    "-m canasta_agents review": Program(
        shorter=("--worlds", "2", "--candidates", "2", "--loss-worlds", "2"),
        prints=r"Lost, with 95% intervals",
    ),
    "-m benchmarks.heuristic_ablation": Program(
        shorter=("--boards", "4"), prints=r"\| \S.+ \| [+-]\d+ ± \d+ \|"
    ),
    "-m canasta_env layout": Program(prints=r"## modern_american, 4 players: 1274 features"),
    "-m canasta_env verify": Program(prints=r": \d+ deals, scores .+: verified"),
    "-m canasta_env picture": Program(leaves=("docs/images/table.png",)),
    "-m benchmarks.aec": Program(prints=r"raw AEC loop +[\d,]+ decisions/s"),
    "-m benchmarks.arena": Program(prints=r"arena +[\d,]+ deals/s"),
    "-m benchmarks.chance": Program(
        shorter=("--boards", "2"), prints=r"valued by neural:\w+: 2 boards, .+ interval with factor"
    ),
    "-m benchmarks.engine": Program(prints=r"mask and step +[\d,]+ \S+/s"),
    "-m benchmarks.hidden_hands": Program(
        shorter=("--deals", "4"), prints=r"\| `classic_2` \| all \| \d \| \d\.\d{3} ± "
    ),
    "-m benchmarks.redeal": Program(prints=r"one view often +[\d,]+ tables/s"),
    "-m benchmarks.search_choices": Program(
        shorter=("--deals", "2"), prints=r"beliefs=learned` against `neural:classic_2` \| \d+\.\d%"
    ),
    "-m benchmarks.train": Program(shorter=SHORT_RUN, prints=r"bound by the network.+ decisions/s"),
    "-m docs.tabulate": Program(),  # prints what it changes, and nothing should be to change
    "-m docs.structure": Program(prints=r"structure\.svg"),
    "-m tests.reference.lockstep": Program(shorter=("--deals", "3"), prints=r"R-OPEN-\d"),
}
SUPPLIED = {  # placeholders of the documents
    "NAME": TRAINED,
    "runs/x": "runs/x",
    "GAME": "classic",
    "N": "2",
    "A": "watcher",
    "B": "weigher",
    "HOST:29500": "localhost:0",
}


def check_pip(command: Command) -> None:
    """It would install: the extras and the files of requirements have to exist."""
    files = re.findall(r"(?:-r|--requirement) (\S+)", command.text)
    assert all((ROOT / file).is_file() for file in files), f"{command.place}: {files} are not all there"
    if files:
        return
    extras = _project()["optional-dependencies"]
    named = re.findall(r"\[([a-z,]+)\]", command.text)
    assert named, f"{command.place}: {command.text!r} names no extra, for which see pyproject.toml"
    assert set(named[0].split(",")) <= set(extras), f"{command.place}: the extras are {', '.join(extras)}"


def check_make(command: Command) -> None:
    """It would set up .venv: the target has to exist, and the variables have to be read."""
    makefile = (ROOT / "Makefile").read_text()
    done = subprocess.run(["make", "-n", *command.words[1:]], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, f"{command.place}: {done.stderr}"
    for name in re.findall(r"([A-Z_]+)=", command.text):
        assert re.search(rf"\$\({name}[:)]", makefile), f"{command.place}: the Makefile reads no {name}"


def check_installed(command: Command) -> None:
    """It needs a wheel: what it calls has to exist."""
    module, function = _project()["scripts"][command.words[0]].split(":")
    path = importlib.util.find_spec(module)
    assert path is not None and path.origin is not None
    assert f"def {function}(" in Path(path.origin).read_text()


def check_example(command: Command) -> None:
    """It needs a library of its own (`make test-integrations` runs it): the options have to exist."""
    known = options_of_example(ROOT / command.words[1])
    for word in command.words:
        assert not word.startswith("--") or word in known, f"{command.place}: the options are {sorted(known)}"


def check_ablations(command: Command) -> None:
    """It would train for hours: its own options and those of each variant have to be read."""
    variants, (config, *options) = split_variants(command.words[3:])
    base = parse([str(ROOT / config), *options]).config
    for variant in variants:
        changed = parse([str(ROOT / config), *options, *VARIANTS[variant].split()]).config
        assert (changed == base) == (variant == BASE), f"{command.place}: {variant} changes nothing"


def check_suite(command: Command) -> None:
    """It would play for minutes (tests/arena/test_suite.py plays it): the options have to exist."""
    arguments = tyro.cli(Evaluating, args=command.words[2:], config=(tyro.conf.FlagCreatePairsOff,))
    assert arguments.suite or arguments.verify


def check_benchmark(command: Command) -> None:
    """It would play for hours: the options have to exist."""
    known = options_of_example(ROOT / f"{command.words[2].replace('.', '/')}.py")
    for word in command.words[3:]:
        assert not word.startswith("--") or word in known, f"{command.place}: the options are {sorted(known)}"


def check_nothing(command: Command) -> None:
    """It is another project's, and nothing of it can be looked at here."""


CHECKED: dict[str, Callable[[Command], None]] = {
    "pip": check_pip,
    "make": check_make,
    "canasta-train": check_installed,
    "canasta-evaluate": check_installed,
    "canasta-play": check_installed,
    "canasta-bench": check_nothing,  # the name of the benchmark
    "examples/": check_example,
    "-m benchmarks.ablations": check_ablations,
    "-m benchmarks.calibrate_suite": check_benchmark,
    "-m benchmarks.leaderboard": check_benchmark,
    "-m benchmarks.strength_per_minute": check_benchmark,
    "evaluate.py --suite": check_suite,
    "evaluate.py --verify": check_suite,
    ". .venv/bin/activate": check_nothing,  # changes the shell that reads it
    "ray start": check_nothing,  # starts servers that stay
    "torchrun": check_nothing,  # named without a script; where it has one it runs
}


def _project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def options_of_example(path: Path) -> set[str]:
    """The options that a script adds to its parser."""
    calls = [node for node in ast.walk(ast.parse(path.read_text())) if isinstance(node, ast.Call)]
    return {
        call.args[0].value
        for call in calls
        if getattr(call.func, "attr", "") == "add_argument" and isinstance(call.args[0], ast.Constant)
    }


def program_of(command: Command) -> str:
    """The key of a command in `PROGRAMS` or `CHECKED`; the test fails if there is none."""
    words = command.words
    name = " ".join(words[1:] if words[0] == "python" else words)
    if words[0] == "torchrun" and "train.py" in words:
        return "torchrun train.py"
    if words[:2] == ["python", "play.py"] and "--text" in words:
        return "play.py --text"
    keys = [
        key for key in (*PROGRAMS, *CHECKED) if f"{name} ".startswith(key if key[-1] == "/" else f"{key} ")
    ]
    if not keys:
        pytest.fail(
            f"{command.place}: {command.text!r} is run by no test. Say in PROGRAMS how to cut it short, or "
            "in CHECKED what to look at instead; a block that holds no commands begins with ```text."
        )
    return max(keys, key=len)


def lay_out(folder: Path, command: Command, trained: Path) -> None:
    """Make a folder look like the repository, with what the documents speak of in it."""
    for entry in ROOT.iterdir():
        if not entry.name.startswith(".") and entry.name not in OWN:
            (folder / entry.name).symlink_to(entry)
    shutil.copytree(ROOT / "docs", folder / "docs")
    shutil.copytree(trained, folder / "runs" / TRAINED)
    of_classic = "classic_2" if "--players 2" in command.text else "classic_4"
    policy = POLICIES / (of_classic if "classic" in command.words else "modern_american")
    for run_folder in ("runs/x", "runs/first", "elsewhere/run"):
        if f"neural:{run_folder}" in command.text:
            (folder / run_folder).parent.mkdir(exist_ok=True)
            (folder / run_folder).symlink_to(policy)
    (folder / "hasty.py").write_text(_example_of_a_player())
    (folder / "my_players.py").write_text(_example_of_a_player().replace("Hasty", "Careful"))


def filled_in(command: Command, replay: Path) -> list[str]:
    """The command's words with placeholders filled in; FILE is a record."""
    names = sorted(SUPPLIED, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)({'|'.join(map(re.escape, names))})(?!\w)")
    words = [pattern.sub(lambda match: SUPPLIED[match.group()], word) for word in command.words]
    return [str(replay) if word == "FILE" else word for word in words]


def _example_of_a_player() -> str:
    (source,) = [block.text for block in blocks() if "class Hasty" in block.text]
    return source


def shortened(words: list[str], program: Program, port: int) -> list[str]:
    """A command that takes seconds: further options for the program, or for torchrun before its script."""
    if "--help" in words:
        return words
    options = [str(port) if word == "PORT" else word for word in program.shorter]
    if words[0] == "torchrun":
        script = words.index("train.py")
        words = [*words[:script], "--nnodes", "1", "--nproc-per-node", "2", *words[script:]]
    if "--run.start" in words:  # with the network of the policy that it starts from
        width = options.index("--network.width")
        del options[width : width + 2]
    if "--until" in words:  # plans with at least 50 boards
        options += ["--boards", "50", "--until", "100000"]
    return words + options


def free_port() -> int:
    """A port that nobody listens on."""
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


def page_of(server: ForkServerProcess, port: int) -> str:
    """The page of a server, once it answers."""
    for _ in range(LIMIT_S):
        if not server.is_alive():
            raise ChildProcessError(f"the server has ended with exit status {server.exitcode}")
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/", timeout=30) as answer:
                return answer.read().decode()
        except (urllib.error.URLError, ConnectionError):
            time.sleep(1)
    raise TimeoutError(f"nobody answers on port {port}")


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a second."""
    load_libraries()
    folder = tmp_path_factory.mktemp("trained")
    options = ["--run.name", TRAINED, *SHORT_RUN, "--run.decisions", FIRST_DECISIONS]
    run(folder, ["python", str(ROOT / "train.py"), *options])
    return folder / "runs" / TRAINED


@pytest.fixture(scope="session")
def exported(trained: Path) -> Path:
    """The policy of that run as an ONNX file."""
    folder = trained.parents[1]
    run(folder, ["python", "-m", "canasta_agents", "export", f"runs/{TRAINED}", "policy.onnx"])
    return folder / "policy.onnx"


@pytest.mark.parametrize("command", commands(), ids=lambda command: f"{command.place} {command.text}"[:90])
def test_commands_of_the_documents_run(
    command: Command, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    key = program_of(command)
    if key in CHECKED:
        CHECKED[key](command)
        return
    trained = request.getfixturevalue("trained")
    lay_out(tmp_path, command, trained)
    if "onnx:policy.onnx" in command.text:
        shutil.copy(request.getfixturevalue("exported"), tmp_path)
    program, port = PROGRAMS[key], free_port()
    words = shortened(filled_in(command, next((trained / "replays").iterdir())), program, port)
    begun = time.time() - 1
    if program.serves:
        with running(tmp_path, words) as server:
            assert re.search(program.serves, page_of(server, port)), printed_in(tmp_path)
            os.kill(server.pid or 0, signal.SIGINT)
            server.join(LIMIT_S)
        assert "Traceback" not in printed_in(tmp_path)
        return
    output = run(tmp_path, words, program.types)
    if "--help" in words:
        assert "usage" in output
        return
    assert re.search(program.prints, output), output
    stays = KEPT_BY_RESUMING if "--resume" in words else ()
    for pattern in program.leaves:
        files = list(tmp_path.glob(pattern))
        is_written = any(path.stat().st_mtime >= begun for path in files)
        assert is_written or (files and pattern in stays), f"{pattern} was not written\n{output}"


def test_an_unknown_command_is_named() -> None:
    with pytest.raises(pytest.fail.Exception, match=r"x\.md:3: 'python fly\.py' is run by no test"):
        program_of(Command("python fly.py", "x.md:3"))


@pytest.mark.parametrize(
    "block", [block for block in blocks() if block.language == "python"], ids=lambda block: block.place
)
def test_python_of_the_documents_runs(
    block: Block, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest
) -> None:
    names: dict[str, object] = {"my_agent": "random"}
    if "policy.onnx" in block.text:
        shutil.copy(request.getfixturevalue("exported"), tmp_path)
        tables = VectorTables(classic(2), 3, seed=1)
        observations = np.array(tables.observations, np.float32)  # as the environments give them
        names = {"observations": observations, "masks": np.array(tables.masks)}
    monkeypatch.chdir(tmp_path)
    exec(compile(re.sub(r"boards=\d+", "boards=2", block.text), block.place, "exec"), names)


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.place)
def test_every_block_says_what_it_is(block: Block) -> None:
    """TOML is a config or pyproject.toml's, JSON can be read, and no other language is unknown here."""
    if block.language == "toml":
        content = tomllib.loads(block.text)
        if not {"project", "tool"} & set(content):
            from_dict(content, block.place)
    elif block.language == "json":
        json.loads(block.text)
    elif not block.language.startswith("{"):  # what Sphinx is told, and checks as it builds the site
        assert block.language in (*SHELL, "python", "pycon", "text"), f"{block.place}: {block.language}"


OPTION = re.compile(r"(?<![\w-])--[a-z][a-z_.-]*")
KEY = re.compile(r"([a-z]+)\.(?!py$)([a-z_]+)")  # ppo.clip, but not the file ppo.py


@pytest.fixture(scope="session")
def known_options(tmp_path_factory: pytest.TempPathFactory) -> set[str]:
    """The options of every program that the documents name."""
    load_libraries()
    folder = tmp_path_factory.mktemp("helps")
    programs = [[str(ROOT / f"{name}.py")] for name in ("train", "evaluate", "play")]
    modules = [
        "canasta_env picture",
        "canasta_agents review",
        "tests.reference.lockstep",
    ]
    programs += [["-m", *module.split()] for module in modules]
    scripts = [path for folder in ("examples", "benchmarks") for path in (ROOT / folder).glob("*.py")]
    known = {option for path in scripts for option in options_of_example(path)}
    return known.union(*(OPTION.findall(run(folder, ["python", *words, "--help"])) for words in programs))


def test_options_within_sentences_exist(known_options: set[str]) -> None:
    named = {(option, place) for text, place in spans() for option in OPTION.findall(text) if text[0] == "-"}
    assert len(named) > 10
    assert not {(option, place) for option, place in named if option not in known_options}


def test_keys_of_configs_within_sentences_exist() -> None:
    sections = {field.name: field.default_factory() for field in dataclasses.fields(Config)}  # type: ignore[misc]
    named = [
        (*match.groups(), place)
        for text, place in spans()
        if (match := KEY.fullmatch(text)) and match.group(1) in sections
    ]
    assert len(named) > 5
    assert not [name for name in named if not hasattr(sections[name[0]], name[1])]
