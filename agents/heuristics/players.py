"""The list of the rule-based players. A new one is a line here."""

from __future__ import annotations

from collections.abc import Mapping

from canasta_agents.heuristics import (
    builder,
    closer,
    eager,
    gambler,
    greedy,
    keeper,
    simple,
    uniform,
    watcher,
    weigher,
)
from canasta_agents.heuristics.frame import Player
from canasta_env.rules import GAMES, Game

PLAYERS: tuple[Player, ...] = (
    uniform.PLAYER,
    # Classic, the strongest first
    watcher.PLAYER,
    closer.PLAYER,
    closer.PLAIN,
    weigher.PLAYER,
    builder.PLAYER,
    gambler.PLAYER,
    greedy.PLAYER,
    eager.PLAYER,
    # Modern American
    simple.PLAYER,
    keeper.PLAYER,
)
STRONGEST: Mapping[Game, Player] = {"classic": watcher.PLAYER, "modern_american": keeper.PLAYER}
PLAYERS_OF: Mapping[Game, Mapping[str, Player]] = {
    game: {player.name: player for player in PLAYERS if game in player.games} for game in GAMES
}
