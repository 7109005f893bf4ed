"""What each rule of a player is worth: the player as it is, against the player without the rule.

    python -m benchmarks.heuristic_ablation --boards 2000
    python -m benchmarks.heuristic_ablation --game classic --players 2 --player closer --boards 2000

Every board is played with the sides swapped (rotated with three), at score 0; the table gives points a
deal, with 95% intervals over the boards. `--seed` is the first board; boards from 1,000,000 on tuned the
players.
"""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
import argparse
import dataclasses
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from canasta_agents.heuristics.agent import CompiledAgent
from canasta_agents.heuristics.jit import kernel, random_number
from canasta_agents.heuristics.params import Params
from canasta_agents.heuristics.players import PLAYERS_OF, STRONGEST
from canasta_env.actions import NUM_ACTIONS
from canasta_env.engine.dealing import deal_cards, shuffle
from canasta_env.engine.legality import legal_mask
from canasta_env.engine.scoring import SCORE_FIELDS, TOTAL, score_deal
from canasta_env.engine.state import MAX_SEATS, MAX_SIDES, PHASE_OVER, STATE, rules_record
from canasta_env.engine.transition import apply
from canasta_env.engine.view import VIEW, build_view
from canasta_env.rules import GAMES, Rules, standard_rules

_NUM_FIELDS = len(SCORE_FIELDS)

# Numbers that leave a rule out.
MANY = 200.0  # more than any number of cards
CERTAIN = 2.0  # a chance that nothing has
NONE = -1.0  # fewer than any number of cards


@dataclass(frozen=True)
class Rule:
    """A rule of a player, and the numbers that leave it out."""

    meaning: str
    without: Mapping[str, float]


KEEPER_RULES = (
    Rule("weighs what the next player may hold", {"feed": 0, "feed_card": 0}),
    Rule("... more, the larger the pile is", {"feed_card": 0}),
    Rule("... less, if that player threw the rank before", {"thrown_before": 1}),
    Rule("... less, if that side has not opened", {"unopened": 1}),
    Rule("holds pairs when it discards", {"pair": 0, "pair_unseen": 0}),
    Rule("holds pairs that take the pile onto small melds", {"hold_pairs_above": MANY}),
    Rule("holds sets of three and four", {"set_from": 0}),
    Rule("lays everything when opponents may go out", {"urgent_stock": NONE, "urgent_cards": NONE}),
    Rule("begins the wild meld if it can be finished", {"wild_chance": CERTAIN}),
    Rule("begins sevens and aces if they can be finished", {"risky_chance": CERTAIN}),
    Rule("takes no pile with sevens or aces, unless it is large", {"take_risky_from": 0}),
    Rule("gets rid of a third seven or ace", {"risky_three": 0}),
    Rule("asks its partner before it goes out", {"asks": 0}),
    Rule("stays in while a penalised meld is unfinished", {"stays_in": 0}),
)
WATCHER_RULES = (
    Rule("weighs what the next player may hold", {"feed_card": 0}),
    Rule("holds pairs when it discards", {"pair": 0, "pair_unseen": 0}),
    Rule("holds pairs that fit own melds", {"hold_pairs_above": MANY}),
    Rule("holds sets of three and four", {"set_from": 0}),
    Rule(
        "closes with two wilds; with two players, with one",
        {"wilds_per_canasta": 1, "wilds_per_canasta_of_two": 2},
    ),
    Rule("lays everything when opponents may go out", {"urgent_stock": NONE, "urgent_cards": NONE}),
    Rule("takes piles with a wild", {"take_with_wild_from": MANY}),
)
CLOSER_RULES = (
    Rule("never feeds a danger rank", {"danger": 0}),
    Rule("keeps three cards before the first canasta", {"keep_before_canasta": 2}),
    Rule("begins a meld with a pair and a wild late", {"pair_with_wild_under": 0}),
    Rule("... and not before", {"pair_with_wild_under": MANY}),
    Rule("takes no pile under three cards", {"take_from": 1}),
    Rule("takes piles of three and four", {"take_from": 5}),
    Rule("two players: holds black threes for large piles", {"black_three_from": 0}),
)
RULES_OF = {"keeper": KEEPER_RULES, "watcher": WATCHER_RULES, "closer": CLOSER_RULES}


def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, as Markdown."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--game", choices=GAMES, default="modern_american")
    parser.add_argument("--players", type=int, default=4)
    parser.add_argument("--boards", type=int, default=2_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--player", choices=RULES_OF, help="the strongest of the game if not given")
    options = parser.parse_args(arguments)
    player = options.player or STRONGEST[options.game].name
    if player not in PLAYERS_OF[options.game]:
        parser.error(f"the {player} does not play {options.game}")
    rules = standard_rules(options.game, options.players)
    print("| rule | worth, points a deal |\n|---|---|")
    for meaning, points, half_width in ablate(rules, player, options.boards, options.seed):
        print(f"| {meaning} | {points:+.0f} ± {half_width:.0f} |")


def ablate(rules: Rules, name: str, boards: int, seed: int) -> list[tuple[str, float, float]]:
    """Play a player against itself without each of its rules.

    Args:
        rules: The game.
        name: One of `RULES_OF`.
        boards: Boards for each rule.
        seed: Seed of the first board.

    Returns:
        For each rule its meaning, the points a deal that it is worth, and the half-width of their interval.
    """
    player = PLAYERS_OF[rules.game][name]
    whole = CompiledAgent(player, rules)
    table = []
    for rule in RULES_OF[name]:
        without = CompiledAgent(player, rules, _replaced(player.params, name, rule.without))
        points = duel(rules, [whole, *[without] * (rules.num_sides - 1)], boards, seed)[..., TOTAL]
        differences = (points[:, :, 0] - points[:, :, 1:].mean(axis=2)).mean(axis=1)
        table.append((rule.meaning, float(differences.mean()), _half_width(differences)))
    return table


def _replaced(params: Params, name: str, numbers: Mapping[str, float]) -> Params:
    """`params` with some numbers of one player replaced."""
    return dataclasses.replace(params, **{name: dataclasses.replace(getattr(params, name), **numbers)})


def _half_width(differences: np.ndarray) -> float:
    return float(1.96 * differences.std(ddof=1) / np.sqrt(len(differences)))


def duel(
    rules: Rules, entrants: Sequence[CompiledAgent], boards: int, seed: int, scores: int = 0
) -> NDArray[np.int64]:
    """Play the same boards with the entrants in every rotation over the sides.

    Args:
        rules: The game.
        entrants: One for each side.
        boards: Number of boards.
        seed: Seed of the first board; the others follow it.
        scores: Match score of every side when a deal begins.

    Returns:
        Points by clause, `(boards, rotations, entrants, len(SCORE_FIELDS))`.
    """
    num_sides = rules.num_sides
    points = np.zeros((boards, num_sides, num_sides, _NUM_FIELDS), np.int64)
    for rotation in range(num_sides):
        seated = [entrants[(seat + rotation) % num_sides] for seat in range(MAX_SEATS)]
        breakdowns = np.zeros((boards, MAX_SIDES, _NUM_FIELDS), np.int64)
        play_boards(
            rules_record(rules),
            tuple(agent.choose for agent in seated),
            np.concatenate([agent.params for agent in seated]),
            np.full(MAX_SIDES, scores, np.int64),
            seed,
            rotation,
            breakdowns,
        )
        for side in range(num_sides):
            points[:, rotation, (side + rotation) % num_sides] = breakdowns[:, side]
    return points


@kernel
def play_boards(rules, choosers, params, scores, first_seed, rotation, breakdowns):
    """Play boards `first_seed`, `first_seed + 1`, ... once each; the dealer goes round with them.

    Args:
        rules: `(1,) RULES`.
        choosers: For each of four seats a `choose`, see `CompiledAgent.choose`.
        params: `(MAX_SEATS,) PARAMS`, of the seats.
        scores: `(MAX_SIDES,)` match scores of the sides at which every deal begins.
        first_seed: Seed of the first board.
        rotation: Names the players' chance.
        breakdowns: `(boards, MAX_SIDES, fields) int64`, overwritten: board, side.

    Returns:
        Number of decisions.
    """
    table, scratch = np.zeros(1, STATE), np.zeros(1, STATE)
    views = np.zeros(1, VIEW)
    mask = np.zeros(NUM_ACTIONS, np.int8)
    decisions = 0
    s = table[0]
    for board in range(breakdowns.shape[0]):
        for side in range(MAX_SIDES):
            s.scores[side] = scores[side]
        s.seed = first_seed + board
        s.deal = 0
        s.dealer = board % rules[0].players
        shuffle(s)
        deal_cards(rules[0], s)
        seed = (first_seed + board) * MAX_SIDES + rotation
        decisions += play_deal(rules[0], s, choosers, params, seed, scratch, views, mask)
        score_deal(rules[0], s, breakdowns[board])
    return decisions


@kernel
def play_deal(rules, s, choosers, params, seed, scratch, views, mask):
    """Play a dealt table to the end of the deal and return the number of decisions.

    Args:
        rules: RULES record.
        s: STATE record.
        choosers: For each of four seats a `choose`, see `CompiledAgent.choose`.
        params: `(MAX_SEATS,) PARAMS`, of the seats.
        seed: Of the players' chance.
        scratch: `(1,) STATE`.
        views: `(1,) VIEW`, overwritten.
        mask: `(NUM_ACTIONS,) int8`, overwritten.
    """
    decisions = 0
    while s.phase != PHASE_OVER:
        seat = s.to_play
        legal_mask(rules, s, scratch, mask)
        build_view(rules, s, seat, views[0])
        random = random_number(seed, seat, decisions)
        apply(rules, s, choosers[seat](rules, params[seat], views[0], mask, random))
        decisions += 1
    return decisions


if __name__ == "__main__":
    main()
