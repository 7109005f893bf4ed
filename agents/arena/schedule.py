"""Who meets whom, in which seats, and on which boards.

A matchup is between two teams. In the usual ones a team is one entrant in all seats of its sides; in mixed
partnerships it is two entrants who sit opposite each other. Every board of a matchup is played in each of
its arrangements, with the same cards, so that neither the cards nor the seats favour a team.

A board is everything about a game that is settled before anyone plays. Board 17 of seed 3 is the same however
many boards are played, by whom, and in which order.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations, product
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.kernels import board_dealer, order_stock
from canasta_env.cards import KINDS
from canasta_env.engine.match import LOWEST_DRAWN_SCORE, SCORE_STEP
from canasta_env.engine.state import allocate
from canasta_env.rules import MAX_SCORE, Rules

Team = tuple[int, ...]
"""The entrants of a team, by number: one, or two partners."""

Scores = Literal["zero", "drawn"] | tuple[int, ...]
"""How matches begin: at 0, at scores drawn with each board, or at given ones, one a side."""

PARTNERSHIP_PLAYERS = 4
_SEED_BYTES = 16
MAX_SEED = 2 ** (8 * _SEED_BYTES) - 1  # of a tournament
_SPARE_BITS = np.uint64(1)  # seeds of boards are numbers of 63 bits


class ArenaError(ValueError):
    """A tournament that cannot be played as asked: says what is wrong, where, and what would be right."""


@dataclass(frozen=True)
class Arrangement:
    """One seating. A slot is a place in `Matchup.slots`: an agent object of its own."""

    slot_of_seat: tuple[int, ...]
    team_of_side: tuple[int, ...]


@dataclass(frozen=True)
class Matchup:
    """Two teams, and the arrangements that every board is played in.

    `slots[i]` is the entrant that slot i plays for and `team_of_slot[i]` its team: an entrant that meets
    itself has a slot in each team.
    """

    teams: tuple[Team, Team]
    slots: tuple[int, ...]
    team_of_slot: tuple[int, ...]
    arrangements: tuple[Arrangement, ...]

    @property
    def is_mixed(self) -> bool:
        """Whether a team is made of two entrants."""
        return any(len(team) > 1 for team in self.teams)

    @property
    def team_of_side(self) -> NDArray[np.int64]:
        """The team at each side, `(arrangements, sides)`."""
        return np.array([arrangement.team_of_side for arrangement in self.arrangements])


def round_robin(num_entrants: int) -> list[tuple[Team, Team]]:
    """Everybody against everybody."""
    return [((first,), (second,)) for first, second in combinations(range(num_entrants), 2)]


def one_against_all(num_entrants: int) -> list[tuple[Team, Team]]:
    """The first entrant against each other one."""
    return [((0,), (other,)) for other in range(1, num_entrants)]


def partnerships(num_entrants: int) -> list[tuple[Team, Team]]:
    """Every pair of partners, alike or mixed, against a pair of the first entrant.

    The opponents are always the same, so what two entrants score together, beside what each scores
    with itself, says how well they play with each other.
    """
    pairs = combinations_with_replacement(range(num_entrants), 2)
    return [(tuple(dict.fromkeys(pair)), (0,)) for pair in pairs if pair != (0, 0)]


FORMATS = {"round-robin": round_robin, "one-against-all": one_against_all, "partners": partnerships}


def matchup(rules: Rules, first: Team, second: Team) -> Matchup:
    """Seat two teams.

    With two sides each team plays each of them, and partners play each of their two seats. With three
    players every seating that has both teams at the table is played: each team alone, and in two seats.

    Raises:
        ArenaError: If partners are asked for in a game without partnerships.
    """
    teams = (first, second)
    slots = tuple(entrant for team in teams for entrant in team)
    team_of_slot = tuple(number for number, team in enumerate(teams) for _ in team)
    if len(slots) > len(teams) and rules.players != PARTNERSHIP_PLAYERS:
        raise ArenaError(f"partners: {rules.players} players have no partners; mixed pairs need four players")
    members = [tuple(slot for slot in range(len(slots)) if team_of_slot[slot] == team) for team in range(2)]
    arrangements = tuple(
        seating
        for team_of_side in product(range(2), repeat=rules.num_sides)
        if len(set(team_of_side)) == len(teams)
        for seating in _seatings(rules, members, team_of_side)
    )
    return Matchup(teams, slots, team_of_slot, arrangements)


def _seatings(
    rules: Rules, members: list[tuple[int, ...]], team_of_side: tuple[int, ...]
) -> list[Arrangement]:
    """The arrangements with these teams at the sides: one for each order of each team's partners."""
    seatings = []
    for orders in product(*(permutations(slots) for slots in members)):
        at_seat = []
        for seat in range(rules.players):
            partners = orders[team_of_side[seat % rules.num_sides]]
            at_seat.append(partners[seat // rules.num_sides % len(partners)])
        seatings.append(Arrangement(tuple(at_seat), team_of_side))
    return seatings


@dataclass(frozen=True)
class Board:
    """One board: the first dealer, the match scores to begin with, and the cards.

    `index` is its number in the tournament, from 0. `seed` orders the cards of its deal, and of every later
    deal of its match: `canasta_env.Table(rules, seed=board.seed)` deals them.
    """

    index: int
    seed: int
    dealer: int
    scores: tuple[int, ...]

    def order(self, deal: int = 0) -> tuple[str, ...]:
        """The 108 kinds of a deal of this board, the card dealt first in front.

        Args:
            deal: Number of the deal in the board's match, from 0.
        """
        tables = allocate(1)
        tables["seed"], tables["deal"] = self.seed, deal
        order_stock(tables)
        return tuple(KINDS[kind] for kind in tables["stock"][0])


def draw_board(rules: Rules, seed: int, index: int, scores: Scores = "zero") -> Board:
    """Draw a board of a tournament.

    Args:
        rules: The game; its players decide who may deal, its minima and target where scores are drawn.
        seed: The tournament's seed, at least 0.
        index: The board's number, from 0.
        scores: See `Scores`.

    Raises:
        ArenaError: If given scores do not fit the game.
    """
    words = np.random.SeedSequence((seed, index)).generate_state(1 + 2 * rules.num_sides, np.uint64)
    words >>= _SPARE_BITS
    dealer = int(board_dealer(words[0], rules.players))
    return Board(index, int(words[0]), dealer, _start_scores(rules, scores, words[1:].tolist()))


def agent_seed(seed: int, start: int, slot: int) -> int:
    """The seed of all chance of the agent in a slot, in the block that begins with board `start`.

    It goes to whoever plays there, so nothing leads back from it: neither to the tournament's seed, which is
    the key of the hash, nor to the cards, which are drawn by another function.

    Args:
        seed: The tournament's seed, from 0 to MAX_SEED.
        start: Number of the block's first board.
        slot: Of the matchup.

    Returns:
        A number from 0 to 2^32 - 1, as all generators take.
    """
    digest = hashlib.blake2b(
        f"{start} {slot}".encode(), digest_size=4, key=seed.to_bytes(_SEED_BYTES), person=b"canasta agents"
    )
    return int.from_bytes(digest.digest())


def check_scores(rules: Rules, scores: Scores) -> None:
    """Refuse scores that no match can begin with.

    Raises:
        ArenaError: Says what would be right.
    """
    if scores in ("zero", "drawn"):
        return
    if isinstance(scores, str) or len(scores) != rules.num_sides:
        raise ArenaError(f"scores: {scores!r} must be zero, drawn or {rules.num_sides} numbers, one a side")
    for score in scores:
        if not -MAX_SCORE <= score < rules.target:
            raise ArenaError(f"scores: {score} is no score before the end of a match to {rules.target:,}")


def _start_scores(rules: Rules, scores: Scores, words: list[int]) -> tuple[int, ...]:
    check_scores(rules, scores)
    if scores == "zero":
        return (0,) * rules.num_sides
    if scores == "drawn":
        return tuple(_drawn_score(rules, *words[side :: rules.num_sides]) for side in range(rules.num_sides))
    return tuple(int(score) for score in scores)


def _drawn_score(rules: Rules, bracket_word: int, place_word: int) -> int:
    """A score below the target: every opening minimum equally likely, every score within it too."""
    starts = [LOWEST_DRAWN_SCORE if start is None else start for start, _ in rules.opening_minima]
    starts = [start for start in starts if start < rules.target]
    bracket = bracket_word % len(starts)
    low, high = starts[bracket], [*starts[1:], rules.target][bracket]
    return low + SCORE_STEP * (place_word % max(1, (high - low) // SCORE_STEP))
