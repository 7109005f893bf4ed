"""Who meets whom, and in which seats.

A contest is between two teams. In the usual ones a team is one entrant in all seats of its sides; in mixed
partnerships it is two entrants who sit opposite each other. Every board of a contest is played in each of
its arrangements, with the same cards, so that neither the cards nor the seats favour a team.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, permutations, product

from canasta_agents.arena.errors import ArenaError
from canasta_env.rules import Rules

Team = tuple[int, ...]
"""The entrants of a team, by number: one, or two partners."""

PARTNERSHIP_PLAYERS = 4


@dataclass(frozen=True)
class Arrangement:
    """One seating. A slot is a place in `Contest.slots`: an agent object of its own."""

    slot_of_seat: tuple[int, ...]
    team_of_side: tuple[int, ...]


@dataclass(frozen=True)
class Contest:
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


def contest(rules: Rules, first: Team, second: Team) -> Contest:
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
    return Contest(teams, slots, team_of_slot, arrangements)


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
