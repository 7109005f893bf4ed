"""Play the same deals in the engine and in the oracle, and compare everything at every step.

    python -m tests.reference.lockstep --deals 20000 --game classic --players 4 --policy mixed --workers 2

Without `--game` or `--rules`, all configurations. Prints how often each clause was exercised; ends with
status 1 and a report at the first difference.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter
from collections.abc import Callable, Sequence
from multiprocessing import Pool
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from canasta_env.cards import NUM_CARDS
from canasta_env.rules import GAMES, PLAYERS, Rules, standard_rules
from tests.reference.coverage import deal_events, play_watched, table_of
from tests.reference.house_rules import draw_rules
from tests.reference.oracle import Oracle
from tests.reference.walks import POLICIES, Policy, draw_order, draw_policies, draw_scores

CHUNK = 10  # deals that share their house rules and are played by one worker
DECISIONS = "decisions"
DEALS = "deals"


class DifferenceError(AssertionError):
    """The engine and the oracle do not agree; the text is the report."""


def run_lockstep(
    rules: Rules,
    num_deals: int,
    seed: int = 0,
    policy: str = "mixed",
    first_deal: int = 0,
    alone: bool = False,
) -> Counter[str]:
    """Play deals in lockstep.

    Args:
        rules: The game.
        num_deals: How many deals.
        seed: Deal number n of a seed is always the same deal.
        policy: A name of `POLICIES`, `mixed`, or `heuristic` (the players of `agents`).
        first_deal: Number of the first deal.
        alone: Play the oracle only, and check its invariants in place of the engine.

    Returns:
        How often each event of `coverage.ROWS` happened, and the numbers of deals and decisions.

    Raises:
        DifferenceError: With the report, at the first difference.
    """
    counts: Counter[str] = Counter()
    for number in range(first_deal, first_deal + num_deals):
        _play_deal(rules, seed, number, policy, alone, counts)
    return counts


def _play_deal(rules: Rules, seed: int, number: int, policy: str, alone: bool, counts: Counter[str]) -> None:
    rng = Random(f"{seed} {number}")
    order, scores = draw_order(rules, rng), draw_scores(rules, rng)
    dealer = rng.randrange(rules.players)
    policies = draw_policies(policy, rules, rng)
    oracle = Oracle(rules, order, dealer, scores)
    engine: Any = None
    if not alone:
        from canasta_env import Table

        engine = Table(rules, order=order, dealer=dealer, scores=scores)
    counts.update(deal_events(oracle))
    where = f"{rules.game} {rules.players}, seed {seed}, deal {number}, policy {policy}, dealer {dealer}"
    num_decisions = play_on(oracle, engine, policies, rng, counts, where)
    counts.update({DEALS: 1, DECISIONS: num_decisions})


def play_on(
    oracle: Oracle,
    engine: Any,
    policies: Sequence[Policy],
    rng: Random,
    counts: Counter[str],
    where: str,
    actions: Sequence[str] = (),
) -> int:
    """Play one deal to its end, comparing at every step.

    Args:
        oracle: The oracle's table.
        engine: The engine's `Table` in the same position; None checks the oracle's invariants instead.
        policies: One for each seat.
        rng: Of the policies.
        counts: Where the events of `coverage.ROWS` are counted.
        where: What is played, for the report.
        actions: Notations to begin with.

    Returns:
        The number of decisions.

    Raises:
        DifferenceError: With the report, at the first difference.
    """
    check: Callable[[Oracle], None] = _check_invariants
    if engine is not None:
        from tests.reference.comparison import Comparison

        check = Comparison(engine).check
    start = oracle.position()
    played: list[str] = []
    try:
        check(oracle)
        while not oracle.is_over:
            if len(played) < len(actions):
                notation = actions[len(played)]
            else:
                notation = policies[oracle.seat_to_play()](oracle, oracle.legal(), rng)
            played.append(notation)
            if engine is not None:
                engine.play(notation)
            play_watched(oracle, notation, counts)
            check(oracle)
    except Exception as error:
        report = [where, f"played: {' | '.join(played)}", f"{type(error).__name__}: {error}"]
        report.append(f"before: {_position_before_the_last(start, played)}")
        raise DifferenceError("\n".join(report)) from error
    return len(played)


def _position_before_the_last(start: dict[str, Any], played: list[str]) -> str:
    oracle = Oracle.from_position(start)
    for notation in played[:-1]:
        oracle.play(notation)
    return json.dumps(oracle.position())


def _check_invariants(oracle: Oracle) -> None:
    """What holds of every table, whoever plays it."""
    cards = sum(map(sum, oracle.hands)) + sum(map(sum, oracle.threes)) + len(oracle.pile) + len(oracle.stock)
    cards += sum(sum(meld) for melds in oracle.melds for meld in melds)
    assert cards == NUM_CARDS, f"{cards} cards"
    for seat in range(oracle.rules.players):
        view = oracle.view(seat)
        hidden = view["stock_size"] + sum(view["hand_size"][1:])
        assert min(view["unseen"]) >= 0 and sum(view["unseen"]) == hidden, "unseen"
        hand = oracle.hands[seat]
        assert all(known <= held for known, held in zip(oracle.known[seat], hand, strict=True)), "known"
    position = oracle.position()
    again = Oracle.from_position(json.loads(json.dumps(position)))
    assert again.position() == position, "position does not come back"
    assert oracle.is_over == (not oracle.legal()), "legal actions"
    assert again.legal() == oracle.legal(), "legal actions from the position"
    assert again.score() == oracle.score(), "score from the position"
    assert oracle.is_over or any(oracle.hands[oracle.seat_to_play()]) or oracle.taken >= 0, "an empty hand"


def _configurations(options: argparse.Namespace) -> list[Rules]:
    if options.rules:
        return [read_rules(options.rules)]
    return [
        standard_rules(game, players)
        for game in reversed(GAMES)
        for players in PLAYERS[game]
        if options.game in (None, game) and options.players in (None, players)
    ]


def read_rules(path: Path) -> Rules:
    """The rules in a JSON file, in the form of `Rules.to_dict`; fields left out are the game's own."""
    return Rules.from_dict(json.loads(path.read_text(encoding="utf-8")))


class _Chunk(NamedTuple):
    """Deals for one worker."""

    rules: Rules
    first_deal: int
    num_deals: int
    options: argparse.Namespace


def _run_chunk(chunk: _Chunk) -> Counter[str] | DifferenceError:
    options = chunk.options
    rules = chunk.rules
    if options.house_rules:
        rng = Random(f"{options.seed} {chunk.first_deal} rules")
        rules = draw_rules(rules.game, rules.players, rng)
    try:
        return run_lockstep(
            rules, chunk.num_deals, options.seed, options.policy, chunk.first_deal, options.alone
        )
    except DifferenceError as difference:
        return difference


def main() -> int:
    """The command; returns its exit status."""
    raw = argparse.RawDescriptionHelpFormatter
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=raw)
    parser.add_argument("--deals", type=int, default=20_000, help="of each configuration")
    parser.add_argument("--game", choices=GAMES)
    parser.add_argument("--players", type=int)
    parser.add_argument("--rules", type=Path, metavar="FILE", help="JSON, in place of a standard game")
    parser.add_argument("--house-rules", action="store_true", help=f"draw new rules every {CHUNK} deals")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--policy", choices=[*POLICIES, "mixed", "heuristic"], default="mixed")
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--alone", action="store_true", help="the oracle without the engine")
    options = parser.parse_args()
    with Pool(options.workers) as pool:
        for rules in _configurations(options):
            status = _run_configuration(pool, rules, options)
            if status:
                return status
    return 0


def _run_configuration(pool: Any, rules: Rules, options: argparse.Namespace) -> int:
    starts = range(0, options.deals, CHUNK)
    tasks = [_Chunk(rules, start, min(CHUNK, options.deals - start), options) for start in starts]
    counts: Counter[str] = Counter()
    begin = time.monotonic()
    for result in pool.imap(_run_chunk, tasks):
        if isinstance(result, DifferenceError):
            print(f"\n{result}")
            return 1
        counts += result
        _show_progress(rules, counts, options.deals, time.monotonic() - begin)
    print()
    print(table_of(rules, counts), flush=True)
    return 0


def _show_progress(rules: Rules, counts: Counter[str], num_deals: int, elapsed_s: float) -> None:
    speed = counts[DECISIONS] / elapsed_s
    deals = f"{rules.game} {rules.players}: {counts[DEALS]:,} of {num_deals:,} deals"
    print(
        f"\r{deals}, {counts[DECISIONS]:,} decisions, {speed:,.0f} a second",
        end="",
        file=sys.stderr,
        flush=True,
    )


if __name__ == "__main__":
    sys.exit(main())
