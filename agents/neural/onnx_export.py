"""A trained policy as one ONNX file: for programs that play it without PyTorch."""

from __future__ import annotations

import json
import logging
import warnings
from pathlib import Path
from typing import Any

import torch

from canasta_agents.files import write_file
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.distribution import masked_log_probs
from canasta_agents.neural.features import FeatureReader
from canasta_agents.neural.onnx_agent import INPUTS, METADATA, OUTPUTS, describe_policy
from canasta_agents.neural.policy_file import Policy, load_policy
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.layout import features

_OPSET = 20
_PRODUCER = "canasta-env"
_NEEDS = "exporting needs onnx and onnxscript: pip install 'canasta-env[train,onnx]'"


def export(checkpoint: Path, file: Path) -> dict[str, str]:
    """Write the policy of a run or checkpoint as an ONNX file.

    Inputs: `observations`, `(n, observation_size) int8`, those of this version also if the policy reads
    fewer features, and `masks`, `(n, NUM_ACTIONS) int8`, 1 = legal.
    Outputs: `actions`, `(n,) int64`, the likeliest legal ones, and `log_probs`, `(n, NUM_ACTIONS) float32`
    (nats; the lowest finite number where an action is illegal).

    Args:
        checkpoint: As for `load_policy`: runs/NAME or a checkpoint in it.
        file: Replaced, whole or not at all.

    Returns:
        The metadata in the file, see `onnx_agent.describe_policy`.

    Raises:
        CheckpointError: If there is no policy to export.
        ImportError: If a library is missing; names the extra.
    """
    policy = load_policy(checkpoint)
    if policy.features is None:
        raise CheckpointError(f"{checkpoint}: its policy.json names no features that the policy reads")
    metadata = describe_policy(policy.rules, features(policy.rules))
    facts = {
        name: policy.card[name] for name in ("decisions", "reference", "measured") if name in policy.card
    }
    metadata["policy"] = json.dumps(facts)
    write_file(file, _graph(policy, metadata))
    return metadata


class _Chooser(torch.nn.Module):
    """What the file computes: the likeliest legal actions and all log-probabilities."""

    columns: torch.Tensor  # (features,) int64, see FeatureReader
    is_there: torch.Tensor  # (features,) int8

    def __init__(self, policy: Policy) -> None:
        super().__init__()
        self.network = policy.network
        reader = FeatureReader(policy.rules, policy.features or [], "policy")
        self.register_buffer("columns", torch.from_numpy(reader.columns))
        self.register_buffer("is_there", torch.from_numpy(reader.is_there))

    def forward(self, observations: torch.Tensor, masks: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        read = observations.index_select(1, self.columns) * self.is_there
        logits = self.network.logits(read).float()
        legal = logits.masked_fill(masks == 0, torch.finfo(torch.float32).min)
        return legal.argmax(dim=-1), masked_log_probs(logits, masks)


def _graph(policy: Policy, metadata: dict[str, str]) -> bytes:
    try:
        import onnx
        import onnxscript  # noqa: F401
    except ImportError as error:
        raise ImportError(_NEEDS) from error
    num = torch.export.Dim.DYNAMIC
    examples = (
        torch.zeros((2, len(features(policy.rules))), dtype=torch.int8),
        torch.ones((2, NUM_ACTIONS), dtype=torch.int8),
    )
    logging.getLogger("torch.onnx").setLevel(logging.ERROR)  # it reports on operators of other packages
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # PyTorch's exporter warns of its own future
        program: Any = torch.onnx.export(
            _Chooser(policy).eval(),
            examples,
            dynamo=True,
            opset_version=_OPSET,
            input_names=list(INPUTS),
            output_names=list(OUTPUTS),
            dynamic_shapes=({0: num}, {0: num}),
            verbose=False,
        )
    model = program.model_proto
    model.producer_name = _PRODUCER
    onnx.helper.set_model_props(model, {f"{METADATA}{name}": text for name, text in metadata.items()})
    onnx.checker.check_model(model)
    content: bytes = model.SerializeToString()
    return content
