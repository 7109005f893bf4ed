"""A model of the hands that a seat does not see: which of the possible ones such players are likely to hold.

From an observation the network gives, for each other seat and each kind of card, a number for each count of
copies that the observer does not know to be there: none, one, ... four or more. The sum of these numbers over
a table's hands is the logarithm of how many times likelier they are than if the cards lay as they fall.
A network that has learnt nothing gives zeros: all tables are equally likely.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from canasta_agents.files import write_file
from canasta_agents.neural.arrays import CheckpointError
from canasta_agents.neural.features import FeatureReader
from canasta_agents.search.beliefs import loose_cards
from canasta_env.agent import DecisionBatch
from canasta_env.cards import FIRST_RANK, NUM_KINDS, NUM_RANKS
from canasta_env.engine.layout import features, other_kinds, row_size
from canasta_env.rules import Rules

NUM_LEVELS = 5  # counts of a kind that are told apart: 0 to 4, and more as 4
_FORMAT = 1
_CARD = "card"  # where the file says what it is
_WIDTH, _ROW_WIDTH = 96, 48  # units of a hidden layer, and of the layers that run over every rank


class HandsNetwork(nn.Module):
    """Scores hands, by layers that are shared by the ranks as in `network.RankNetwork`.

    Args:
        rules: The game.
        observation_size: Entries of an observation, the rows of the ranks first.
        row_size: Features in the row of a rank.
    """

    def __init__(self, rules: Rules, observation_size: int, row_size: int) -> None:
        super().__init__()
        self.num_others, self.row_size = rules.players - 1, row_size
        self.kinds = [*range(FIRST_RANK, NUM_KINDS), *other_kinds(rules)]
        num_scores = self.num_others * (NUM_LEVELS - 1)  # of a kind
        self.rank_bias = nn.Parameter(torch.zeros(NUM_RANKS, _ROW_WIDTH))
        self.row_layer = nn.Linear(row_size, _ROW_WIDTH, bias=False)
        self.trunk = nn.Sequential(
            nn.Linear(observation_size - NUM_RANKS * row_size + 2 * _ROW_WIDTH, _WIDTH),
            nn.LayerNorm(_WIDTH),
            nn.ReLU(),
            nn.Linear(_WIDTH, _WIDTH),
            nn.LayerNorm(_WIDTH),
            nn.ReLU(),
        )
        self.trunk_to_rows = nn.Linear(_WIDTH, _ROW_WIDTH)
        self.row_to_row = nn.Linear(_ROW_WIDTH, _ROW_WIDTH, bias=False)
        self.rank_head = nn.Linear(_ROW_WIDTH, num_scores)
        self.other_head = nn.Linear(_WIDTH, len(other_kinds(rules)) * num_scores)
        for head in (self.rank_head, self.other_head):
            nn.init.zeros_(head.weight)
            nn.init.zeros_(head.bias)

    def forward(self, observations: torch.Tensor, loose: torch.Tensor) -> torch.Tensor:
        """Score tables.

        Args:
            observations: `(n, observation_size) int8`.
            loose: `(n, num, players - 1, NUM_KINDS) int8`, as `search.beliefs.loose_cards` counts them.

        Returns:
            `(n, num) float32`, logarithms of how many times likelier a table's hands are.
        """
        levels = loose[..., self.kinds].clamp(0, NUM_LEVELS - 1).long()
        scores = self.scores(observations)[:, None].expand(-1, levels.shape[1], -1, -1, -1)
        chosen: torch.Tensor = scores.gather(4, levels[..., None])
        return chosen.sum(dim=(2, 3, 4))

    def scores(self, observations: torch.Tensor) -> torch.Tensor:
        """The numbers of each seat, kind of `kinds` and count: `(n, players - 1, kinds, NUM_LEVELS)`."""
        end = NUM_RANKS * self.row_size
        inputs = observations.to(torch.float32)
        rows = torch.relu(self.row_layer(inputs[:, :end].view(-1, NUM_RANKS, self.row_size)) + self.rank_bias)
        pooled = [rows.mean(dim=1), rows.max(dim=1).values]
        trunk = self.trunk(torch.cat([inputs[:, end:], *pooled], dim=1))
        rows = torch.relu(self.row_to_row(rows) + self.trunk_to_rows(trunk)[:, None])
        of_kinds = torch.cat([self.rank_head(rows).flatten(1), self.other_head(trunk)], dim=1)
        scores = of_kinds.view(len(inputs), len(self.kinds), self.num_others, NUM_LEVELS - 1)
        return nn.functional.pad(scores, (1, 0)).transpose(1, 2)  # no copy: a score of 0


@dataclass
class HandsModel:
    """A trained network, as a search asks it: `search.beliefs.Beliefs`."""

    rules: Rules
    network: HandsNetwork
    reader: FeatureReader
    card: dict[str, Any]  # what the file says of it

    def log_weights(self, batch: DecisionBatch, tables: NDArray[np.void]) -> NDArray[np.float64]:
        """See `Beliefs.log_weights`."""
        observations = torch.from_numpy(self.reader.read(batch.observations))
        with torch.inference_mode():
            scores = self.network(observations, torch.from_numpy(loose_cards(batch, tables)))
        weights: NDArray[np.float64] = scores.double().numpy()
        return weights


def new_model(rules: Rules) -> HandsModel:
    """A model that has learnt nothing: to it all tables are equally likely."""
    names, size = features(rules), row_size(rules)
    card = {"format": _FORMAT, "rules": rules.to_dict(), "features": " ".join(names), "row_size": size}
    return HandsModel(
        rules, HandsNetwork(rules, len(names), size), FeatureReader(rules, names, "hands"), card
    )


def save_hands(model: HandsModel, file: Path) -> None:
    """Write a model, whole or not at all.

    Raises:
        OSError: If the file cannot be written.
    """
    from safetensors.torch import save

    content: bytes = save(dict(model.network.state_dict()), {_CARD: json.dumps(model.card)})
    write_file(file, content)


def load_hands(file: Path) -> HandsModel:
    """Read a model.

    Raises:
        CheckpointError: If the file holds none, or one of another version.
    """
    card, arrays = _read(file)
    try:
        rules = Rules.from_dict(card["rules"])
        names, size = card["features"].split(), card["row_size"]
        network = HandsNetwork(rules, len(names), size)
        network.load_state_dict(arrays)
    except (AttributeError, KeyError, RuntimeError, TypeError, ValueError) as error:
        raise CheckpointError(f"{file}: is no model of hands of this version ({error})") from None
    return HandsModel(rules, network.eval(), FeatureReader(rules, names, str(file)), card)


def _read(file: Path) -> tuple[dict[str, Any], dict[str, torch.Tensor]]:
    from safetensors import SafetensorError, safe_open

    try:
        with safe_open(file, "pt") as opened:
            card = json.loads((opened.metadata() or {}).get(_CARD, "{}"))
            arrays = {name: opened.get_tensor(name) for name in opened.keys()}  # noqa: SIM118 (is no mapping)
    except (OSError, SafetensorError, ValueError) as error:
        raise CheckpointError(f"{file}: cannot be read ({error})") from None
    if not isinstance(card, dict) or card.get("format") != _FORMAT:
        raise CheckpointError(
            f"{file}: holds no model of hands of format {_FORMAT}; python -m canasta_agents hands makes one"
        )
    return card, arrays
