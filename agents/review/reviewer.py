"""Judging decisions: what the search would have done, and what was lost by not doing it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.asking import ask
from canasta_agents.config_checks import ConfigError
from canasta_agents.search.evaluation import (
    TABLES_AT_ONCE,
    Evaluation,
    Proposal,
    choose,
    mean_and_error,
    take_rows,
)
from canasta_agents.search.options import MOST_WORLDS, SearchOptions
from canasta_env.agent import Agent, DecisionBatch
from canasta_env.rules import Rules
from canasta_env.validation import check_seed


@dataclass
class Judgements:
    """What was found of decisions, an entry for each."""

    policy: NDArray[np.int64]  # (n,) the reviewing policy's own action
    choice: NDArray[np.int64]  # (n,) what the search does
    loss: NDArray[np.float64]  # (n,) points lost by what was played against that; 0 where it was played
    error: NDArray[np.float64]  # (n,) standard error of the loss
    candidates: NDArray[np.int64]  # (n, most) what was tried, padded with −1
    means: NDArray[np.float64]  # (n, most) points of each candidate in the worlds that chose; NaN: not tried
    probabilities: NDArray[np.float32] | None  # (n, NUM_ACTIONS) by the policy; None if it tells none


class Reviewer:
    """Judges decisions by a search, from the view of the seat that decided and nothing else.

    The worlds in which a loss is measured are others than those in which the search chose: an action that was
    lucky where it was chosen has no luck where it is measured, and a loss is right on average.

    Args:
        policy: The base player of the search.
        rules: The game.
        options: How to search; its time is not used.
        loss_worlds: Tables for each loss, at least 2.
        seed: Fixes all chance.

    Raises:
        ConfigError: If `loss_worlds` is out of its range.
        ValueError: If the policy has a memory, or the seed is not one of 64 bits.
    """

    def __init__(
        self, policy: Agent, rules: Rules, options: SearchOptions, loss_worlds: int = 64, seed: int = 0
    ) -> None:
        if not 2 <= loss_worlds <= MOST_WORLDS:
            raise ConfigError(f"loss-worlds: {loss_worlds!r} must be from 2 to {MOST_WORLDS}")
        self.policy, self.rules, self.options, self.loss_worlds = policy, rules, options, loss_worlds
        self.evaluation = Evaluation(policy, rules)
        self._seed = check_seed(seed)
        self.evaluation.reset(self._seed)

    def judge(
        self,
        batch: DecisionBatch,
        played: NDArray[np.int64],
        tell: Callable[[int], None] = lambda num: None,
    ) -> Judgements:
        """Judge decisions.

        Args:
            batch: Decisions with several legal actions.
            played: `(n,) int64`, what was done, legal.
            tell: Called with the number of decisions that have been judged.
        """
        if not len(batch):
            return _none()
        self.policy.reset(len(batch), self._seed)
        num_at_once = max(1, TABLES_AT_ONCE // (self.options.most_worlds * self.options.candidates))
        parts = []
        for start in range(0, len(batch), num_at_once):
            rows = np.arange(start, min(start + num_at_once, len(batch)))
            parts.append(self._judge(take_rows(batch, rows), played[rows]))
            tell(int(rows[-1]) + 1)
        return _concatenate(parts)

    def _judge(self, batch: DecisionBatch, played: NDArray[np.int64]) -> Judgements:
        policy = ask(self.policy, batch)
        proposal = self.evaluation.propose(
            batch, np.stack([policy, played], axis=1), self.options.candidates, self.options.floor
        )
        choice, means = self._search(batch, policy, proposal)
        loss, error = np.zeros(len(batch)), np.zeros(len(batch))
        rows = np.flatnonzero(choice != played)
        if len(rows):
            loss[rows], error[rows] = self._losses(
                take_rows(batch, rows), choice[rows], played[rows], proposal.to_the_end
            )
        return Judgements(policy, choice, loss, error, proposal.candidates, means, proposal.probabilities)

    def _search(
        self, batch: DecisionBatch, policy: NDArray[np.int64], proposal: Proposal
    ) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
        """The search's choices, and the mean points of all candidates."""
        choice, means = policy.copy(), np.full(proposal.candidates.shape, np.nan)
        searched = np.flatnonzero((proposal.candidates >= 0).sum(axis=1) > 1)
        if not len(searched):
            return choice, means
        row, place = np.nonzero(proposal.candidates[searched] >= 0)
        actions = proposal.candidates[searched][row, place]
        outcomes = self.evaluation.outcomes(
            take_rows(batch, searched), row, actions, proposal.to_the_end, self.options.most_worlds
        )
        choice[searched] = choose(row, actions, outcomes, self.options.gate)
        means[searched[row], place] = outcomes.mean(axis=1)
        return choice, means

    def _losses(
        self, batch: DecisionBatch, choice: NDArray[np.int64], played: NDArray[np.int64], to_the_end: bool
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """How far what was played is behind the choice in worlds of their own, and the standard errors."""
        row = np.repeat(np.arange(len(batch)), 2)
        actions = np.stack([choice, played], axis=1).reshape(-1)
        outcomes = self.evaluation.outcomes(
            batch, row, actions, to_the_end, self.loss_worlds, start=self.options.most_worlds
        )
        return mean_and_error(outcomes[0::2] - outcomes[1::2])


def _none() -> Judgements:
    actions, numbers = np.zeros(0, np.int64), np.zeros(0)
    return Judgements(actions, actions, numbers, numbers, actions.reshape(0, 1), numbers.reshape(0, 1), None)


def _concatenate(parts: list[Judgements]) -> Judgements:
    probabilities = [part.probabilities for part in parts if part.probabilities is not None]
    return Judgements(
        policy=np.concatenate([part.policy for part in parts]),
        choice=np.concatenate([part.choice for part in parts]),
        loss=np.concatenate([part.loss for part in parts]),
        error=np.concatenate([part.error for part in parts]),
        candidates=np.concatenate([part.candidates for part in parts]),
        means=np.concatenate([part.means for part in parts]),
        probabilities=np.concatenate(probabilities) if probabilities else None,
    )
