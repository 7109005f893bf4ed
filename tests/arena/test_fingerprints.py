"""What stored blocks are known by: the files of an entrant, and the code that results depend on."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import canasta_agents
from canasta_agents import policies
from canasta_agents.arena.tournament import Settings, Tournament
from canasta_agents.policies import policy_folder
from canasta_agents.registry import RegistryError, code_files, code_fingerprint, files_of, fingerprint
from canasta_env.rules import classic

AGENTS = Path(canasta_agents.__file__).parent
LONG_NAME = f"{'long' * 40}.data"  # whose length takes two bytes in a model
CARD_AND_WEIGHTS = ["policy.json", "policy.safetensors"]


def write(folder: Path, names: list[str], content: str = "") -> None:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content or f"# {name}\n")


def write_model(file: Path, *external: str) -> None:
    """The bytes of a model as far as they matter: tensors whose weights are in files of these names."""
    entries = [entry(b"location", name.encode()) + entry(b"offset", b"0") for name in external]
    file.write_bytes(b"\x08\x0a" + b"".join(entries) + b"location weights")


def entry(key: bytes, value: bytes) -> bytes:
    assert len(value) < 128
    return b"j%c" % (len(key) + len(value) + 4) + b"\n%c%b\x12%c%b" % (len(key), key, len(value), value)


# A kind of spec: which files there are, the spec ({} is the folder), and the files that it stands for.
KINDS = {
    "policy of the package": (
        [f"bundled/{game}/{name}" for game in ("mine", "other") for name in CARD_AND_WEIGHTS],
        "neural:mine",
        [f"bundled/mine/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "run with a best policy": (
        [f"run/{which}/{name}" for which in ("best", "latest") for name in CARD_AND_WEIGHTS],
        "neural:{}/run",
        [f"run/best/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "run with its latest policy only": (
        [f"run/latest/{name}" for name in (*CARD_AND_WEIGHTS, "training.json", "training.safetensors")],
        "neural:{}/run",
        [f"run/latest/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "checkpoint": (
        [f"run/{name}" for name in CARD_AND_WEIGHTS] + [f"run/best/{name}" for name in CARD_AND_WEIGHTS],
        "neural:{}/run",
        [f"run/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "checkpoint whose writing was cut off": (
        [f"run/best.previous/{name}" for name in CARD_AND_WEIGHTS],
        "neural:{}/run/best",
        [f"run/best.previous/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "search with a policy": (
        [f"run/best/{name}" for name in (*CARD_AND_WEIGHTS, "training.json")],
        "search:neural:{}/run?worlds=8",
        [f"run/best/{name}" for name in CARD_AND_WEIGHTS],
    ),
    "exported policy": (["policy.onnx", "policy.onnx.data"], "onnx:{}/policy.onnx", ["policy.onnx"]),
    "class in a file": (["mine.py", "other.py"], "file:{}/mine.py:Mine", ["mine.py"]),
    "module": (["fp_module.py", "fp_other.py"], "python:fp_module:Mine", ["fp_module.py"]),
    "module in a package": (
        ["fp_outer/__init__.py", "fp_outer/mine.py", "fp_outer/other.py"],
        "python:fp_outer.mine:Mine",
        ["fp_outer/mine.py"],
    ),
    "module in folders that are no packages": (
        ["fp_plain/deep/mine.py", "fp_plain/deep/other.py"],
        "python:fp_plain.deep.mine:Mine",
        ["fp_plain/deep/mine.py"],
    ),
    "package": (
        [
            "fp_whole/__init__.py",
            "fp_whole/net.py",
            "fp_whole/sub/plan.py",
            "fp_whole/notes.txt",
            "fp_whole.py",
        ],
        "python:fp_whole:Mine",
        ["fp_whole/__init__.py", "fp_whole/net.py", "fp_whole/sub/plan.py"],
    ),
    "package in a package": (
        ["fp_far/__init__.py", "fp_far/near/__init__.py", "fp_far/near/net.py"],
        "python:fp_far.near:Mine",
        ["fp_far/near/__init__.py", "fp_far/near/net.py"],
    ),
    "rule-based player": (["closer"], "closer", []),
}


@pytest.mark.parametrize("kind", KINDS)
def test_replacing_any_file_of_an_entrant_changes_its_fingerprint(tmp_path, monkeypatch, kind):
    every, spec, own = KINDS[kind]
    write(tmp_path, every)
    monkeypatch.setattr(policies, "FOLDER", tmp_path / "bundled")
    monkeypatch.syspath_prepend(tmp_path)
    check_files(spec.format(tmp_path), tmp_path, own)


@pytest.mark.parametrize("external", [("weights.bin",), ("a.data", "deep/b.data"), ("nowhere",)])
def test_replacing_the_external_weights_of_an_exported_policy_changes_its_fingerprint(tmp_path, external):
    write(tmp_path, ["weights.bin", "a.data", "deep/b.data", "b.data"])
    write_model(tmp_path / "policy.onnx", *external)
    present = [name for name in external if (tmp_path / name).exists()]
    check_files(f"onnx:{tmp_path / 'policy.onnx'}", tmp_path, ["policy.onnx", *present])


def check_files(spec: str, folder: Path, own: list[str]) -> None:
    """See that the files of a spec are these, and that its fingerprint depends on each and on no other."""
    assert sorted(files_of(spec).values()) == sorted(folder / name for name in own)
    before = fingerprint(spec)
    for path in (path for path in folder.rglob("*") if path.is_file()):
        content = path.read_bytes()
        path.write_bytes(content + b"#")
        assert (fingerprint(spec) != before) == (path.relative_to(folder).as_posix() in own), path
        path.write_bytes(content)
    assert fingerprint(spec) == before


def test_weights_that_look_like_the_name_of_a_file_are_harmless(tmp_path):
    file = tmp_path / "policy.onnx"
    for value in (
        b"\x12\x05a\0b\xff/",
        b"\x12\xff\xff\x7f" + b"x" * 9_000,
        b"\x12\x00",
        b"\x12",
        b"\x12" + b"\xff" * 99,
    ):
        file.write_bytes(b"\n\x08location" + value)
        assert files_of(f"onnx:{file}") == {"policy.onnx": file}


@pytest.mark.parametrize(
    ("options", "external"),
    [
        ({"all_tensors_to_one_file": True, "location": LONG_NAME}, [LONG_NAME]),
        ({"all_tensors_to_one_file": False}, ["first", "second"]),
    ],
)
def test_the_names_in_a_model_are_read_as_the_library_of_models_writes_them(tmp_path, options, external):
    onnx = pytest.importorskip("onnx")
    names = ["first", "second"]
    weights = [onnx.numpy_helper.from_array(np.ones(600, np.float32), name) for name in names]
    node = onnx.helper.make_node("Add", names, ["sum"])
    output = onnx.helper.make_tensor_value_info("sum", onnx.TensorProto.FLOAT, [600])
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "sum", [], [output], weights))
    file = tmp_path / "policy.onnx"
    onnx.save(model, file, save_as_external_data=True, size_threshold=0, **options)
    check_files(f"onnx:{file}", tmp_path, ["policy.onnx", *external])


@pytest.mark.parametrize("kind", [kind for kind, (_, spec, _) in KINDS.items() if spec.startswith("neural:")])
def test_a_policy_s_fingerprint_is_of_the_files_that_are_loaded(tmp_path, monkeypatch, kind):
    pytest.importorskip("torch")
    from canasta_agents.neural.policy_file import find_policy

    every, spec, own = KINDS[kind]
    write(tmp_path, every)
    monkeypatch.setattr(policies, "FOLDER", tmp_path / "bundled")
    path = Path(spec.format(tmp_path).removeprefix("neural:"))
    assert find_policy(path) == policy_folder(path) == tmp_path / Path(own[0]).parent


def test_other_weights_under_a_bundled_name_are_not_served_the_old_ones_blocks(tmp_path, monkeypatch):
    pytest.importorskip("torch")
    from safetensors.numpy import load_file, save_file

    shutil.copytree(policies.FOLDER / "classic_2", tmp_path / "policies" / "classic_2")
    monkeypatch.setattr(policies, "FOLDER", tmp_path / "policies")
    settings = Settings(classic(2), ("random", "neural:classic_2"), boards=2)

    def boards_in_the_journal() -> int:
        found: list[int] = []
        tournament = Tournament.prepare(settings)
        tournament.run(tmp_path / "blocks", 1, lambda done, wanted, run: found.append(done))
        return found[0]

    assert [boards_in_the_journal(), boards_in_the_journal()] == [0, 2]
    file = tmp_path / "policies" / "classic_2" / "policy.safetensors"
    save_file({name: array * np.float32(0.5) for name, array in load_file(file).items()}, file)
    assert [boards_in_the_journal(), boards_in_the_journal()] == [0, 2]


@pytest.mark.parametrize(
    ("spec", "says"),
    [
        ("neural:{}/none", "holds no policy"),
        ("neural:{}/half", "there is no file .*policy.json"),
        ("onnx:{}/none.onnx", "there is no file .*none.onnx"),
        ("file:{}/none.py:Mine", "there is no file .*none.py"),
    ],
)
def test_an_entrant_whose_files_are_missing_is_named(tmp_path, spec, says):
    write(tmp_path, ["half/policy.safetensors"])
    with pytest.raises(RegistryError, match=f"agents: {spec.format(tmp_path)}.*{says}"):
        fingerprint(spec.format(tmp_path))


@pytest.fixture(scope="module")
def copied(tmp_path_factory):
    """A copy of the package's sources."""
    folder = tmp_path_factory.mktemp("copy") / "agents"
    shutil.copytree(AGENTS, folder, ignore=shutil.ignore_patterns("__pycache__", "*.safetensors"))
    return folder


@pytest.mark.parametrize(
    ("name", "matters"),
    [
        ("heuristics/keeper.py", True),
        ("arena/blocks.py", True),
        ("neural/network.py", True),
        ("neural/agent.py", True),
        ("search/rollouts.py", True),
        ("registry.py", True),
        ("play/session.py", False),
        ("play/static/app.js", False),
        ("learning/trainer.py", False),
        ("learning/ppo.py", False),
    ],
)
def test_a_comment_changes_the_fingerprint_of_the_code_where_results_depend_on_it(copied, name, matters):
    before, source = code_fingerprint(copied), (copied / name).read_text()
    assert before == code_fingerprint()
    (copied / name).write_text(source + "\n# A comment.\n")
    assert (code_fingerprint(copied) != before) == matters
    (copied / name).write_text(source)


def test_a_new_player_changes_the_fingerprint_of_the_code(copied):
    before = code_fingerprint(copied)
    (copied / "heuristics" / "newcomer.py").write_text("")
    assert code_fingerprint(copied) != before
    (copied / "heuristics" / "newcomer.py").unlink()


def test_the_fingerprint_of_the_code_covers_all_that_a_policy_plays_with():
    pytest.importorskip("torch")
    code = (
        "import json, sys\n"
        "from pathlib import Path\n"
        "import canasta_agents\n"
        "from canasta_agents.arena import compare\n"
        "from canasta_env.rules import classic\n"
        "compare('neural:classic_2', 'random', classic(2), boards=1)\n"
        "folder = Path(canasta_agents.__file__).parent\n"
        "modules = [module for name, module in sys.modules.items() if name.startswith('canasta_agents.')]\n"
        "files = [Path(module.__file__).relative_to(folder).as_posix() for module in modules]\n"
        "print(json.dumps(files))\n"
    )
    played = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(json.loads(played.stdout.splitlines()[-1]))
    assert {"neural/agent.py", "neural/network.py", "heuristics/jit.py", "arena/blocks.py"} <= loaded
    covered = {name.removeprefix("agents/") for name in code_files() if name.startswith("agents/")}
    assert not loaded - covered
