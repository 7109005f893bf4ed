"""An exported policy chooses as the checkpoint does, without PyTorch, and says what it is for."""

import json
import subprocess
import sys

import numpy as np
import pytest

from canasta_agents.__main__ import main
from canasta_agents.registry import RegistryError, make
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.engine.layout import critic_size, observation_size, row_size
from canasta_env.vector import VectorTables
from tests.agents.deciding import GAMES

torch = pytest.importorskip("torch")
onnx = pytest.importorskip("onnx")
pytest.importorskip("onnxscript")
onnxruntime = pytest.importorskip("onnxruntime")

from canasta_agents.learning import checkpoint  # noqa: E402
from canasta_agents.neural import policy_file  # noqa: E402
from canasta_agents.neural.agent import NeuralAgent  # noqa: E402
from canasta_agents.neural.config import Network  # noqa: E402
from canasta_agents.neural.distribution import masked_log_probs  # noqa: E402
from canasta_agents.neural.onnx_agent import ExportError, OnnxAgent  # noqa: E402
from canasta_agents.neural.onnx_export import export  # noqa: E402
from canasta_agents.policies import bundled_policy  # noqa: E402
from canasta_agents.registry import fingerprint  # noqa: E402

NUM_VIEWS = 10_000
TABLES = 250
METADATA = {"game": "classic", "players": "2", "observation_size": "651"}
CLOSE_CALL = 1e-4  # nats: between choices as close as this, rounding may decide


def decisions(rules, num, seed):
    """Decisions of random play in mid-game, `num` of them, TABLES at a time."""
    tables = VectorTables(rules, TABLES, seed=seed, scores="drawn")
    player = make("random", rules)
    player.reset(TABLES, seed)
    every = np.arange(TABLES)
    for _ in range(num // TABLES):
        for _ in range(7):
            now = DecisionBatch(rules, every, tables.to_play.copy(), tables.views.copy(), tables.masks.copy())
            tables.step(player.act(now))
        yield DecisionBatch(rules, every, tables.to_play.copy(), tables.views.copy(), tables.masks.copy())


def train(rules, steps=60):
    """A small network that has learnt some of what the strongest rule-based player does."""
    torch.manual_seed(1)
    sizes = observation_size(rules), critic_size(rules), row_size(rules)
    network = policy_file.build_network(Network(width=48, row_width=16), *sizes)
    optimizer = torch.optim.Adam(network.parameters(), 3e-3)
    teacher = make("heuristic", rules)
    teacher.reset(TABLES, 1)
    for batch in decisions(rules, steps * TABLES, seed=1):
        logits = network.logits(torch.from_numpy(batch.observations))
        chosen = torch.from_numpy(teacher.act(batch))
        loss = torch.nn.functional.nll_loss(masked_log_probs(logits, torch.from_numpy(batch.masks)), chosen)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return network.eval()


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """A function: the run of a small trained policy and the file exported from it, by the game's name."""
    made = {}

    def export(name):
        if name not in made:
            rules, folder = GAMES[name], tmp_path_factory.mktemp(name)
            network = train(rules)
            card = policy_file.policy_card(network, rules, decisions=1_234, seconds=1.0)
            checkpoint.save(folder / "run" / "best", network, card)
            assert main(["export", str(folder / "run"), str(folder / "policy.onnx")]) == 0
            made[name] = folder / "run", folder / "policy.onnx"
        return made[name]

    return export


@pytest.mark.parametrize("name", ["modern", "classic-3"])
def test_it_chooses_as_the_checkpoint_does(exported, name):
    run, file = exported(name)
    trained, player = NeuralAgent(run), make(f"onnx:{file}", GAMES[name])
    player.reset(TABLES, 0)
    different, seen = 0, 0
    for batch in decisions(GAMES[name], NUM_VIEWS, seed=2):
        actions, others = trained.act(batch), player.act(batch)
        assert batch.masks[np.arange(len(batch)), others].all()
        logits = trained._logits(batch.observations)
        rows = np.flatnonzero(actions != others)
        assert (logits[rows, actions[rows]] - logits[rows, others[rows]] < CLOSE_CALL).all()
        different += len(rows)
        seen += len(batch)
    assert seen == NUM_VIEWS
    assert different <= 1


def test_its_log_probabilities_are_those_of_the_network(exported):
    run, file = exported("modern")
    network = policy_file.load_policy(run).network
    session = onnxruntime.InferenceSession(file)
    batch = next(decisions(GAMES["modern"], TABLES, seed=3))
    inputs = {"observations": batch.observations, "masks": batch.masks}
    _, log_probs = session.run(["actions", "log_probs"], inputs)
    with torch.inference_mode():
        logits = network.logits(torch.from_numpy(batch.observations))
        expected = masked_log_probs(logits, torch.from_numpy(batch.masks)).numpy()
    np.testing.assert_allclose(log_probs, expected, rtol=1e-4, atol=1e-4)
    assert (np.exp(log_probs)[batch.masks == 0] == 0).all()
    single = session.run(["actions"], {name: array[:1] for name, array in inputs.items()})[0]
    assert single.shape == (1,)


def test_the_file_says_what_it_is_for(exported):
    _, file = exported("classic-3")
    found = onnxruntime.InferenceSession(file).get_modelmeta().custom_metadata_map
    assert found["canasta.game"] == "classic"
    assert found["canasta.players"] == "3"
    assert found["canasta.observation_size"] == str(observation_size(GAMES["classic-3"]))
    assert found["canasta.notation_version"] == "1"
    assert json.loads(found["canasta.policy"]) == {"decisions": 1_234}
    agent = OnnxAgent(file)
    assert agent.rules == GAMES["classic-3"]
    assert agent.name == f"onnx:{file}"


def test_a_policy_of_fewer_features_is_exported_for_the_observations_of_today(tmp_path):
    """The first bundled policies read observations as they were in version 1."""
    rules = GAMES["classic-2"]
    file = tmp_path / "first.onnx"
    export(bundled_policy("classic_2"), file)
    policy, exported_one = NeuralAgent(bundled_policy("classic_2")), OnnxAgent(file)
    for batch in decisions(rules, NUM_VIEWS, seed=4):
        assert (policy.act(batch) == exported_one.act(batch)).mean() > 0.99


def test_it_plays_without_pytorch(exported):
    _, file = exported("modern")
    code = (
        "import sys; sys.modules['torch'] = None\n"
        "from canasta_env import modern_american\n"
        "from canasta_env.envs.single_agent import CanastaSeatEnv\n"
        "from canasta_agents.registry import make\n"
        f"env = CanastaSeatEnv(opponents=make({f'onnx:{file}'!r}, modern_american()))\n"
        "observation, _ = env.reset(seed=1)\n"
        "over = False\n"
        "while not over:\n"
        "    action = observation['action_mask'].argmax()\n"
        "    observation, reward, over, *_ = env.step(action)\n"
        "print(reward)\n"
    )
    played = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert played.returncode == 0, played.stderr
    float(played.stdout)


def test_it_is_refused_where_it_does_not_fit(exported, tmp_path):
    _, file = exported("modern")
    with pytest.raises(
        ExportError, match="was exported for game modern_american, but this table has classic"
    ):
        make(f"onnx:{file}", GAMES["classic-4"])
    _, file = exported("classic-3")
    with pytest.raises(ExportError, match="was exported for players 3, but this table has 2"):
        make(f"onnx:{file}", GAMES["classic-2"])
    for name, text, says in [
        ("notation_version", "0", "notation_version 0, but this table has 1"),
        ("observation_size", "9", "observation_size 9, but this table has 1292"),
        ("num_actions", "95", f"num_actions 95, but this table has {NUM_ACTIONS}"),
        ("format", "3", r"format 3; it reads formats 1 and 2"),
        ("features", "hand_K:1 hand_K:2 hands:0", "observation_size 1292, but this table has 3"),
    ]:
        changed = with_metadata(file, tmp_path / f"{name}.onnx", f"canasta.{name}", text)
        with pytest.raises(ExportError, match=says):
            make(f"onnx:{changed}", GAMES["classic-3"])


def with_metadata(file, changed, name, text):
    """A copy of an ONNX file with one entry of its metadata changed."""
    model = onnx.load(file)
    for entry in model.metadata_props:
        if entry.key == name:
            entry.value = text
    onnx.save(model, changed)
    return changed


def test_what_is_no_exported_policy_says_why(tmp_path):
    rules = GAMES["modern"]
    with pytest.raises(RegistryError, match="lacks the exported file"):
        make("onnx:", rules)
    with pytest.raises(ExportError, match="there is no such file"):
        make(f"onnx:{tmp_path / 'none.onnx'}", rules)
    (tmp_path / "text.onnx").write_text("no model")
    with pytest.raises(ExportError, match="cannot be read as an ONNX file"):
        make(f"onnx:{tmp_path / 'text.onnx'}", rules)
    empty = onnx.helper.make_graph([], "empty", [], [])
    onnx.save(onnx.helper.make_model(empty), tmp_path / "empty.onnx")
    with pytest.raises(ExportError):
        make(f"onnx:{tmp_path / 'empty.onnx'}", rules)


def test_a_weight_that_is_not_a_number_is_refused(exported, tmp_path):
    """The file played on, by the number of the first action."""
    _, file = exported("classic-3")
    rng, refused = np.random.default_rng(1), 0
    for place in range(len(onnx.load(file).graph.initializer)):
        model = onnx.load(file)
        tensor = model.graph.initializer[place]
        weights = onnx.numpy_helper.to_array(tensor).copy()
        if weights.dtype != np.float32 or weights.size < 2:
            continue
        weights.flat[rng.integers(weights.size)] = np.nan
        tensor.CopyFrom(onnx.numpy_helper.from_array(weights, tensor.name))
        onnx.save(model, tmp_path / "damaged.onnx")
        with pytest.raises(ExportError, match=r"damaged\.onnx: its model gives no actions with finite"):
            make(f"onnx:{tmp_path / 'damaged.onnx'}", GAMES["classic-3"])
        refused += 1
    assert refused > 5


def test_a_model_that_is_no_policy_is_refused(exported, tmp_path):
    _, file = exported("classic-3")
    model = onnx.load(file)
    del model.graph.output[1]
    onnx.save(model, tmp_path / "short.onnx")
    with pytest.raises(ExportError, match=r"short\.onnx: its model fails \(.*log_probs"):
        make(f"onnx:{tmp_path / 'short.onnx'}", GAMES["classic-3"])


@pytest.mark.parametrize(
    "change", [lambda data: b"", lambda data: data[: len(data) // 2], lambda data: b"\xff" * len(data)]
)
def test_weights_in_a_second_file_that_is_damaged_are_refused(change, exported, tmp_path):
    _, file = exported("classic-3")
    onnx.save(
        onnx.load(file), tmp_path / "x.onnx", save_as_external_data=True, location="x.data", size_threshold=64
    )
    make(f"onnx:{tmp_path / 'x.onnx'}", GAMES["classic-3"])
    (tmp_path / "x.data").write_bytes(change((tmp_path / "x.data").read_bytes()))
    with pytest.raises(ExportError, match=r"x\.onnx: "):
        make(f"onnx:{tmp_path / 'x.onnx'}", GAMES["classic-3"])
    (tmp_path / "x.data").unlink()
    with pytest.raises(ExportError, match=r"x\.onnx: "):
        make(f"onnx:{tmp_path / 'x.onnx'}", GAMES["classic-3"])


def test_a_policy_of_the_package_is_exported_by_the_name_it_plays_under(tmp_path, monkeypatch):
    asked = []
    monkeypatch.setattr(
        "canasta_agents.neural.onnx_export.export", lambda run, file: asked.append(str(run)) or METADATA
    )
    for name in ("neural:classic_2", "classic_2", "runs/x/best"):
        assert main(["export", name, str(tmp_path / "policy.onnx")]) == 0
    assert asked == ["classic_2", "classic_2", "runs/x/best"]


def test_the_command_says_what_was_wrong(tmp_path, capsys):
    assert main(["export", str(tmp_path), str(tmp_path / "policy.onnx")]) == 1
    assert "holds no policy" in capsys.readouterr().err
    assert not (tmp_path / "policy.onnx").exists()


def test_the_arena_notices_another_file_of_the_same_name(tmp_path):
    file = tmp_path / "policy.onnx"
    file.write_bytes(b"one")
    before = fingerprint(f"onnx:{file}")
    file.write_bytes(b"two")
    assert fingerprint(f"onnx:{file}") != before
