"""A page for each environment, in the form of PettingZoo's own, made from the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby

from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.cards import NUM_RANKS
from canasta_env.engine.layout import Block, critic_size, layout, observation_size, row_size
from canasta_env.envs.aec import VERSION, VERSIONS, CanastaAECEnv
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.registration import NAMES
from canasta_env.rules import GAMES, PLAYERS, Game, Rules, standard_rules
from docs.markdown import page, table

TITLES: dict[Game, str] = {"classic": "Classic Canasta", "modern_american": "Modern American Canasta"}
OTHER: dict[Game, str] = {"classic": "(Modern American)", "modern_american": "(Classic)"}
Meaning = Callable[[str], tuple[str, str]]  # what an action does, and its clause

USAGE = """
```python
import numpy as np

import canasta_env

env = canasta_env.env("{game}", {players})
env.reset(seed=42)
for agent in env.agent_iter():
    observation, reward, termination, truncation, info = env.last()
    if termination or truncation:
        action = None
    else:
        action = np.random.choice(np.flatnonzero(observation["action_mask"]))  # a policy goes here
    env.step(action)
env.close()
```

```python
import numpy as np

import canasta_env

env = canasta_env.parallel_env("{game}", {players}, idle_action=True)
observations, infos = env.reset(seed=42)
while env.agents:
    masks = {{agent: observations[agent]["action_mask"] for agent in env.agents}}
    actions = {{agent: np.random.choice(np.flatnonzero(mask)) for agent, mask in masks.items()}}
    observations, rewards, terminations, truncations, infos = env.step(actions)
env.close()
```
"""


def environment_pages(made: str, meaning: Meaning) -> dict[str, str]:
    """The text of each page by its file in docs/.

    Args:
        made: A sentence on where pages come from.
        meaning: For an action's notation what it does, and the clause of it.
    """
    return {f"environments/{game}.md": _page(game, made, meaning) for game in GAMES}


def _page(game: Game, made: str, meaning: Meaning) -> str:
    each = [standard_rules(game, players) for players in PLAYERS[game]]
    return page(
        f"# {TITLES[game]}: canasta/{NAMES[game]}-{VERSION}",
        f"{made} The rules: [games/{game}.md](../games/{game}.md). What both games have in common, with the"
        " reasons: [environment.md](../environment.md).",
        _specification(each),
        "## The game in numbers",
        _numbers(each[-1]),
        "## Usage",
        USAGE.format(game=game, players=each[0].players),
        "## Observation",
        "The slices of an observation; what each feature stands for: [layout.md](../layout.md). Every one is"
        " 0 or 1, seats and sides are counted from the observer's own.",
        *(part for rules in each for part in _observation(rules, len(each) > 1)),
        "## Actions",
        "Those of this game. The ids are the same in both, and the mask says which are legal:"
        " [actions.md](../actions.md) lists each.",
        _actions(game, meaning),
        "## Rewards",
        _rewards(game),
        "## Arguments",
        _arguments(game),
        "## Version history",
        table(
            "version", "what is new", rows=[f"| {version} | {news} |" for version, news in VERSIONS.items()]
        ),
    )


def _specification(each: Sequence[Rules]) -> str:
    game, name = each[0].game, NAMES[each[0].game]
    numbers = [rules.players for rules in each]
    agents = ", ".join(f"`player_{seat}`" for seat in range(max(numbers)))
    rows = {
        "import": f'`canasta_env.env("{game}", ...)`, `canasta_env.parallel_env("{game}", ...)`',
        "PettingZoo's name": f'`pettingzoo.make("aec", "canasta/{name}-{VERSION}")`, and `"parallel"`',
        "Gymnasium's name, for one seat": f'`"canasta_env:canasta/{name}Seat-{VERSION}"`, `make`, `make_vec`',
        "agents": f"{agents}, as many as play",
        "number of agents": ", ".join(map(str, numbers)),
        "sides": ", ".join(f"{rules.num_sides}" for rules in each),
        "action space": f"`Discrete({NUM_ACTIONS})`, with a mask",
        "observation shape": ", ".join(f"`({observation_size(rules)},)`" for rules in each),
        "observation values": "0 or 1, float32",
        "state shape": ", ".join(f"`({critic_size(rules)},)`" for rules in each),
        "state values": "0 or 1, float32",
        "parallel form": "yes",
        "played by hand": "`python play.py`",
    }
    where = "" if len(numbers) == 1 else f", by the number of agents ({', '.join(map(str, numbers))})"
    return table("", f"value{where}", rows=[f"| {name} | {value} |" for name, value in rows.items()])


def _numbers(rules: Rules) -> str:
    minima = ", ".join(
        f"{minimum} below 0" if start is None else f"{minimum} from {start:,}"
        for start, minimum in rules.opening_minima
    )
    rows = {
        "target of a match": f"{rules.target:,} (R-MATCH-1)",
        "cards dealt to each": _by_players(rules.game, "hand_size", "R-DEAL-1"),
        "cards drawn": _by_players(rules.game, "cards_drawn", "R-TURN-1"),
        "canastas to go out": _by_players(rules.game, "canastas_to_go_out", "R-OUT-1"),
        "opening minimum, by match score": f"{minima} (R-OPEN-1)",
        "canasta: clean, mixed": f"{rules.clean_canasta_bonus}, {rules.mixed_canasta_bonus} (R-SCORE-2)",
        "going out": f"{rules.going_out_bonus} (R-SCORE-3)",
    }
    return table("", "", rows=[f"| {name} | {value} |" for name, value in rows.items()])


def _by_players(game: Game, field: str, clause: str) -> str:
    """A number of the rules, for each number of players where they differ."""
    values = {players: getattr(standard_rules(game, players), field) for players in PLAYERS[game]}
    if len(set(values.values())) == 1:
        return f"{next(iter(values.values()))} ({clause})"
    return ", ".join(f"{value} with {players} players" for players, value in values.items()) + f" ({clause})"


def _observation(rules: Rules, with_title: bool) -> Iterator[str]:
    row, blocks = row_size(rules), layout(rules)
    first = [block for block in blocks if block.start < row]
    rest = [block for block in blocks if block.start >= NUM_RANKS * row]
    if with_title:
        yield f"### With {rules.players} players: {observation_size(rules)} features"
    yield (
        f"`0:{NUM_RANKS * row}` are {NUM_RANKS} rows of {row} features, for the ranks 4 to A. First a row,"
        " that of rank 4, then what stands behind the rows:"
    )
    yield table(
        "slice",
        "size",
        "names",
        "meaning",
        rows=[*_slices(first), *_slices(rest)],
    )


def _slices(blocks: Sequence[Block]) -> Iterator[str]:
    """A row for blocks side by side that are read alike."""
    for detail, alike in groupby(blocks, key=lambda block: block.detail):
        group = list(alike)
        start, end = group[0].start, group[-1].start + group[-1].size
        names = f"`{group[0].name}`" if len(group) == 1 else f"`{group[0].name}` … `{group[-1].name}`"
        yield f"| {start}:{end} | {end - start} | {names} | {detail} |"


def _actions(game: Game, meaning: Meaning) -> str:
    rows = []
    for (does, clause), alike in groupby(range(NUM_ACTIONS), key=lambda action: meaning(NOTATIONS[action])):
        if OTHER[game] in does:
            continue
        ids = list(alike)
        several = len(ids) > 1
        shown = f"{ids[0]}–{ids[-1]}" if several else f"{ids[0]}"
        names = f"`{NOTATIONS[ids[0]]}`" + (f" … `{NOTATIONS[ids[-1]]}`" if several else "")
        rows.append(f"| {shown} | {names} | {does} | {clause} |")
    return table("ids", "actions", "do", "clause", rows=rows)


def _rewards(game: Game) -> str:
    lost = FORFEIT_POINTS[game]
    rows = {
        '`reward="points"`, at the end of a deal': "points of the own side minus the others' mean",
        '`reward="win"`, at the end of an episode': "1 for the side that won, −1 for the others; shared: 0",
        'an illegal action, `illegal="forfeit"`': f"−{lost:,} for the whole side, or −1; others get its loss",
        'an illegal action, `illegal="raise"`': "none: IllegalActionError, and nothing has changed",
        "everything else": "0",
    }
    return table("when", "each agent gets", rows=[f"| {when} | {value} |" for when, value in rows.items()])


def _arguments(game: Game) -> str:
    """The arguments of the environment with the texts of its docstring."""
    (text,) = re.findall(r"Args:\n(.*?)\n\nRaises:", inspect.getdoc(CanastaAECEnv) or "", re.DOTALL)
    notes = {
        name: " ".join(note.split())
        for name, note in re.findall(r"^    (\w+): (.*(?:\n {8}.*)*)", text, re.M)
    }
    defaults = inspect.signature(CanastaAECEnv).parameters
    rows = []
    for name, note in notes.items():
        default = game if name == "game" else defaults[name].default
        shown = "" if default is None else f"`{default!r}`".replace("'", '"')
        rows.append(f"| `{name}` | {shown} | {note} |")
    return table("argument", "default", "meaning", rows=rows)
