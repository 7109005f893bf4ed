"""How much of a tournament's noise is the luck of the draw, as a trained policy values it.

    python -m benchmarks.chance --boards 500

Deals of two players are played on duplicate boards, and replayed card by card. Before a card comes off the
stock, let H be all that has happened at the table, hidden hands included, and n_k the cards of kind k left in
the stock. Players choose by what they have seen, which says nothing of the order of the stock, so that every
order of what is left is equally likely given H: the next card K is of kind k with probability n_k / n. For
any function u that was fixed before, u(H, K) minus the mean of u(H, k) over these probabilities therefore has
expectation 0 given H, and so has its sum over all cards of a deal, whoever plays; taking it, times a factor
fixed before, off the points changes no expectation (a control variate; the idea of AIVAT, Burch et al. 2018).
Both seatings of a board have the same stock, which makes these sums dependent, and no expectation another.
Here u is what the policy thinks of the view of the seat that draws, once it has the card.

The cards dealt need no correction: u of the deal is the one team's gain in one seating, and its loss in the
other, so that it cancels in the sum over a board.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents import registry
from canasta_agents.arena import kernels
from canasta_agents.arena.blocks import Block, BlockResult, Player, play_block
from canasta_agents.arena.schedule import draw_board, matchup
from canasta_agents.arena.statistics import points_interval
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.policies import policy_name
from canasta_env.actions import DRAW, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.cards import NUM_CARDS, NUM_KINDS
from canasta_env.engine.dealing import allow_question, is_laid_three, lay_three, receive
from canasta_env.engine.jit import KernelCache
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.scoring import TOTAL
from canasta_env.engine.state import PHASE_PLAY, allocate, rules_record, scratch_tables
from canasta_env.engine.transition import apply
from canasta_env.engine.view import VIEW, build_view
from canasta_env.rules import Rules, standard_rules

kernel = KernelCache("chance", [*kernels.kernel.sources, Path(__file__).resolve()])

BLOCK_BOARDS = 100
SEED = 77


@kernel
def play_to_draw(rules: Any, tables: Any, actions: Any, num_actions: Any, place: Any, draws: Any) -> None:
    """Play recorded actions on to the next draw of each table; those that are over have none."""
    for table in range(tables.size):
        draws[table] = False
        while place[table] < num_actions[table]:
            if actions[table, place[table]] == DRAW:
                draws[table] = True
                break
            apply(rules[0], tables[table], actions[table, place[table]])
            place[table] += 1


@kernel
def play_draw(rules: Any, tables: Any, place: Any, draws: Any) -> None:
    """The draw itself."""
    for table in range(tables.size):
        if draws[table]:
            apply(rules[0], tables[table], DRAW)
            place[table] += 1


@kernel
def give(rules: Any, s: Any, kind: Any) -> bool:
    """Bring a card of this kind to the top of the stock, and to the seat to move; whether it is laid."""
    place = s.next_card
    while s.stock[place] != kind:
        place += 1
    s.stock[place], s.stock[s.next_card] = s.stock[s.next_card], s.stock[place]
    s.next_card += 1
    if is_laid_three(rules, kind):
        lay_three(rules, s, s.to_play, kind)
        return True
    receive(s, s.to_play, kind)
    return False


@kernel
def branch(
    rules: Any, tables: Any, which: Any, spare: Any, masks: Any, views: Any, of_table: Any, weights: Any
) -> int:
    """Write what the seat to move sees after each kind that may come next, a row each; the number of rows.

    The weights of a table's rows sum to 0: the card that does come less the probability of each.
    """
    scratch = scratch_tables(1)
    left = np.zeros(NUM_KINDS, np.int64)
    row = 0
    for table in which:
        s = tables[table]
        left[:] = 0
        for place in range(s.next_card, NUM_CARDS):
            left[s.stock[place]] += 1
        for kind in range(NUM_KINDS):
            if left[kind] == 0:
                continue
            spare[0] = s
            give(rules[0], spare[0], kind)
            spare[0].phase = PHASE_PLAY
            allow_question(rules[0], spare[0])
            legal_mask(rules[0], spare[0], scratch, masks[row])
            build_view(rules[0], spare[0], s.to_play, views[row])
            of_table[row] = table
            weights[row] = -left[kind] / (NUM_CARDS - s.next_card)
            if kind == s.stock[s.next_card]:
                weights[row] += 1.0
            row += 1
    return row


@kernel
def take_card(rules: Any, tables: Any, which: Any, to_draw: Any) -> None:
    """The card that does come; a three that is laid does not count, and another follows."""
    for table in which:
        s = tables[table]
        if not give(rules[0], s, s.stock[s.next_card]):
            to_draw[table] -= 1


@dataclass
class Deals:
    """Deals that were played, `(deals, ...)`: points and luck by side, team at each side, board."""

    points: NDArray[np.float64]
    luck: NDArray[np.float64]
    team_of_side: NDArray[np.int64]
    board: NDArray[np.int64]

    def by_board(self, numbers: NDArray[np.float64]) -> NDArray[np.float64]:
        """The first team's mean over its sides less the other's, a deal, `(boards,)`."""
        is_first = self.team_of_side == 0
        first, second = (np.where(where, numbers, 0).sum(1) / where.sum(1) for where in (is_first, ~is_first))
        return np.bincount(self.board, first - second) / np.bincount(self.board)


def replayed(block: Block, played: BlockResult, judge: NeuralAgent) -> Deals:
    """Replay the deals of a block, and sum up the luck of every draw."""
    rules, outcomes = block.rules, played.outcomes
    record, num = rules_record(rules), len(outcomes)
    seatings = len(block.matchup.arrangements)
    board = outcomes["table"] // seatings
    drawn = [draw_board(rules, block.seed, number, block.scores) for number in range(block.start, block.stop)]
    tables = allocate(num)
    tables["seed"] = np.array([each.seed for each in drawn], np.uint64)[board]
    tables["dealer"] = (np.array([each.dealer for each in drawn])[board] + outcomes["deal"]) % rules.players
    tables["deal"], tables["scores"] = outcomes["deal"], outcomes["scores"]
    kernels.deal(record, tables, np.arange(num))
    actions = np.zeros((num, kernels.MAX_ACTIONS), np.int8)
    for row, each in enumerate(played.actions):
        actions[row, : len(each)] = np.frombuffer(each, np.int8)
    luck = np.zeros((num, rules.num_sides))
    place, draws = np.zeros(num, np.int64), np.zeros(num, np.bool_)
    num_actions = np.array([len(each) for each in played.actions])
    while True:
        play_to_draw(record, tables, actions, num_actions, place, draws)
        if not draws.any():
            break
        add_luck_of_draw(rules, tables, np.flatnonzero(draws), judge, luck)
        play_draw(record, tables, place, draws)
    points = outcomes["points"][:, : rules.num_sides, TOTAL].astype(np.float64)
    return Deals(points, luck, block.matchup.team_of_side[outcomes["table"] % seatings], board)


def add_luck_of_draw(
    rules: Rules,
    tables: NDArray[np.void],
    which: NDArray[np.int64],
    judge: NeuralAgent,
    luck: NDArray[np.float64],
) -> None:
    """Add to `luck`, `(tables, sides)`, what the draws to come at tables `which` bring, card by card."""
    record, partial, spare = rules_record(rules), copied(tables), allocate(1)
    to_draw = np.full(len(tables), rules.cards_drawn)
    while len(which := which[(to_draw[which] > 0) & (partial["next_card"][which] < NUM_CARDS)]):
        most = len(which) * NUM_KINDS
        views, masks = allocate(most, VIEW), np.zeros((most, NUM_ACTIONS), np.int8)
        of_table, weights = np.zeros(most, np.int64), np.zeros(most)
        rows = branch(record, partial, which, spare, masks, views, of_table, weights)
        of_table, weights = of_table[:rows], weights[:rows]
        seats = partial["to_play"][of_table]
        batch = DecisionBatch(rules, of_table, seats, views[:rows], masks[:rows])
        with np.errstate(invalid="ignore"):  # probabilities of actions, which are not read: some have none
            values = judge.judge(batch)[1]
        assert values is not None
        np.add.at(luck, (of_table, seats % rules.num_sides), weights * values)
        take_card(record, partial, which, to_draw)


def copied(tables: NDArray[np.void]) -> NDArray[np.void]:
    """A copy with all bytes; NumPy leaves out those between fields, which kernels do not mind."""
    copy = allocate(len(tables))
    copy[:] = tables
    return copy


@dataclass
class Study:
    """Points and luck of boards, a deal, from the first player's side: `(boards,)`."""

    points: NDArray[np.float64]
    luck: NDArray[np.float64]
    seconds_played: float
    seconds_judged: float

    @property
    def best_factor(self) -> float:
        """The factor of the luck that would have left the least spread, in hindsight."""
        return float(np.cov(self.points, self.luck)[0, 1] / self.luck.var(ddof=1))

    def ratio(self, factor: float) -> float:
        """The width of the interval with the luck taken off, as a share of the plain one."""
        return float((self.points - factor * self.luck).std() / self.points.std())

    def __str__(self) -> str:
        ones = np.ones(len(self.points))
        plain, luck = points_interval(self.points, ones), points_interval(self.luck, ones)
        best = self.best_factor
        widths = [f"factor {factor:.2f}: x{self.ratio(factor):.2f}" for factor in (1.0, 0.5, best)]
        return (
            f"{len(ones)} boards, {plain.estimate:+.1f} ± {plain.half_width:.1f} points a deal; "
            f"luck {luck.estimate:+.1f} ± {luck.half_width:.1f}; interval with {', '.join(widths)} (best); "
            f"{self.seconds_played:.0f} s to play, {self.seconds_judged:.0f} s to judge"
        )


def study(rules: Rules, first: str, second: str, judge: str, boards: int, seed: int = SEED) -> Study:
    """Play two players against each other, and find the luck of every draw.

    Args:
        rules: The game.
        first: Spec of a player.
        second: Spec of the other.
        judge: Spec of the trained policy whose values count; fixed before the deals are seen.
        boards: Boards to play, one deal each.
        seed: Of the boards.
    """
    agent = registry.make(judge, rules)
    assert isinstance(agent, NeuralAgent)
    parts, played_for, judged_for = [], 0.0, 0.0
    for start in range(0, boards, BLOCK_BOARDS):
        block = Block(
            rules,
            matchup(rules, (0,), (1,)),
            start,
            min(start + BLOCK_BOARDS, boards),
            seed,
            decision_time_s=60,
        )
        began = time.perf_counter()
        players = [Player(registry.make(spec, rules)) for spec in (first, second)]
        played = play_block(block, players)
        between = time.perf_counter()
        parts.append(replayed(block, played, agent))
        played_for += between - began
        judged_for += time.perf_counter() - between
    points, luck = (
        np.concatenate([part.by_board(getattr(part, name)) for part in parts]) for name in ("points", "luck")
    )
    return Study(points, luck, played_for, judged_for)


def main() -> None:
    """Study the pairs of the game that the command line names."""
    parser = argparse.ArgumentParser(description="How much of a tournament's noise is the luck of the draw.")
    parser.add_argument("--game", choices=("classic", "modern_american"), default="classic")
    parser.add_argument("--players", type=int, choices=(2, 3, 4), default=2)
    parser.add_argument(
        "--agents", nargs=2, metavar="AGENT", help="by default the policy and its first version"
    )
    parser.add_argument("--boards", type=int, default=500)
    options = parser.parse_args()
    rules = standard_rules(options.game, options.players)
    policy = f"neural:{policy_name(rules)}"
    first, second = options.agents or (policy, f"{policy}@1")
    print(f"{first} against {second}, valued by {policy}: ", end="", flush=True)
    print(study(rules, first, second, policy, options.boards))


if __name__ == "__main__":
    main()
