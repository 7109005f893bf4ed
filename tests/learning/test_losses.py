"""The losses of PPO and imitation, worked by hand, and their gradients against differences."""

import numpy as np
import pytest
import torch

from canasta_agents.learning.config import Imitation, Ppo
from canasta_agents.learning.ppo import Minibatch, imitation_loss, ppo_loss
from canasta_agents.neural.distribution import masked_log_probs


def minibatch(actions, **tensors):
    """Decisions with two legal actions each; what is not given is 0."""
    num = len(actions)
    zeros = {name: torch.zeros(num) for name in ("log_probs", "values", "advantages", "returns")}
    nothing = torch.zeros(num, 0, dtype=torch.int8)
    masks = torch.ones(num, 2, dtype=torch.int8)
    given = {"observations": nothing, "critic_states": nothing, "masks": masks, **zeros, **tensors}
    return Minibatch(actions=torch.as_tensor(actions), **given)


def policy_loss(ratios, advantages, clip=0.2):
    """The loss of the policy alone, and its gradient by the log-probability of the action taken."""
    logits = torch.zeros(len(ratios), 2, requires_grad=True)  # both actions have probability 1/2
    old_log_probs = torch.log(torch.tensor(0.5) / torch.tensor(ratios))
    batch = minibatch([0] * len(ratios), log_probs=old_log_probs, advantages=torch.tensor(advantages))
    loss, metrics = ppo_loss(logits, torch.zeros(len(ratios)), batch, Ppo(clip_range=clip), entropy_coef=0.0)
    loss.backward()
    assert loss.item() == metrics["policy_loss"].item()
    return loss.item(), (logits.grad[:, 0] / (1 - 0.5)).tolist()  # d log p_0 / d logit_0 = 1 - p_0


def test_inside_the_clip_the_loss_is_minus_ratio_times_advantage():
    loss, gradient = policy_loss([1.1, 0.9], [2.0, -3.0])
    assert loss == pytest.approx(-(1.1 * 2 - 0.9 * 3) / 2)
    assert gradient == pytest.approx([-1.1 * 2 / 2, 0.9 * 3 / 2])


def test_beyond_the_clip_there_is_no_more_to_gain_but_all_to_lose():
    loss, gradient = policy_loss([1.5, 0.5, 1.5, 0.5], [1.0, -1.0, -1.0, 1.0])
    assert loss == pytest.approx(-(1.2 - 0.8 - 1.5 + 0.5) / 4)
    assert gradient[:2] == [0, 0]
    assert gradient[2:] == pytest.approx([1.5 / 4, -0.5 / 4])


def value_loss(values, old, returns, clip):
    batch = minibatch([0] * len(values), values=old, returns=returns)
    batch.log_probs.fill_(np.log(0.5))
    config = Ppo(clip_range_vf=clip, value_coef=2.0)
    loss, metrics = ppo_loss(torch.zeros(len(values), 2), values, batch, config, entropy_coef=0.0)
    assert loss.item() == pytest.approx(2 * metrics["value_loss"].item(), abs=1e-6)
    return metrics["value_loss"]


def test_value_loss_by_hand():
    values, old, returns = torch.tensor([1.0, 3.0]), torch.tensor([0.0, 3.0]), torch.tensor([2.0, 0.0])
    assert value_loss(values, old, returns, clip=0).item() == pytest.approx(0.5 * (1 + 9) / 2)
    # With clip 0.5 the first value counts as 0.5: error 1.5 instead of 1.
    assert value_loss(values, old, returns, clip=0.5).item() == pytest.approx(0.5 * (1.5**2 + 9) / 2)


def test_a_value_beyond_its_clip_has_no_gradient():
    values = torch.tensor([1.0], requires_grad=True)
    value_loss(values, torch.tensor([0.0]), torch.tensor([2.0]), clip=0.5).backward()
    assert values.grad.item() == 0


def kl_of(new, old, drawn):
    """The KL divergence that PPO's loss reports for decisions of one kind."""
    logits = torch.log(torch.tensor(new)).expand(len(drawn), -1)
    batch = minibatch(
        drawn, masks=torch.ones(len(drawn), len(new)), log_probs=torch.log(torch.tensor(old[drawn]))
    )
    _, metrics = ppo_loss(logits, torch.zeros(len(drawn)), batch, Ppo(), entropy_coef=0.0)
    return metrics["kl"].item()


def test_kl_is_0_for_equal_policies_and_near_the_truth_for_others():
    old, new = np.array([0.5, 0.3, 0.2]), np.array([0.45, 0.35, 0.2])
    drawn = np.random.default_rng(0).choice(3, size=400_000, p=old)
    assert kl_of(old, old, drawn[:4]) == pytest.approx(0, abs=1e-12)
    assert kl_of(new, old, drawn) == pytest.approx(float((old * np.log(old / new)).sum()), rel=0.03)


def test_the_entropy_bonus_lowers_the_loss():
    batch = minibatch([0, 0], log_probs=torch.full((2,), np.log(0.5)))
    loss, metrics = ppo_loss(torch.zeros(2, 2), torch.zeros(2), batch, Ppo(), entropy_coef=0.1)
    assert metrics["entropy"].item() == pytest.approx(np.log(2))
    assert loss.item() == pytest.approx(-0.1 * np.log(2))


def test_imitation_loss_is_the_mean_negative_log_probability_of_the_teachers_choice():
    logits = torch.log(torch.tensor([[0.2, 0.8], [0.5, 0.5]]))
    values, returns = torch.tensor([1.0, 0.0]), torch.tensor([3.0, 0.0])
    batch = minibatch([1, 0], returns=returns)
    loss, metrics = imitation_loss(logits, values, batch, Imitation(value_coef=0.25))
    assert metrics["loss"].item() == pytest.approx(-(np.log(0.8) + np.log(0.5)) / 2)
    assert metrics["value_loss"].item() == pytest.approx(0.5 * 4 / 2)
    assert loss.item() == pytest.approx(metrics["loss"].item() + 0.25 * 1)
    assert metrics["agreement"].item() == 1


def whole_loss(logits, values, masks, actions, fault=0.0):
    """PPO's loss in double precision, optionally with a planted fault in its gradient."""
    num = len(actions)
    batch = minibatch(
        actions,
        masks=masks,
        log_probs=torch.full((num,), -1.0, dtype=torch.float64),
        values=values.detach(),
        advantages=torch.linspace(-1, 1, num, dtype=torch.float64),
        returns=torch.ones(num, dtype=torch.float64),
    )
    loss, _ = ppo_loss(logits, values, batch, Ppo(clip_range=10.0), entropy_coef=0.01)
    drawn = masked_log_probs(logits, masks).gather(1, actions[:, None])
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
