"""A running ladder: OpenSkill ratings that every further tournament adds to.

Bradley-Terry looks at one tournament as a whole. A ladder is for entrants that come and go: it is a small
JSON file, brought up to date game by game, and it rates partners who are not alike as well.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from openskill.models import PlackettLuce, PlackettLuceRating

from canasta_agents.arena.errors import ArenaError
from canasta_agents.files import write_file

FORMAT = "canasta-ladder"
VERSION = 1


@dataclass
class Ladder:
    """Ratings by entrant's name: `mu` the skill, `sigma` its uncertainty."""

    ratings: dict[str, PlackettLuceRating] = field(default_factory=dict)
    games: dict[str, int] = field(default_factory=dict)
    tournaments: list[str] = field(default_factory=list)  # that have been counted, by digest
    model: PlackettLuce = field(default_factory=PlackettLuce)

    def play(self, teams: Sequence[Sequence[str]], shares: Sequence[float]) -> None:
        """Bring the ratings up to date with one game.

        Args:
            teams: The entrants of each team, by name; an entrant that plays for a whole team stands once.
            shares: Each team's share of the win: the higher, the better its place; equal shares tie.
        """
        before = [[self._rating(name) for name in team] for team in teams]
        after = self.model.rate(before, scores=[float(share) for share in shares])
        for team, ratings in zip(teams, after, strict=True):
            for name, rating in zip(team, ratings, strict=True):
                self.ratings[name] = rating
                self.games[name] = self.games.get(name, 0) + 1

    def standings(self) -> list[tuple[str, float, float, int]]:
        """Name, skill, uncertainty and games of every entrant, by the skill it surely has (mu − 3 sigma)."""
        order = sorted(self.ratings, key=lambda name: -self.ratings[name].ordinal())
        return [(name, self.ratings[name].mu, self.ratings[name].sigma, self.games[name]) for name in order]

    def save(self, path: Path) -> None:
        """Write the ladder, in place of an older one."""
        entrants = {
            name: {"mu": mu, "sigma": sigma, "games": games} for name, mu, sigma, games in self.standings()
        }
        content = {
            "format": FORMAT,
            "version": VERSION,
            "entrants": entrants,
            "tournaments": self.tournaments,
        }
        write_file(path, json.dumps(content, ensure_ascii=False, indent=1) + "\n")

    @classmethod
    def load(cls, path: Path) -> Ladder:
        """Read a ladder; a new one if there is no such file.

        Raises:
            ArenaError: If the file is not a ladder.
        """
        ladder = cls()
        if not path.exists():
            return ladder
        try:
            content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
            if (content["format"], content["version"]) != (FORMAT, VERSION):
                raise KeyError("format")
            ladder.tournaments = [str(digest) for digest in content["tournaments"]]
            for name, entry in content["entrants"].items():
                ladder.ratings[name] = ladder.model.rating(float(entry["mu"]), float(entry["sigma"]), name)
                ladder.games[name] = int(entry["games"])
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            raise ArenaError(f"{path}: not a ladder of version {VERSION} ({error})") from None
        return ladder

    def _rating(self, name: str) -> PlackettLuceRating:
        return self.ratings.get(name) or self.model.rating(name=name)
