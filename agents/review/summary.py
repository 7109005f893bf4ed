"""A review: every decision with what it cost, and each player's rates by kind of decision."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.learning.match_equity import EquityError, load_equity
from canasta_agents.review.luck import luck_of
from canasta_agents.review.positions import Decisions, Draws, Place, read_positions
from canasta_agents.review.reviewer import Judgements, Reviewer
from canasta_env.actions import (
    ADD_BLACK_THREE,
    ASK,
    DISCARD_JOKER,
    DRAW,
    MELD_BLACK_THREES,
    NO,
    NOTATIONS,
    PICK_UP,
    TAKE_WITH_JOKER,
)
from canasta_env.records import Record
from canasta_env.rules import Rules

KINDS = ("taking", "melding", "discarding", "asking", "going out")
_NORMAL = 1.96  # standard errors to either side of a 95% interval
_LEAST_PROBABILITY = 0.005  # of an action that is told


@dataclass(frozen=True)
class Estimate:
    """A number and its 95% interval."""

    estimate: float
    low: float
    high: float

    @classmethod
    def of(cls, mean: float, error: float) -> Estimate:
        """From a mean and its standard error."""
        return cls(float(mean), float(mean - _NORMAL * error), float(mean + _NORMAL * error))

    def times(self, factor: float) -> Estimate:
        """In another unit; the factor is not negative."""
        return Estimate(factor * self.estimate, factor * self.low, factor * self.high)


@dataclass(frozen=True)
class Reviewed:
    """A decision and what was found of it."""

    place: Place
    seat: int
    kind: str  # one of KINDS
    played: str  # notation
    policy: str  # the reviewing policy's own action
    choice: str  # what the search does
    loss: Estimate | None  # points against the choice; None where that was played
    percent: Estimate | None  # the same in percent of a match; None without a table of match equity
    probabilities: dict[str, float] | None  # by the policy, the likeliest first; None if it tells none
    candidates: dict[str, float | None]  # points of each action tried, less those of the one played

    @property
    def points(self) -> float:
        """The loss, 0 where the choice was played."""
        return self.loss.estimate if self.loss else 0.0

    @property
    def is_error(self) -> bool:
        """Whether the choice is surely better than what was played."""
        return self.loss is not None and self.loss.low > 0


@dataclass(frozen=True)
class Rate:
    """What some decisions cost."""

    decisions: int
    errors: int  # whose interval lies above 0
    points: Estimate  # a decision
    percent: Estimate | None  # of a match, a decision


@dataclass(frozen=True)
class PlayerReview:
    """A seat."""

    seat: int
    all: Rate
    kinds: dict[str, Rate]  # those of KINDS that it met
    points_a_deal: float  # lost
    percent_a_deal: float | None
    luck_a_deal: float | None  # points by the cards drawn; None if the policy tells no values


@dataclass(frozen=True)
class Review:
    """A record reviewed."""

    rules: Rules
    agents: tuple[str, ...] | None  # who sat in each seat; None if the record does not say
    deals: int
    policy: str
    options: dict[str, float]  # by name
    players: tuple[PlayerReview, ...]
    decisions: tuple[Reviewed, ...]  # in the order of the record

    def biggest(self, num: int) -> list[Reviewed]:
        """Errors, the biggest first."""
        errors = [decision for decision in self.decisions if decision.is_error]
        return sorted(errors, key=lambda decision: -decision.points)[:num]


def review(record: Record, reviewer: Reviewer, tell: Callable[[int, int], None] | None = None) -> Review:
    """Review a record.

    Args:
        record: What was played; one that `canasta_env.records.verify` accepts.
        reviewer: Who judges.
        tell: Called with the number of decisions judged, and of all.

    Raises:
        RecordError: If an action of the record is not legal.
    """
    decisions, draws = read_positions(record)
    num = len(decisions.places)
    judged = reviewer.judge(decisions.batch, decisions.played, lambda done: tell and tell(done, num))
    found = tuple(_reviewed(decisions, judged, _percent_a_point(record, decisions)))
    luck = luck_of(draws, reviewer.evaluation, reviewer.policy)
    players = (
        _player(seat, [each for each in found if each.seat == seat], _luck_of_seat(luck, draws, seat), record)
        for seat in range(record.rules.players)
    )
    options = {
        "worlds": reviewer.options.most_worlds,
        "candidates": reviewer.options.candidates,
        "loss_worlds": reviewer.loss_worlds,
        "gate": reviewer.options.gate,
        "floor": reviewer.options.floor,
    }
    return Review(
        record.rules, record.agents, len(record.deals), reviewer.policy.name, options, tuple(players), found
    )


def kind_of(view: np.void, played: int, choice: int) -> str:
    """The kind of a decision, by its view and the two actions between which it lay (or the one, twice)."""
    actions = (played, choice)
    if any(ASK <= action <= NO for action in actions):
        return "asking"
    if any(DRAW <= action <= TAKE_WITH_JOKER for action in actions):
        return "taking"
    if any(_cards_of(action) == view["hand_size"][0] for action in actions):
        return "going out"
    return "discarding" if min(actions) >= DISCARD_JOKER else "melding"


def _cards_of(action: int) -> int:
    """Cards that an action takes out of the hand."""
    if action <= PICK_UP or action < MELD_BLACK_THREES:
        return 0
    return 3 if action < ADD_BLACK_THREE else 1


def _percent_a_point(record: Record, decisions: Decisions) -> NDArray[np.float64] | None:
    """What a point is worth in percent of a match, for the seat of each decision at its deal's beginning."""
    try:
        equity = load_equity(record.rules)
    except EquityError:
        return None
    scores = np.array([deal.scores for deal in record.deals], np.int64)
    by_deal = equity.percent_a_point(scores)
    deals = np.array([place.deal - 1 for place in decisions.places], np.int64)
    sides = decisions.batch.seats.astype(np.int64) % record.rules.num_sides
    return np.asarray(by_deal[deals, sides])


def _reviewed(
    decisions: Decisions, judged: Judgements, percents: NDArray[np.float64] | None
) -> list[Reviewed]:
    found = []
    for row, place in enumerate(decisions.places):
        played, choice = int(decisions.played[row]), int(judged.choice[row])
        is_same = played == choice
        loss = None if is_same else Estimate.of(judged.loss[row], judged.error[row])
        view = np.asarray(decisions.batch.views)[row]
        found.append(
            Reviewed(
                place=place,
                seat=int(decisions.batch.seats[row]),
                kind=kind_of(view, played, choice),
                played=NOTATIONS[played],
                policy=NOTATIONS[judged.policy[row]],
                choice=NOTATIONS[choice],
                loss=loss,
                percent=None if loss is None or percents is None else loss.times(float(percents[row])),
                probabilities=_probabilities(judged.probabilities, row),
                candidates=_candidates(judged, row, played),
            )
        )
    return found


def _probabilities(probabilities: NDArray[np.float32] | None, row: int) -> dict[str, float] | None:
    if probabilities is None:
        return None
    order = np.argsort(-probabilities[row], kind="stable")
    likely = [action for action in order if probabilities[row, action] >= _LEAST_PROBABILITY]
    return {NOTATIONS[action]: round(float(probabilities[row, action]), 4) for action in likely}


def _candidates(judged: Judgements, row: int, played: int) -> dict[str, float | None]:
    actions = judged.candidates[row]
    means = dict(zip(actions.tolist(), judged.means[row].tolist(), strict=True))
    means.pop(-1, None)
    own = means[played]
    ahead = {NOTATIONS[action]: mean - own for action, mean in means.items()}
    return {action: None if math.isnan(points) else round(points, 1) for action, points in ahead.items()}


def _luck_of_seat(luck: NDArray[np.float64] | None, draws: Draws, seat: int) -> float | None:
    return None if luck is None else float(luck[draws.before.seats == seat].sum())


def _player(seat: int, decisions: Sequence[Reviewed], luck: float | None, record: Record) -> PlayerReview:
    deals = len(record.deals)
    of_kind = {kind: [each for each in decisions if each.kind == kind] for kind in KINDS}
    every = _rate(decisions)
    percent = None if every.percent is None else every.percent.estimate * len(decisions) / deals
    return PlayerReview(
        seat=seat,
        all=every,
        kinds={kind: _rate(some) for kind, some in of_kind.items() if some},
        points_a_deal=every.points.estimate * len(decisions) / deals,
        percent_a_deal=percent,
        luck_a_deal=None if luck is None else luck / deals,
    )


def _rate(decisions: Sequence[Reviewed]) -> Rate:
    percents = [each.percent.estimate if each.percent else 0.0 for each in decisions]
    has_percents = any(each.percent is not None for each in decisions) or not any(
        each.loss for each in decisions
    )
    return Rate(
        decisions=len(decisions),
        errors=sum(each.is_error for each in decisions),
        points=_mean([each.points for each in decisions]),
        percent=_mean(percents) if has_percents else None,
    )


def _mean(values: Sequence[float]) -> Estimate:
    """The mean over decisions with its interval; without any, 0."""
    if len(values) < 2:
        return Estimate.of(sum(values), 0.0)
    return Estimate.of(float(np.mean(values)), float(np.std(values, ddof=1)) / math.sqrt(len(values)))
