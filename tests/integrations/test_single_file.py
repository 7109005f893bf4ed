"""examples/cleanrl_style_ppo.py learns with this environment's packages: PyTorch is all that it needs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="the example learns with PyTorch (extra `train`)")

import torch

from examples.cleanrl_style_ppo import LAMBDA, Network, Rollout, advantages_of, loss_of
from tests.forked import ROOT, load_libraries, run

SHORT = ["--decisions", "512", "--num-envs", "8", "--num-steps", "32", "--width", "16", "--deals", "20"]
MEASURED = r"{} *[+-][\d,]+ points a deal \(95%: [+-][\d,]+ to [+-][\d,]+\)"


def test_it_runs_to_its_end(tmp_path: Path) -> None:
    load_libraries()
    printed = run(tmp_path, ["python", str(ROOT / "examples" / "cleanrl_style_ppo.py"), *SHORT])
    assert re.search(MEASURED.format("before:"), printed)
    assert re.search(r"512 decisions +[\d,]+ a second", printed)
    assert re.search(MEASURED.format("after:"), printed)


def a_rollout(dones: list[bool], rewards: list[float], values: list[float]) -> Rollout:
    """Of one table, with two actions of which the second is illegal."""
    steps = len(dones)
    return Rollout(
        observations=torch.ones(steps, 1, 3),
        masks=torch.tensor([[[1, 0]]] * steps, dtype=torch.int8),
        actions=torch.zeros(steps, 1, dtype=torch.int64),
        log_probs=torch.zeros(steps, 1),
        values=torch.tensor(values)[:, None],
        rewards=torch.tensor(rewards)[:, None],
        dones=torch.tensor(dones)[:, None],
    )


def test_advantages_are_those_worked_by_hand_and_end_with_the_deal() -> None:
    rollout = a_rollout([False, True, False], rewards=[0.0, 2.0, 0.0], values=[0.5, 1.5, -1.0])
    advantages = advantages_of(rollout, next_values=torch.tensor([0.25]))
    last, second = 0.25 - -1.0, 2.0 - 1.5  # the second ends its deal: nothing follows it
    first = (1.5 - 0.5) + LAMBDA * second
    assert advantages.squeeze(1).tolist() == pytest.approx([first, second, last])


def test_an_illegal_action_has_no_probability_and_no_gradient() -> None:
    torch.manual_seed(1)
    network = Network(num_features=3, num_actions=2, width=4)
    torch.nn.init.ones_(network.policy.weight)
    rows = Rollout(*(tensor.flatten(0, 1) for tensor in a_rollout([False] * 2, [0.0] * 2, [0.0] * 2)))
    log_probs, _ = network(rows.observations, rows.masks)
    assert log_probs.exp().tolist() == [[1.0, 0.0]] * 2
    loss = loss_of(network, rows, advantages=torch.tensor([1.0, -2.0]), targets=torch.zeros(2))
    loss.backward()
    assert torch.isfinite(loss)
    assert not network.policy.weight.grad[1].any()
