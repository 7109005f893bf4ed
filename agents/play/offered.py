"""The agents that a server offers: their specs, the making of them, and their advice."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from canasta_agents import registry
from canasta_agents.play.agent_calls import advise, prepare_for_advice
from canasta_agents.play.game import DealSoFar
from canasta_agents.play.levels import LEVELS
from canasta_agents.play.messages import AgentError, PlayError, quoted
from canasta_agents.play.portraits import portrait
from canasta_agents.policies import playable_policy
from canasta_agents.search.options import SEARCH_PREFIX
from canasta_env import Rules, Table
from canasta_env.agent import Agent
from canasta_env.files import from_json

MAX_POLICIES = 8  # trained policies whose networks are kept for the next table
MAX_ADVISERS = 8  # agents that have given advice and are kept for the next question
_NEURAL = "neural:"
Make = Callable[[str], Agent]


class OfferedAgents:
    """The agents that can sit down at tables, or be asked for advice; there are no others.

    Its methods may be called from several threads.

    Args:
        runs: Folder whose runs offer their policies.
        extra: Specs of further agents, such as "python:module:Class".
    """

    def __init__(self, runs: Path, extra: Sequence[str] = ()) -> None:
        self._runs, self._extra = runs, tuple(extra)
        self._lock = threading.Lock()  # of the two caches
        self._policies: OrderedDict[object, Agent] = OrderedDict()  # the one longest not used first
        self._advisers: OrderedDict[object, Agent] = OrderedDict()

    def specs(self, rules: Rules) -> list[str]:
        """The agents of a game, the strongest rule-based one first."""
        names = ["heuristic", *registry.names(rules)]
        policies = [f"{_NEURAL}{path}" for path in self._policy_paths(rules)]
        own = playable_policy(rules)
        searching = [f"{SEARCH_PREFIX}{_NEURAL}{own}"] if own else []
        specs = [*names, *policies, *searching, *self._extra, *(level.spec_for(rules) for level in LEVELS)]
        return list(dict.fromkeys(specs))

    def levels(self, rules: Rules) -> list[dict[str, str]]:
        """The levels of a game, the weakest first: `name`, and the `agent` it stands for."""
        return [{"name": level.name, "agent": level.spec_for(rules)} for level in LEVELS]

    def portraits(self, rules: Rules) -> dict[str, dict[str, str]]:
        """How people are shown each agent of a game, by its spec."""
        return {spec: portrait(spec, rules.game).message() for spec in self.specs(rules)}

    def maker(self, rules: Rules) -> Make:
        """What makes the agents of a game.

        It raises PlayError for a spec that is not offered, and for an agent that cannot be made.
        """

        def make(spec: str) -> Agent:
            self.check(spec, rules)
            try:
                return self._policy(spec, rules) if spec.startswith(_NEURAL) else registry.make(spec, rules)
            except (Exception, SystemExit) as error:  # a third party's code may raise anything
                raise PlayError(f"{spec}: {error}") from error

        return make

    def check(self, spec: object, rules: Rules) -> None:
        """Raise PlayError if a spec is not offered."""
        specs = self.specs(rules)
        if spec not in specs:
            raise PlayError(f"agent: {quoted(spec)} is not offered; there are {', '.join(specs)}")

    def advise(self, spec: str, rules: Rules, table: Table, so_far: DealSoFar) -> dict[str, Any]:
        """What an agent that is not at the table would do: as `agent_calls.advise`, and its `title`.

        Args:
            spec: The agent.
            rules: The game.
            table: What it is asked about.
            so_far: The deal until then.

        Raises:
            PlayError: If it is not offered, cannot be made or fails; says how people know it.
        """
        with self._lock:
            agent = self._advisers.pop((spec, rules), None)
        agent = agent or self.maker(rules)(spec)
        title = portrait(spec, rules.game).title
        try:
            prepare_for_advice(agent, table, so_far)
            advice = advise(agent, table)
        except AgentError as error:
            raise PlayError(f"{title} {error.what}") from error
        with self._lock:
            _keep_newest(self._advisers, (spec, rules), agent, MAX_ADVISERS)
        return {**advice, "title": title}

    def _policy(self, spec: str, rules: Rules) -> Agent:
        """A trained policy. All seats and targets share one network: to use it does not change it."""
        path = Path(spec.removeprefix(_NEURAL))
        key = (spec, rules.game, rules.players, _written_at(path))
        with self._lock:
            original = self._policies.get(key)
        if original is None:
            original = registry.make(spec, rules)
        with self._lock:
            _keep_newest(self._policies, key, original, MAX_POLICIES)
        return copy.copy(original)

    def _policy_paths(self, rules: Rules) -> list[str]:
        """The package's policy for this game, and the runs with one, the newest first."""
        found: dict[str, float] = {}
        for card in self._runs.glob("*/*/policy.json"):
            try:
                about = from_json(card.read_text(encoding="utf-8"))["rules"]
                if (about["game"], about["players"]) == (rules.game, rules.players):
                    found[str(card.parent.parent)] = card.stat().st_mtime
            except (OSError, ValueError, KeyError, TypeError):
                continue
        own = playable_policy(rules)
        return [*([own] if own else []), *sorted(found, key=lambda run: -found[run])]


def _keep_newest(cache: OrderedDict[object, Agent], key: object, agent: Agent, most: int) -> None:
    cache[key] = agent
    cache.move_to_end(key)
    while len(cache) > most:
        cache.popitem(last=False)


def _written_at(path: Path) -> int:
    """When the policy of a run was last written; 0 for one of the package."""
    cards = [path / part / "policy.json" for part in ("", "best", "latest")]
    return max((card.stat().st_mtime_ns for card in cards if card.is_file()), default=0)
