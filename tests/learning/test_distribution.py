"""Masking: illegal actions have probability 0, no gradient, and are never drawn."""

import numpy as np
import pytest
import torch

from canasta_agents.neural.distribution import best_actions, entropies, masked_log_probs, sample_actions


def draw(logits, masks, uniforms):
    actions, log_probs = np.zeros(len(logits), np.int64), np.zeros(len(logits), np.float32)
    sample_actions(logits.astype(np.float32), masks, uniforms, actions, log_probs)
    return actions, log_probs


def test_illegal_actions_have_probability_exactly_0_and_legal_ones_sum_to_1():
    masks = torch.tensor([[1, 0, 1, 0]], dtype=torch.int8)
    probabilities = masked_log_probs(torch.tensor([[1.0, 50.0, 2.0, -50.0]]), masks).exp()
    assert probabilities[0, 1].item() == 0
    assert probabilities[0, 3].item() == 0
    assert probabilities.sum().item() == pytest.approx(1)
    assert probabilities[0, 2].item() / probabilities[0, 0].item() == pytest.approx(np.e, rel=1e-5)


def test_illegal_logits_get_no_gradient_and_no_undefined_number():
    logits = torch.zeros(3, 5, requires_grad=True)
    masks = torch.tensor([[1, 1, 0, 0, 1], [0, 1, 0, 0, 0], [1, 1, 1, 1, 1]], dtype=torch.int8)
    log_probs = masked_log_probs(logits, masks)
    (log_probs[:, 1].sum() + entropies(log_probs).sum()).backward()
    assert torch.isfinite(logits.grad).all()
    assert (logits.grad[masks == 0] == 0).all()
    assert (logits.grad[0, masks[0] == 1] != 0).all()


def test_entropy_by_hand():
    masks = torch.tensor([[1, 1, 0], [0, 0, 1], [1, 1, 1]], dtype=torch.int8)
    logits = torch.tensor([[0.0, 0.0, 9.0], [1.0, 2.0, 3.0], [np.log(2.0), 0.0, 0.0]])
    expected = [np.log(2), 0, -(0.5 * np.log(0.5) + 2 * 0.25 * np.log(0.25))]
    assert entropies(masked_log_probs(logits, masks)).tolist() == pytest.approx(expected, abs=1e-6)


def test_the_kernel_and_pytorch_give_the_same_log_probabilities():
    rng = np.random.default_rng(0)
    logits = (rng.normal(size=(500, 96)) * 5).astype(np.float32)
    masks = (rng.random((500, 96)) < 0.2).astype(np.int8)
    masks[:, 3] = 1
    actions, log_probs = draw(logits, masks, rng.random(500))
    assert (masks[np.arange(500), actions] == 1).all()
    expected = masked_log_probs(torch.from_numpy(logits), torch.from_numpy(masks))
    assert log_probs == pytest.approx(expected.numpy()[np.arange(500), actions], abs=1e-5)


def test_drawn_actions_follow_the_distribution():
    rng = np.random.default_rng(1)
    num = 200_000
    logits = np.tile(np.log([0.5, 0.2, 0.9, 0.3]), (num, 1))
    masks = np.tile(np.array([1, 1, 0, 1], np.int8), (num, 1))
    actions, _ = draw(logits, masks, rng.random(num))
    shares = np.bincount(actions, minlength=4) / num
    assert shares == pytest.approx([0.5, 0.2, 0, 0.3], abs=0.005)


@pytest.mark.parametrize("uniform", [0.0, np.nextafter(1.0, 0.0)])
def test_the_ends_of_the_unit_interval_draw_legal_actions(uniform):
    logits = np.zeros((1, 6))
    masks = np.array([[0, 1, 0, 1, 1, 0]], np.int8)
    actions, log_probs = draw(logits, masks, np.array([uniform]))
    assert actions[0] == (1 if uniform == 0 else 4)
    assert log_probs[0] == pytest.approx(-np.log(3))


def test_the_best_action_is_legal():
    actions = np.zeros(2, np.int64)
    logits = np.array([[9, 1, 2], [-3, -1, -2]], np.float32)
    best_actions(logits, np.array([[0, 1, 1], [1, 0, 1]], np.int8), actions)
    assert actions.tolist() == [2, 2]
