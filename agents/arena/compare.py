"""One pairing from Python, for training loops and notebooks."""

from __future__ import annotations

from canasta_agents.arena.boards import Scores, check_scores
from canasta_agents.arena.entrants import make_agent
from canasta_agents.arena.errors import ArenaError
from canasta_agents.arena.pairing import BoardTable, Pairing, measure
from canasta_agents.arena.play import Block, Episode, Player, play_block
from canasta_agents.arena.schedule import contest
from canasta_env.agent import Agent
from canasta_env.rules import Rules


def compare(
    first: Agent | str,
    second: Agent | str,
    rules: Rules,
    *,
    boards: int = 100,
    seed: int = 0,
    episode: Episode = "deal",
    scores: Scores = "zero",
    decision_time_s: float = 60.0,
) -> Pairing:
    """Play two agents against each other on duplicate boards, in this process.

    Args:
        first: An agent, or the spec of one.
        second: Likewise. May be the same object as `first`.
        rules: The game.
        boards: Number of boards; each is played in every arrangement of the two (twice with two sides).
        seed: Draws the boards.
        episode: Whether a board is one deal or a whole match.
        scores: Match scores to begin with: "zero", "drawn" with each board, or one number a side.
        decision_time_s: Time for a decision.

    Returns:
        Points a deal and shares of deals and matches won, with 95% intervals, from the first agent's side.

    Raises:
        ArenaError: If an argument does not fit.

    Example:
        >>> result = compare(agent, "heuristic", modern_american(), boards=200)
        >>> result.points_a_deal, result.half_width, result.deal_wins.low
    """
    check_scores(rules, scores)
    if boards < 1:
        raise ArenaError(f"boards: {boards} must be at least 1")
    agents = [make_agent(agent, rules) if isinstance(agent, str) else agent for agent in (first, second)]
    players = [Player(agents[0])]
    players.append(players[0] if agents[1] is agents[0] else Player(agents[1]))
    meeting = contest(rules, (0,), (1,))
    block = Block(rules, meeting, 0, boards, seed, episode, scores, decision_time_s)
    played = play_block(block, players)
    return measure(agents[0].name, agents[1].name, BoardTable.of([played]), played.faults)
