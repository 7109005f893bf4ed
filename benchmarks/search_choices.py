"""What a search gains where it chooses otherwise than its policy, at the tables as they really are.

    python -m benchmarks.search_choices search:neural:classic_2 "search:neural:classic_2?beliefs=learned"

The game's bundled policy plays deals with itself. At some of its decisions each search is asked, too. Where
one chooses otherwise, both actions are played at the true table, hidden hands and all, with the stock in some
other orders, the same for both, and the policy plays on in all seats: to the end of the deal, or to the
seat's next turn, where its value counts. The sums over a side's decisions in a deal are points a deal, as
far as choices do not change what the later ones gain: far fewer games than a tournament needs tell searches
apart. Intervals at 95% are over deals.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.statistics import points_interval
from canasta_agents.learning.hands import Positions, play_positions
from canasta_agents.policies import policy_name
from canasta_agents.processes import use_one_core
from canasta_agents.registry import make
from canasta_agents.search.rollouts import RolloutPlayer, Tries
from canasta_env.agent import Agent
from canasta_env.rules import GAMES, standard_rules

SEED = 3_000_003
SHARE = 0.25  # of the decisions with a choice at which searches are asked
NUM_ORDERS = 4  # of the stock, in which an action is tried
ROWS_AT_ONCE = 256


@dataclass(frozen=True)
class Choices:
    """What players choose at positions, and what it leads to: `(players, n)` each."""

    actions: NDArray[np.int64]
    to_the_end: NDArray[np.float64]  # points; 0 where all players choose the same
    to_next_turn: NDArray[np.float64]  # likewise


def ask(positions: Positions, players: list[Agent], seed: int) -> Choices:
    """Ask all players at positions; the first is the policy, which plays on from where they differ."""
    rng = np.random.default_rng(seed)
    rollouts = RolloutPlayer(players[0], positions.rules)
    parts = []
    for start in range(0, len(positions), ROWS_AT_ONCE):
        part = positions.take(np.arange(start, min(start + ROWS_AT_ONCE, len(positions))))
        batch = part.batch(np.arange(len(part)))
        for player in players:
            player.reset(len(part), seed)
        actions = np.stack([player.act(batch) for player in players])
        rows = np.flatnonzero((actions != actions[0]).any(axis=0))
        points = np.zeros((2, *actions.shape))
        if len(rows):
            worlds = _other_orders(part.tables[rows], rng)
            for place, to_the_end in enumerate((True, False)):
                points[place][:, rows] = _outcomes(rollouts, worlds, actions[:, rows], to_the_end)
        parts.append((actions, *points))
    return Choices(*(np.concatenate(column, axis=1) for column in zip(*parts, strict=True)))


def _other_orders(tables: NDArray[np.void], rng: np.random.Generator) -> NDArray[np.void]:
    """Each table with its stock in `NUM_ORDERS` orders."""
    worlds = np.repeat(tables, NUM_ORDERS)
    for stock, start in zip(worlds["stock"], worlds["next_card"], strict=True):
        stock[start:] = rng.permutation(stock[start:])
    return worlds


def _outcomes(
    rollouts: RolloutPlayer, worlds: NDArray[np.void], actions: NDArray[np.int64], to_the_end: bool
) -> NDArray[np.float64]:
    """Points that actions, `(players, n)`, lead to in the same worlds."""
    num_players, num = actions.shape
    tries = Tries(
        tables=np.tile(worlds, num_players),
        seats=np.tile(worlds["to_play"], num_players),
        actions=np.repeat(actions, NUM_ORDERS, axis=1).reshape(-1),
        seeds=np.tile(np.arange(len(worlds)).astype(np.uint64), num_players),
    )
    points = rollouts.outcomes(tries, to_the_end)
    return points.reshape(num_players, num, NUM_ORDERS).mean(axis=2)


def line(one: str, other: str, positions: Positions, found: Choices, pair: tuple[int, int]) -> str:
    """What the second of a pair of players gains against the first: a row of the table in docs/search.md."""
    differ = found.actions[pair[0]] != found.actions[pair[1]]
    num_deals = int(positions.deals.max()) + 1
    cells = []
    for points in (found.to_the_end, found.to_next_turn):
        gains = (points[pair[1]] - points[pair[0]]) / (SHARE * positions.rules.num_sides)
        a_deal = points_interval(np.bincount(positions.deals, gains, num_deals), np.ones(num_deals))
        cells.append(f"{a_deal.estimate:+.0f} ± {a_deal.half_width:.0f}")
    return f"| `{other}` against `{one}` | {differ.mean():.1%} | {' | '.join(cells)} |"


def main() -> None:
    """Play, ask, and print a row for each pair of players."""
    parser = argparse.ArgumentParser(description="Measure what searches gain where they choose otherwise.")
    parser.add_argument("searches", nargs="+", metavar="SEARCH", help="specs of entrants")
    parser.add_argument("--game", choices=GAMES, default="classic")
    parser.add_argument("--players", type=int, default=2)
    parser.add_argument("--deals", type=int, default=1_000)
    parser.add_argument("--seed", type=int, default=SEED)
    arguments = parser.parse_args()
    use_one_core()
    rules = standard_rules(arguments.game, arguments.players)
    policy = f"neural:{policy_name(rules)}"
    specs = [policy, *arguments.searches]
    players = [make(spec, rules) for spec in specs]
    positions = play_positions(rules, players[0], arguments.deals, arguments.seed, share=SHARE)
    found = ask(positions, players, arguments.seed)
    print("| | choices that differ | points a deal, to its end | to the next turn |\n|---|---:|---:|---:|")
    for pair in combinations(range(len(specs)), 2):
        print(line(specs[pair[0]], specs[pair[1]], positions, found, pair))


if __name__ == "__main__":
    main()
