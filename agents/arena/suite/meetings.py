"""Meetings of chosen teams as a tournament, on the same boards: who meets whom is for the caller to say."""

from __future__ import annotations

from collections.abc import Sequence

from canasta_agents.arena.schedule import Team, matchup
from canasta_agents.arena.tournament import Entrant, MatchupRun, Settings, Tournament, name_entrants
from canasta_agents.arena.workers import check_entrants
from canasta_agents.registry import code_fingerprint, fingerprint


class Meetings:
    """Collects meetings into a tournament; the same one is played once.

    Args:
        settings: Their agents are the entrants, by number; their format counts for nothing.
        names: Of the entrants; made from the specs if None.

    Raises:
        ArenaError: If an entrant cannot be made.
    """

    def __init__(self, settings: Settings, names: Sequence[str] | None = None) -> None:
        own_names = check_entrants(settings.agents, settings.rules)
        if names is None:
            entrants = name_entrants(settings.agents, own_names)
        else:
            entrants = [Entrant(*each) for each in zip(names, settings.agents, own_names, strict=True)]
        prints = [fingerprint(spec) for spec in settings.agents]
        self.tournament = Tournament(settings, entrants, [], code_fingerprint(), prints)
        self._runs: dict[tuple[Team, Team], MatchupRun] = {}

    def meet(self, first: Team, second: Team, boards: int) -> MatchupRun:
        """Let two teams meet, each one entrant or two partners.

        Raises:
            ArenaError: If partners are asked for in a game without partnerships.
        """
        key = (first, second)
        if key not in self._runs:
            names = [" + ".join(self.tournament.entrants[each].name for each in team) for team in key]
            rules = self.tournament.settings.rules
            run = MatchupRun(matchup(rules, first, second), names[0], names[1], boards)
            self._runs[key] = run
            self.tournament.runs.append(run)
        return self._runs[key]
