"""Calls of agents: what they choose and advise, and how long the server waits for them."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import numpy as np

from canasta_agents.play.game import DealSoFar
from canasta_agents.play.messages import AgentError, PlayError
from canasta_agents.play.news import news_of
from canasta_agents.search.agent import SearchAgent
from canasta_env import Table
from canasta_env.actions import NOTATIONS, NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch, Heard, can_hear, remembers, tell_of_deals

Result = TypeVar("Result")

SLOW_S = 0.5
_MAX_LIKELY = 3  # actions whose probabilities, or what a search found of them, are told
_MIN_PROBABILITY = 0.001  # of an action that is told


class CallTimeoutError(AgentError):
    """A call that has not returned in time; it may still go on."""


async def call_with_timeout(
    call: Callable[[], Result], timeout_s: float, who: str, ended: Callable[[], None] = lambda: None
) -> Result:
    """Make a call in a thread of its own, so that one that hangs does not block the server or its exit.

    Args:
        call: What is called.
        timeout_s: Seconds to wait for it; the call itself cannot be stopped.
        who: Named in the error.
        ended: Called on the event loop when the call has ended, be it in time or not.

    Returns:
        What the call returns; raises what it raises.

    Raises:
        CallTimeoutError: If it takes longer.
    """
    loop = asyncio.get_running_loop()
    future: asyncio.Future[Result] = loop.create_future()

    def set_outcome(result: Any, error: BaseException | None) -> None:
        ended()
        if future.done():
            return
        if error is None:
            future.set_result(result)
        else:
            future.set_exception(error)

    def run() -> None:
        result, fault = None, None
        try:
            result = call()
        except Exception as error:
            fault = error
        except BaseException as error:  # a third party's SystemExit must not end the server
            fault = PlayError(f"{who}: {type(error).__name__}: {error}")
        with contextlib.suppress(RuntimeError):  # the server may have ended
            loop.call_soon_threadsafe(set_outcome, result, fault)

    threading.Thread(target=run, name=f"canasta-play: {who}", daemon=True).start()
    await asyncio.wait([future], timeout=timeout_s)
    if not future.done():
        future.cancel()
        what = f"has not answered in {timeout_s:g} s"
        raise CallTimeoutError(f"{who} {what}", what)
    return future.result()


class CallPool:
    """Makes calls in threads, a few at once, for tasks of one event loop; others wait for their turn.

    A call that takes longer than `SLOW_S` gives its turn to the next, so that agents that hang do not hold up
    the others; its thread counts until it ends.

    Args:
        max_running: Calls at once.
        max_threads: Threads at once, those of slow calls included.
    """

    def __init__(self, max_running: int, max_threads: int) -> None:
        self._turns, self._threads = asyncio.Semaphore(max_running), asyncio.Semaphore(max_threads)

    async def call(self, call: Callable[[], Result], timeout_s: float, who: str) -> Result:
        """Make a call, as `call_with_timeout`; to wait for a turn may take `timeout_s` as well."""
        try:
            async with asyncio.timeout(timeout_s):
                await self._threads.acquire()
                try:
                    await self._turns.acquire()
                except BaseException:
                    self._threads.release()
                    raise
        except TimeoutError:
            busy = f"the server was too busy for {timeout_s:g} s"
            raise CallTimeoutError(f"{who}: {busy}", f"was not asked: {busy}") from None
        end_turn = _once(self._turns.release)
        asyncio.get_running_loop().call_later(SLOW_S, end_turn)

        def ended() -> None:
            end_turn()
            self._threads.release()

        return await call_with_timeout(call, timeout_s, who, ended)


def _once(action: Callable[[], None]) -> Callable[[], None]:
    """An action that does nothing when called again."""
    pending = [action]

    def run() -> None:
        if pending:
            pending.pop()()

    return run


def decision(table: Table) -> DecisionBatch:
    """The decision of the seat to move, as an agent is asked it."""
    seat = table.to_play
    assert seat is not None
    return DecisionBatch.single(table.rules, seat, table.view(seat), table.action_mask())


def begin_deal(agent: Agent, first: bool) -> None:
    """Tell an agent that a deal begins at its one table, if it wants to know.

    Args:
        agent: The agent.
        first: Whether the deal is the first of its match.

    Raises:
        AgentError: If it fails; names the agent.
    """
    try:
        tell_of_deals(agent, np.zeros(1, np.int64), first=first)
    except (Exception, SystemExit) as error:  # a third party's code may raise anything
        what = f"failed when a deal began: {error}"
        raise AgentError(f"{agent.name} {what}", what) from error


def tell_news(agent: Agent, news: Sequence[Heard]) -> None:
    """Tell an agent what happened at its table, if it wants to hear.

    Raises:
        AgentError: If it fails; names the agent.
    """
    if not (news and can_hear(agent)):
        return
    try:
        agent.hear(news)
    except (Exception, SystemExit) as error:  # a third party's code may raise anything
        what = f"failed when it was told of a move: {error}"
        raise AgentError(f"{agent.name} {what}", what) from error


def choose(agent: Agent, table: Table) -> str:
    """The action that an agent chooses for the seat to move.

    Raises:
        AgentError: If it fails, or chooses what is not legal; names the agent and what it did.
    """
    asked = decision(table)
    try:
        action = int(np.asarray(agent.act(asked)).reshape(-1)[0])
    except (Exception, SystemExit) as error:  # a third party's code may raise anything
        text = f"{agent.name} failed in seat {table.to_play}: {error}"
        raise AgentError(text, f"failed: {error}") from error
    if not 0 <= action < NUM_ACTIONS or not asked.masks[0, action]:
        name = NOTATIONS[action] if 0 <= action < NUM_ACTIONS else action
        text = f"{agent.name} chose {name} in seat {table.to_play}, which is not legal"
        raise AgentError(text, f"chose {name}, which is not legal")
    return NOTATIONS[action]


def prepare_for_advice(agent: Agent, table: Table, so_far: DealSoFar) -> None:
    """Reset an agent; let one that hears or has a memory see what the seat to move has seen in this deal.

    Args:
        agent: The agent.
        table: What it will be asked about.
        so_far: The deal until then.

    Raises:
        AgentError: As `begin_deal`.
    """
    agent.reset(1, 0)
    if remembers(agent) and table.to_play is not None:
        begin_deal(agent, so_far.is_first)
    if can_hear(agent) and table.to_play is not None:
        tell_news(agent, news_of(so_far, table.to_play))
    elif remembers(agent) and table.to_play is not None:
        for before in so_far.tables_of(table.to_play):
            with contextlib.suppress(PlayError):
                choose(agent, before)


def advise(agent: Agent, table: Table) -> dict[str, Any]:
    """What an agent would do for the seat to move.

    Returns:
        `agent`, `action`. Of a search also `tried`, the best actions it tried: pairs of action and points by
        which it ends the deal ahead of what the base player would do. Of a trained policy also `likely`,
        pairs of action and probability, and `value`, what it expects of the deal in `unit`: "points" (own
        less others') or "percent of a match". `value` is None if its critic needs hidden cards.

    Raises:
        AgentError: As `choose`.
        PlayError: If the deal is over.
    """
    if table.is_over:
        raise PlayError("the deal is over: there is nothing to decide")
    if isinstance(agent, SearchAgent):
        return _search_advice(agent, table)
    told: dict[str, Any] = {"agent": agent.name, "action": choose(agent, table)}
    if hasattr(agent, "judge") and hasattr(agent, "value_unit"):  # a trained policy: neural.agent.NeuralAgent
        probabilities, value = agent.judge(decision(table))
        order = np.argsort(-probabilities[0], kind="stable")[:_MAX_LIKELY]
        told["likely"] = [
            [NOTATIONS[action], float(probabilities[0, action])]
            for action in order
            if probabilities[0, action] >= _MIN_PROBABILITY
        ]
        told["value"] = None if value is None else float(value[0])
        told["unit"] = agent.value_unit
    return told


def _search_advice(agent: SearchAgent, table: Table) -> dict[str, Any]:
    action, ahead = agent.weigh(decision(table))
    best = sorted(ahead, key=lambda tried: -ahead[tried])[:_MAX_LIKELY]
    tried = [[NOTATIONS[one], ahead[one]] for one in best]
    return {"agent": agent.name, "action": NOTATIONS[action], "tried": tried}
