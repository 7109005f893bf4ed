"""The losses of PPO and imitation, worked by hand, and their gradients against differences."""

import numpy as np
import pytest
import torch

from canasta_agents.learning.ppo import clipped_policy_loss, estimate_kl, imitation_loss, value_loss
from canasta_agents.neural.distribution import entropies, masked_log_probs


def policy_loss(ratios, advantages, clip=0.2):
    log_probs = torch.log(torch.tensor(ratios)).requires_grad_()
    loss = clipped_policy_loss(log_probs, torch.zeros(len(ratios)), torch.tensor(advantages), clip)
    loss.backward()
    return loss.item(), log_probs.grad.tolist()


def test_inside_the_clip_the_loss_is_minus_ratio_times_advantage():
    loss, gradient = policy_loss([1.1, 0.9], [2.0, -3.0])
    assert loss == pytest.approx(-(1.1 * 2 - 0.9 * 3) / 2)
    assert gradient == pytest.approx([-1.1 * 2 / 2, 0.9 * 3 / 2])


def test_beyond_the_clip_there_is_no_more_to_gain_but_all_to_lose():
    loss, gradient = policy_loss([1.5, 0.5, 1.5, 0.5], [1.0, -1.0, -1.0, 1.0])
    assert loss == pytest.approx(-(1.2 - 0.8 - 1.5 + 0.5) / 4)
    assert gradient[:2] == [0, 0]
    assert gradient[2:] == pytest.approx([1.5 / 4, -0.5 / 4])


def test_value_loss_by_hand():
    values, old, returns = torch.tensor([1.0, 3.0]), torch.tensor([0.0, 3.0]), torch.tensor([2.0, 0.0])
    assert value_loss(values, old, returns, clip=0).item() == pytest.approx(0.5 * (1 + 9) / 2)
    # With clip 0.5 the first value counts as 0.5: error 1.5 instead of 1.
    assert value_loss(values, old, returns, clip=0.5).item() == pytest.approx(0.5 * (1.5**2 + 9) / 2)


def test_a_value_beyond_its_clip_has_no_gradient():
    values = torch.tensor([1.0], requires_grad=True)
    value_loss(values, torch.tensor([0.0]), torch.tensor([2.0]), clip=0.5).backward()
    assert values.grad.item() == 0


def test_kl_is_0_for_equal_policies_and_near_the_truth_for_others():
    assert estimate_kl(torch.zeros(4), torch.zeros(4)).item() == 0
    old, new = np.array([0.5, 0.3, 0.2]), np.array([0.45, 0.35, 0.2])
    drawn = np.random.default_rng(0).choice(3, size=400_000, p=old)
    estimate = estimate_kl(torch.log(torch.tensor(new[drawn])), torch.log(torch.tensor(old[drawn])))
    assert estimate.item() == pytest.approx(float((old * np.log(old / new)).sum()), rel=0.03)


def test_imitation_loss_is_the_mean_negative_log_probability_of_the_teachers_choice():
    log_probs = torch.log(torch.tensor([[0.2, 0.8], [0.5, 0.5]]))
    loss = imitation_loss(log_probs, torch.tensor([1, 0]))
    assert loss.item() == pytest.approx(-(np.log(0.8) + np.log(0.5)) / 2)


def whole_loss(logits, values, masks, actions, fault=0.0):
    """PPO's loss in double precision, optionally with a planted fault in its gradient."""
    log_probs = torch.log_softmax(logits.masked_fill(masks == 0, -1e30), dim=-1)
    drawn = log_probs.gather(1, actions[:, None]).squeeze(1)
    old = torch.full_like(drawn, -1.0)
    advantages = torch.linspace(-1, 1, len(actions), dtype=torch.float64)
    loss = clipped_policy_loss(drawn, old, advantages, 10.0) - 0.01 * entropies(log_probs).mean()
    loss = loss + 0.5 * value_loss(values, values.detach(), torch.ones_like(values), 0)
    return loss + fault * (drawn - drawn.detach()).sum()


@pytest.mark.parametrize(("fault", "is_right"), [(0.0, True), (1e-3, False)])
def test_gradients_agree_with_differences_and_a_planted_fault_shows(fault, is_right):
    torch.manual_seed(0)
    masks = (torch.rand(6, 7) < 0.6).to(torch.int8)
    masks[:, 0] = 1
    actions = torch.zeros(6, dtype=torch.int64)
    logits = torch.randn(6, 7, dtype=torch.float64, requires_grad=True)
    values = torch.randn(6, dtype=torch.float64, requires_grad=True)
    agrees = torch.autograd.gradcheck(
        lambda logits, values: whole_loss(logits, values, masks, actions, fault),
        (logits, values),
        eps=1e-6,
        atol=1e-6,
        raise_exception=False,
    )
    assert agrees is is_right


def test_masked_log_probs_agree_with_a_softmax_over_the_legal_actions_only():
    logits = torch.randn(1, 6)
    masks = torch.tensor([[1, 0, 1, 1, 0, 0]], dtype=torch.int8)
    legal = logits[masks == 1]
    assert masked_log_probs(logits, masks)[masks == 1].tolist() == pytest.approx(
        torch.log_softmax(legal, 0).tolist(), abs=1e-6
    )
