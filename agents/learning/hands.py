"""Learning which cards other players hold: `python -m canasta_agents hands POLICY`.

A policy plays deals in all seats. At some of its decisions the hands that the seat to move does not see are
kept, and the model learns to tell them from hands that are dealt anew (`canasta_env.redeal`): its score of a
table then becomes the logarithm of how many times likelier such hands are among these players than as the
cards fall (noise-contrastive estimation: Gutmann and Hyvärinen 2010; with several false tables at once, van
den Oord et al. 2018). What is hidden is a label in training only; the model reads observations.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch.nn.functional import cross_entropy

from canasta_agents.asking import ask_at
from canasta_agents.neural.agent import NeuralAgent
from canasta_agents.neural.hands import HandsModel, new_model, save_hands
from canasta_agents.neural.policy_file import find_policy
from canasta_agents.policies import HANDS
from canasta_agents.search.beliefs import loose_cards
from canasta_env.agent import Agent, DecisionBatch, tell_of_deals
from canasta_env.hidden_hands import redeal
from canasta_env.rules import Rules
from canasta_env.validation import whole_number
from canasta_env.vector import VectorTables

NUM_REDEALT = 31  # tables that a position's own is told from
_TABLES = 512  # at which deals are played
_SHARE = 0.25  # of the decisions with a choice that are kept
_HELD_OUT = 0.05  # of the deals, to measure on
_PLAYING = 0.5  # of the time, about
_BATCH, _EPOCHS, _STEP_SIZE = 256, 3, 2e-3


def learn_hands(
    run: Path, num_deals: int, seed: int, tell: Callable[[float], None] = lambda part: None
) -> tuple[Path, float]:
    """Let a policy play, learn what hands it holds, and write the model beside it.

    Args:
        run: A run (its best policy), a checkpoint in it, or the name of a policy of the package.
        num_deals: At least so many deals are played, two of them at the least.
        seed: Fixes all chance.
        tell: Called with the part that is done, 0 to 1.

    Returns:
        The file, and the model's `gain` in nats a position of deals held out.

    Raises:
        CheckpointError: If there is no policy.
        ValueError: If `num_deals` does not fit.
        OSError: If the file cannot be written.
    """
    file = find_policy(run) / HANDS
    num_deals = whole_number(num_deals, "deals", 2, None)
    agent = NeuralAgent(run)
    positions = play_positions(
        agent.rules, agent, num_deals, seed, lambda num: tell(_PLAYING * num / num_deals)
    )
    model = train_hands(positions, seed, lambda part: tell(_PLAYING + (1 - _PLAYING) * part))
    save_hands(model, file)
    return file, model.card["gain"]


@dataclass
class Positions:
    """Decisions of played deals, several legal actions each, and the tables they were made at."""

    rules: Rules
    views: NDArray[np.void]  # (n,) VIEW of the seat to move
    masks: NDArray[np.int8]  # (n, NUM_ACTIONS)
    tables: NDArray[np.void]  # (n,) STATE: what was hidden is a label, and nothing else
    deals: NDArray[np.int64]  # (n,) number of the deal

    def __len__(self) -> int:
        return len(self.views)

    def batch(self, rows: NDArray[np.int64]) -> DecisionBatch:
        """Some of them as decisions."""
        views = self.views[rows]
        return DecisionBatch(self.rules, np.arange(len(rows)), views["seat"], views, self.masks[rows])

    def take(self, rows: NDArray[np.int64]) -> Positions:
        """Some of them."""
        return Positions(self.rules, self.views[rows], self.masks[rows], self.tables[rows], self.deals[rows])


def play_positions(
    rules: Rules,
    agent: Agent,
    num_deals: int,
    seed: int,
    tell: Callable[[int], None] = lambda num: None,
    share: float = _SHARE,
) -> Positions:
    """Let a player play all seats, from match scores drawn so that each minimum is equally likely.

    Args:
        rules: The game.
        agent: The player.
        num_deals: At least so many deals, from 1; as many from each table.
        seed: Fixes cards, scores, the player's chance and which positions are kept.
        tell: Called with the number of deals that have ended.
        share: Of the decisions with a choice, how many are kept.

    Raises:
        ConfigError: If the player answers with an action that is not legal.
    """
    num_tables = min(_TABLES, num_deals)
    wanted = -(-num_deals // num_tables)
    tables = VectorTables(rules, num_tables, seed=seed, scores="drawn", check=False)
    rng, every_table, played = (
        np.random.default_rng(seed),
        np.arange(num_tables),
        np.zeros(num_tables, np.int64),
    )
    agent.reset(num_tables, seed)
    tell_of_deals(agent, every_table, first=True)
    parts = []
    while (played < wanted).any():
        is_choice = (tables.masks.sum(axis=1) > 1) & (played < wanted)
        rows = np.flatnonzero(is_choice & (rng.random(num_tables) < share))
        true_tables = tables.get_state()["tables"][rows]
        deals = rows * wanted + played[rows]
        parts.append(Positions(rules, tables.views[rows], tables.masks[rows], true_tables, deals))
        ended, _ = tables.step(ask_at(agent, rules, tables, every_table))
        if ended.any():
            played[ended] += 1
            tell_of_deals(agent, np.flatnonzero(ended), first=True)
            tell(int(np.minimum(played, wanted).sum()))
    columns = zip(*((part.views, part.masks, part.tables, part.deals) for part in parts), strict=True)
    return Positions(rules, *(np.concatenate(column) for column in columns))


def train_hands(
    positions: Positions, seed: int, tell: Callable[[float], None] = lambda fraction: None
) -> HandsModel:
    """Train a model on positions; its card says how much it knows of deals held out: `gain`.

    Args:
        positions: Of at least two deals.
        seed: Fixes all chance.
        tell: Called with the part that is done, 0 to 1.
    """
    torch.manual_seed(seed)
    rng = np.random.default_rng(seed)
    model = new_model(positions.rules)
    is_held_out = np.isin(positions.deals, _some_deals(positions.deals, rng))
    rows = np.flatnonzero(~is_held_out)
    num_steps, step = _EPOCHS * math.ceil(len(rows) / _BATCH), 0
    optimizer = torch.optim.Adam(model.network.parameters(), lr=_STEP_SIZE)
    schedule = torch.optim.lr_scheduler.LinearLR(optimizer, 1.0, 0.01, num_steps)
    for _ in range(_EPOCHS):
        for part in np.array_split(rng.permutation(rows), math.ceil(len(rows) / _BATCH)):
            optimizer.zero_grad()
            torch.autograd.backward(_surprise(model, positions.take(part), rng).mean())
            optimizer.step()
            schedule.step()
            step += 1
            tell(step / num_steps)
    gains = gain(model, positions.take(np.flatnonzero(is_held_out)), rng)
    model.card |= {"positions": len(rows), "seed": seed, "gain": float(gains.mean())}
    model.network.eval()
    return model


def _some_deals(deals: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.int64]:
    distinct = np.unique(deals)
    some: NDArray[np.int64] = rng.permutation(distinct)[: math.ceil(_HELD_OUT * len(distinct))]
    return some


def gain(model: HandsModel, positions: Positions, rng: np.random.Generator) -> NDArray[np.float64]:
    """How many nats the model knows of the hidden hands at positions, at least: `(n,)`.

    It is what telling a position's own table from `NUM_REDEALT` others is easier than by chance; 0 on
    average where nothing is known, and never above the logarithm of the number of tables.
    """
    found = []
    with torch.inference_mode():
        for part in np.array_split(np.arange(len(positions)), math.ceil(len(positions) / _BATCH)):
            found.append(_surprise(model, positions.take(part), rng).double().numpy())
    gains: NDArray[np.float64] = math.log(1 + NUM_REDEALT) - np.concatenate(found)
    return gains


def _surprise(model: HandsModel, positions: Positions, rng: np.random.Generator) -> torch.Tensor:
    """The cross-entropy of each position's own table among others, `(n,)`."""
    batch = positions.batch(np.arange(len(positions)))
    seeds = rng.integers(1 << 63, size=len(positions))
    redealt = redeal(positions.rules, batch.views, seeds, NUM_REDEALT).reshape(len(positions), NUM_REDEALT)
    tables = np.concatenate([positions.tables[:, None], redealt], axis=1)
    observations = torch.from_numpy(model.reader.read(batch.observations))
    scores = model.network(observations, torch.from_numpy(loose_cards(batch, tables)))
    return cross_entropy(scores, torch.zeros(len(positions), dtype=torch.int64), reduction="none")
