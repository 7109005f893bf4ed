"""Rate the frozen opponents of the benchmark against each other and write its data anew.

    python -m benchmarks.calibrate_suite --boards 300
    python -m benchmarks.calibrate_suite --partners-only

It is how agents/arena/suite/protocol.json was made; to run it again makes another version of the protocol.
Every opponent plays matches with every other one on boards of a seed of its own; a Bradley-Terry model of the
deals won, scaled so that random is 0 and the best rule-based player 1,000, gives their ratings. Partners have
none: the second form keeps what was rated, and names the partners anew.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import replace
from datetime import UTC, datetime
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.ratings import ELO_PER_UNIT, bradley_terry
from canasta_agents.arena.suite.protocol import (
    DATA,
    RANDOM,
    GameProtocol,
    Opponent,
    behaviour,
    dump_protocol,
    load_protocol,
    weights_digest,
)
from canasta_agents.arena.tournament import Settings, Tournament
from canasta_agents.files import write_file
from canasta_env.rules import Game, standard_rules

SEED = 6_203_415_977_080_126_001  # of the protocol's boards
CALIBRATION_SEED = SEED + 1
JOURNAL = Path("results") / "suite-calibration"
ANCHOR_RATING = 1_000.0
_SCALE = 1_000.0  # deals that each pairing counts for

RULE_BASED: dict[Game, tuple[str, ...]] = {
    "classic": ("eager", "weigher", "watcher", "closer"),
    "modern_american": ("simple", "keeper"),
}
POLICIES: dict[tuple[Game, int], tuple[str, str]] = {  # frozen, the weaker first
    ("modern_american", 4): ("neural:modern_american@1", "neural:modern_american@2"),
    ("classic", 4): ("neural:classic_4@1", "neural:classic_4@2"),
    ("classic", 3): ("neural:classic_3@1", "neural:classic_3@2"),
    ("classic", 2): ("neural:classic_2@1", "neural:classic_2@2"),
}
TRAINED_APART: dict[tuple[Game, int], tuple[str, ...]] = {  # from those and from each other; partners only
    ("modern_american", 4): (
        "neural:partners/modern_american_a",
        "neural:partners/modern_american_b",
    ),
    ("classic", 4): ("neural:partners/classic_4_a", "neural:partners/classic_4_b"),
}


def calibrate(game: Game, players: int, boards: int) -> tuple[GameProtocol, dict[str, Any]]:
    """The part of the protocol of one game, and what its ratings were computed from."""
    rules = standard_rules(game, players)
    neural = POLICIES[game, players]
    boards = boards // 2 if players == 3 else boards
    specs = (RANDOM, *RULE_BASED[game], *neural)
    settings = Settings(rules, specs, episode="match", boards=boards, seed=CALIBRATION_SEED, records="none")
    tournament = Tournament.prepare(settings)
    tournament.run(JOURNAL, progress=lambda done, wanted, run: print(game, players, done, wanted, flush=True))
    shares = {
        pair: float(run.table.deal_wins.sum() / run.table.deals.sum())
        for pair, run in zip(combinations(range(len(specs)), 2), tournament.runs, strict=True)
    }
    strengths = _strengths(len(specs), shares)
    best = max(RULE_BASED[game], key=lambda spec: strengths[specs.index(spec)])
    scale = ANCHOR_RATING / float(strengths[specs.index(best)])
    order = np.argsort(strengths, kind="stable")
    part = GameProtocol(
        game=game,
        players=players,
        points_per_logit=round(scale, 2),
        anchor=best,
        opponents=tuple(Opponent(specs[i], round(float(strengths[i]) * scale, 1)) for i in order),
        searcher=f"search:{neural[1]}",
        partners=partners_of(game, players),
        partners_meet=(best, neural[0]) if players == 4 else (),
        weights=weights_of(game, players),
        behaviour=behaviour(rules, sorted((RANDOM, *RULE_BASED[game])), SEED),
    )
    return part, {
        "boards": boards,
        "seed": CALIBRATION_SEED,
        "date": datetime.now(UTC).date().isoformat(),
        "deals_won": [[specs[a], specs[b], round(share, 5)] for (a, b), share in shares.items()],
    }


def partners_of(game: Game, players: int) -> tuple[str, ...]:
    """Two rule-based players and all policies that were trained apart; nobody in a game without partners."""
    key = (game, players)
    return (*RULE_BASED[game][-2:], *POLICIES[key], *TRAINED_APART[key]) if key in TRAINED_APART else ()


def weights_of(game: Game, players: int) -> dict[str, str]:
    """The SHA-256 of the weights of each frozen policy, by spec."""
    specs = (*POLICIES[game, players], *TRAINED_APART.get((game, players), ()))
    weights = {}
    for spec in specs:
        digest = weights_digest(spec.removeprefix("neural:"))
        if digest is None:
            raise SystemExit(f"{spec}: no policy of the package has this name")
        weights[spec] = digest
    return weights


def with_partners_anew() -> str:
    """The text of the protocol as it is, but for its partners and the weights of all frozen policies."""
    how = [part["calibration"] for part in json.loads(DATA.read_bytes())["games"]]
    games = [
        replace(
            game,
            partners=partners_of(game.game, game.players),
            weights=weights_of(game.game, game.players),
        )
        for game in load_protocol().games
    ]
    return dump_protocol(SEED, games, how)


def _strengths(num: int, shares: dict[tuple[int, int], float]) -> NDArray[np.float64]:
    """Log odds, random's (the first) being 0; all pairings count alike."""
    wins = np.zeros((num, num))
    for (first, second), share in shares.items():
        wins[first, second], wins[second, first] = _SCALE * share + 0.5, _SCALE * (1 - share) + 0.5
    ratings = bradley_terry(wins) / ELO_PER_UNIT
    return ratings - ratings[0]


def main() -> None:
    """Rate the players of all games and write protocol.json."""
    parser = argparse.ArgumentParser(description="Rate the benchmark's frozen opponents.")
    parser.add_argument("--boards", type=int, default=300, help="of each pairing; half with three players")
    parser.add_argument("--partners-only", action="store_true", help="keep the ratings")
    arguments = parser.parse_args()
    if arguments.partners_only:
        write_file(DATA, with_partners_anew())
        return
    boards = arguments.boards
    parts = [calibrate(game, players, boards) for game, players in POLICIES]
    write_file(DATA, dump_protocol(SEED, [part for part, _ in parts], [how for _, how in parts]))
    print(DATA)


if __name__ == "__main__":
    main()
