"""Play a block of boards of one matchup, every board in every arrangement, many tables at a time.

A block is the unit of work and of resuming: its result is a function of the block alone, not of what else
is played, by how many workers, or in which order.
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from canasta_agents.arena.forfeits import (
    WARM_UP_S,
    EntrantError,
    Fault,
    TimeLimitError,
    describe_illegal,
    guarded_act,
    guarded_call,
)
from canasta_agents.arena.guarded import LostProcessError
from canasta_agents.arena.kernels import (
    GOES_ON,
    IS_ILLEGAL,
    IS_OVER,
    MAX_ACTIONS,
    OUTCOME,
    CompiledSeats,
    deal,
    is_match_won,
    observe,
    play,
    play_out,
    sum_up,
)
from canasta_agents.arena.schedule import Matchup, Scores, agent_seed, draw_board
from canasta_agents.arena.telling import Telling
from canasta_agents.arena.third_party import ThirdPartyAgent
from canasta_agents.heuristics.agent import CompiledAgent
from canasta_env.actions import NUM_ACTIONS
from canasta_env.agent import Agent, DecisionBatch, Heard, can_hear, remembers
from canasta_env.engine.scoring import TOTAL
from canasta_env.engine.state import allocate, rules_record
from canasta_env.engine.view import VIEW
from canasta_env.envs.episode import FORFEIT_POINTS
from canasta_env.rules import Rules

Episode = Literal["deal", "match"]

MAX_DEALS = 60  # of a match: two entrants that never reach the target; then the higher score wins


@dataclass(frozen=True)
class Block:
    """Boards `start` ... `stop` − 1 of a tournament, for one matchup."""

    rules: Rules
    matchup: Matchup
    start: int
    stop: int
    seed: int = 0
    episode: Episode = "deal"
    scores: Scores = "zero"
    decision_time_s: float = 1.0

    @property
    def num_boards(self) -> int:
        """Boards of the block."""
        return self.stop - self.start

    @property
    def num_tables(self) -> int:
        """Games of the block: table b · arrangements + a is board b in arrangement a."""
        return self.num_boards * len(self.matchup.arrangements)


@dataclass
class BlockResult:
    """What came out of a block.

    The four arrays are `(boards, arrangements)`, from the first team's side: `points` summed over the
    deals of a game (own mean over sides minus the other's), `deals`, `deal_wins` summed, and `match_wins`
    (NaN where deals are played), where a tie is half a win. `actions[i]` are those of `outcomes[i]`.
    """

    points: NDArray[np.float64]
    deals: NDArray[np.int64]
    deal_wins: NDArray[np.float64]
    match_wins: NDArray[np.float64]
    outcomes: NDArray[np.void]  # (deals,) OUTCOME, by table and deal; none of forfeited boards
    actions: list[bytes]
    faults: list[Fault]


@dataclass
class Player:
    """An agent in a slot of a matchup."""

    agent: Agent
    is_warm: bool = False

    @property
    def is_trusted(self) -> bool:
        """Whether it is a player of our own that needs no watching: half of a fast tournament's time."""
        return type(self.agent) is CompiledAgent

    def reset(self, num_tables: int, seed: int) -> None:
        """Reset the agent.

        Raises:
            EntrantError: If it cannot be reset, with the reason.
            LostProcessError: If a third party's process ended or hung.
        """
        if self.is_trusted or isinstance(self.agent, ThirdPartyAgent):
            reset = self.agent.reset
        else:
            reset = self._reset_here
        try:
            reset(num_tables, seed)
        except EntrantError as error:
            raise EntrantError(f"reset: {error}") from error
        except TimeLimitError as error:
            raise EntrantError(f"reset: took longer than {WARM_UP_S:.0f} s") from error

    def _reset_here(self, num_tables: int, seed: int) -> None:
        guarded_call(lambda: self.agent.reset(num_tables, seed), WARM_UP_S)

    @property
    def has_memory(self) -> bool:
        """Whether the agent wants to be told when deals begin."""
        if isinstance(self.agent, ThirdPartyAgent):
            return self.agent.has_memory
        return remembers(self.agent)

    def begin_deals(self, tables: NDArray[np.int64], first: bool, decision_time_s: float) -> None:
        """Tell an agent with a memory that deals begin; it has the time of one decision for each.

        Args:
            tables: `(n,) int64`, at least one.
            first: Whether matches begin with these deals.
            decision_time_s: Time for a decision; one that was never asked has longer, as it may load.

        Raises:
            EntrantError: If it fails, with the reason.
            LostProcessError: If a third party's process ended or hung.
        """
        agent, are_first = self.agent, np.full(len(tables), first)
        seconds = decision_time_s * len(tables) + (0.0 if self.is_warm else WARM_UP_S)
        try:
            if isinstance(agent, ThirdPartyAgent):
                agent.hear_of_deals(tables, are_first, seconds)
            elif remembers(agent):
                guarded_call(lambda: agent.begin_deals(tables.copy(), are_first), seconds)
        except EntrantError as error:
            raise EntrantError(f"begin_deals: {error}") from error
        except TimeLimitError as error:
            reason = f"begin_deals: took longer than {seconds:.3g} s for {len(tables)} deals"
            raise EntrantError(reason) from error

    @property
    def can_hear(self) -> bool:
        """Whether the agent wants to be told of events."""
        if isinstance(self.agent, ThirdPartyAgent):
            return self.agent.can_hear
        return can_hear(self.agent)

    def hear(self, events: Sequence[Heard]) -> None:
        """Tell an agent of events; it has `WARM_UP_S`, as it may start a program for them.

        Raises:
            EntrantError: If it fails, with the reason.
            LostProcessError: If a third party's process ended or hung.
        """
        agent = self.agent
        try:
            if isinstance(agent, ThirdPartyAgent):
                agent.hear_of_events(events, WARM_UP_S)
            elif can_hear(agent):
                guarded_call(lambda: agent.hear(events), WARM_UP_S)
        except EntrantError as error:
            raise EntrantError(f"hear: {error}") from error
        except TimeLimitError as error:
            raise EntrantError(f"hear: took longer than {WARM_UP_S:.0f} s") from error

    def act(
        self, batch: DecisionBatch, decision_time_s: float
    ) -> tuple[NDArray[np.int64], Mapping[int, str]]:
        """Ask for decisions, `(n,)`, and why each row that has none fails, by row.

        Raises:
            LostProcessError: If a third party's process ended or hung.
        """
        if self.is_trusted:
            return self.agent.act(batch), {}
        seconds = decision_time_s + (0.0 if self.is_warm else WARM_UP_S / len(batch))
        self.is_warm = True
        if isinstance(self.agent, ThirdPartyAgent):
            return self.agent.decide(batch, seconds)
        return guarded_act(self.agent, batch, seconds)


def play_block(block: Block, players: Sequence[Player]) -> BlockResult:
    """Play every board of a block in every arrangement.

    Args:
        block: What to play.
        players: One for each slot of the matchup. A player may fill several slots.
    """
    runner = _BlockRunner(block, players)
    runner.begin()
    while runner.is_playing:
        if runner.compiled is None:
            runner.step()
        else:
            runner.play_out(runner.compiled)
    runner.tell_the_end()
    return runner.result()


def forfeited(block: Block, slot: int, reason: str) -> BlockResult:
    """A block whose boards are all forfeited by the entrant in a slot."""
    runner = _BlockRunner(block, ())
    runner.forfeit_all(slot, reason)
    return runner.result()


@dataclass
class _BlockRunner:
    """The tables of a block while they are played."""

    block: Block
    players: Sequence[Player]
    faults: dict[int, Fault] = field(default_factory=dict)  # by board
    finished: list[NDArray[np.void]] = field(default_factory=list)
    actions: list[bytes] = field(default_factory=list)
    compiled: CompiledSeats | None = None
    told: list[int] = field(default_factory=list)  # a slot of each player with a memory

    def __post_init__(self) -> None:
        num_tables = self.block.num_tables
        arrangements = self.block.matchup.arrangements
        self.rules = rules_record(self.block.rules)
        self.tables = allocate(num_tables)
        self.views = allocate(num_tables, VIEW)
        self.running = allocate(num_tables, OUTCOME)
        self.masks = np.zeros((num_tables, NUM_ACTIONS), np.int8)
        self.log = np.zeros((num_tables, MAX_ACTIONS), np.int8)
        self.board = np.repeat(np.arange(self.block.start, self.block.stop), len(arrangements))
        self.slot_of_seat = np.tile([a.slot_of_seat for a in arrangements], (self.block.num_boards, 1))
        self.playing = np.arange(num_tables)
        self.hearers = [self._first_slot(player) if player.can_hear else -1 for player in self.players]
        hearer_of_seat = (
            np.array([*self.hearers, -1])[self.slot_of_seat]
            if self.players
            else np.full_like(self.slot_of_seat, -1)
        )
        self.telling = Telling(self.block.rules, hearer_of_seat)

    def _first_slot(self, player: Player) -> int:
        return next(slot for slot, each in enumerate(self.players) if each is player)

    @property
    def is_playing(self) -> bool:
        return len(self.playing) > 0

    def begin(self) -> None:
        """Deal every board at its tables and reset the players; one who cannot be reset forfeits all."""
        block = self.block
        boards = [
            draw_board(block.rules, block.seed, i, block.scores) for i in range(block.start, block.stop)
        ]
        repeats = len(self.block.matchup.arrangements)
        self.tables["seed"] = np.repeat(np.array([board.seed for board in boards], np.uint64), repeats)
        self.tables["dealer"] = np.repeat([board.dealer for board in boards], repeats)
        scores = np.repeat([board.scores for board in boards], repeats, axis=0)
        self.tables["scores"][:, : scores.shape[1]] = scores
        deal(self.rules, self.tables, self.playing)
        seeds = [agent_seed(block.seed, block.start, slot) for slot in range(len(self.players))]
        for slot, player in enumerate(self.players):
            if all(player is not earlier for earlier in self.players[:slot]):
                self._reset(slot, player, seeds[slot])
                self.told += [slot] if player.has_memory else []
        self._tell_of_deals(self.playing, first=True)
        self.telling.begin(self.tables, self.playing, first=True)
        self._drop_forfeited()
        agents = [player.agent for player in self.players]
        self.compiled = CompiledSeats.of(agents, seeds, block.num_tables)

    def play_out(self, seats: CompiledSeats) -> None:
        """Every table that is still playing finishes its deal, in compiled code."""
        which = self.playing
        status = np.empty(len(which), np.int8)
        play_out(
            self.rules,
            self.tables,
            self.running,
            self.log,
            which,
            self.slot_of_seat,
            seats.choosers,
            seats.params,
            seats.seeds,
            seats.decisions,
            self.views,
            status,
        )
        for table in which[status == IS_ILLEGAL]:
            seat = int(self.tables["to_play"][table])
            self._forfeit(int(self.slot_of_seat[table, seat]), int(table), "chose an illegal action")
        self._go_on(which, status)

    def step(self) -> None:
        """Every table that is still playing makes one decision."""
        slots = self.slot_of_seat[self.playing, self.tables["to_play"][self.playing]]
        order = np.argsort(slots, kind="stable")
        which = self.playing[order]
        observe(self.rules, self.tables, which, self.masks, self.views)
        actions = np.zeros(len(which), np.int64)
        ends = np.cumsum(np.bincount(slots, minlength=len(self.players)))
        for slot, (start, stop) in enumerate(zip([0, *ends[:-1]], ends, strict=True)):
            if start < stop:
                actions[start:stop] = self._decide(slot, which[start:stop], slice(start, stop))
        self._play(which, actions)

    def result(self) -> BlockResult:
        """What came out, forfeits counted."""
        outcomes = np.concatenate(self.finished) if self.finished else allocate(0, OUTCOME)
        kept = [i for i in range(len(outcomes)) if self.board[outcomes["table"][i]] not in self.faults]
        order = sorted(kept, key=lambda i: (outcomes["table"][i], outcomes["deal"][i]))
        outcomes = np.asarray(outcomes[order])
        played = tally(self.block, outcomes)
        played.actions = [self.actions[i] for i in order]
        played.faults = [self.faults[board] for board in sorted(self.faults)]
        for fault in played.faults:
            _count_as_lost(self.block, played, fault)
        return played

    def _reset(self, slot: int, player: Player, seed: int) -> None:
        try:
            player.reset(self.block.num_tables, seed)
        except (EntrantError, LostProcessError) as error:
            self.forfeit_all(slot, str(error))

    def forfeit_all(self, slot: int, reason: str) -> None:
        """End the block: whoever is in this slot forfeits all its boards."""
        for board in range(self.block.start, self.block.stop):
            self.faults.setdefault(board, Fault(slot, board, reason))
        self.playing = self.playing[:0]

    def _decide(self, slot: int, tables: NDArray[np.int64], rows: slice) -> NDArray[np.int64]:
        """Ask a slot's player at some tables, whose masks and views are in `rows`."""
        seats = self.tables["to_play"][tables]
        player = self.players[slot]
        batch = DecisionBatch(self.block.rules, tables, seats, self.views[rows], self.masks[rows])
        try:
            self._tell_news(slot)
            actions, reasons = player.act(batch, self.block.decision_time_s)
        except (LostProcessError, EntrantError) as error:
            self.forfeit_all(slot, str(error))
            return np.zeros(len(tables), np.int64)
        for row, reason in reasons.items():
            self._forfeit(slot, int(tables[row]), reason)
        return actions

    def _tell_news(self, slot: int) -> None:
        """Tell the player in a slot what happened since it was told last."""
        if news := self.telling.take_news(self.hearers[slot]):
            self.players[slot].hear(news)

    def tell_the_end(self) -> None:
        """Tell the players the last events; one who fails at it now has played all the same."""
        for slot in range(len(self.players)):
            with contextlib.suppress(EntrantError, LostProcessError):
                self._tell_news(slot)

    def _forfeit(self, slot: int, table: int, reason: str) -> None:
        """The first fault on a board is the one that counts."""
        board = int(self.board[table])
        self.faults.setdefault(board, Fault(slot, board, reason))

    def _play(self, which: NDArray[np.int64], actions: NDArray[np.int64]) -> None:
        status = np.empty(len(which), np.int8)
        play(self.rules, self.tables, self.running, self.log, self.masks, which, actions, status)
        is_played = status != IS_ILLEGAL
        self.telling.play(which[is_played], actions[is_played])
        if not status.any() and not self.faults:
            return
        for row in np.flatnonzero(status == IS_ILLEGAL):
            self._forfeit_illegal(int(which[row]), int(actions[row]), self.masks[row])
        self._go_on(which, status)

    def _go_on(self, which: NDArray[np.int64], status: NDArray[np.int8]) -> None:
        """Settle the deals that are over, and find the tables that are still playing."""
        going_on = [which[status == GOES_ON], self._end_deals(np.sort(which[status == IS_OVER]))]
        self.playing = np.sort(np.concatenate(going_on))
        self._drop_forfeited()

    def _drop_forfeited(self) -> None:
        if self.faults:
            self.playing = self.playing[~np.isin(self.board[self.playing], list(self.faults))]

    def _forfeit_illegal(self, table: int, action: int, mask: NDArray[np.int8]) -> None:
        seat = int(self.tables["to_play"][table])
        slot = int(self.slot_of_seat[table, seat])
        self._forfeit(slot, table, describe_illegal(action, seat, mask))

    def _end_deals(self, ended: NDArray[np.int64]) -> NDArray[np.int64]:
        """Settle deals that are over, and deal anew where the match goes on; those tables."""
        sum_up(self.rules, self.tables, self.running, ended)
        self.finished.append(self.running[ended])
        for table in ended:
            self.actions.append(self.log[table, : self.running["decisions"][table]].tobytes())
        self.running[ended] = np.zeros((), OUTCOME)
        if self.block.episode == "deal":
            self.telling.end(ended, np.ones(len(ended), np.bool_))
            return ended[:0]
        is_won = is_match_won(self.rules, self.tables, ended)
        goes_on: NDArray[np.bool_] = ~is_won & (self.tables["deal"][ended] < MAX_DEALS)
        self.telling.end(ended, ~goes_on)
        going_on: NDArray[np.int64] = ended[goes_on]
        deal(self.rules, self.tables, going_on)
        self._tell_of_deals(going_on, first=False)
        self.telling.begin(self.tables, going_on, first=False)
        return going_on

    def _tell_of_deals(self, tables: NDArray[np.int64], first: bool) -> None:
        """Tell the players with a memory that deals begin; one who fails at it forfeits those boards."""
        if not self.told or not self.is_playing:  # nobody is told of a forfeited block
            return
        for slot in self.told:
            player = self.players[slot]
            own = [place for place, each in enumerate(self.players) if each is player]
            is_seated = np.isin(self.slot_of_seat[tables], own).any(axis=1)
            asked = tables[is_seated & ~np.isin(self.board[tables], list(self.faults))]
            try:
                self._tell_news(slot)  # of the deal before
                if len(asked):
                    player.begin_deals(asked, first, self.block.decision_time_s)
            except EntrantError as error:
                for table in asked:
                    self._forfeit(slot, int(table), str(error))
            except LostProcessError as error:
                self.forfeit_all(slot, str(error))


def tally(block: Block, outcomes: NDArray[np.void]) -> BlockResult:
    """Count points and wins of the deals of a block.

    Args:
        block: What was played.
        outcomes: `(deals,) OUTCOME`, by table and deal.
    """
    shape = (block.num_boards, len(block.matchup.arrangements))
    table = outcomes["table"]
    is_first = block.matchup.team_of_side[table % shape[1]] == 0  # (deals, sides)
    totals = outcomes["points"][:, : block.rules.num_sides, TOTAL].astype(np.float64)
    difference = _mean_where(totals, is_first) - _mean_where(totals, ~is_first)
    num_tables = block.num_tables
    deals = np.bincount(table, minlength=num_tables)
    points = _sum_by(table, difference, num_tables)
    deal_wins = _sum_by(table, _share_of_win(totals, is_first), num_tables)
    match_wins = np.full(num_tables, np.nan)
    if block.episode == "match" and len(outcomes):
        last = np.flatnonzero(np.append(table[1:] != table[:-1], True))
        final = outcomes["scores"][last, : block.rules.num_sides] + totals[last]
        match_wins[table[last]] = _share_of_win(final, is_first[last])
    return BlockResult(
        points.reshape(shape),
        deals.reshape(shape),
        deal_wins.reshape(shape),
        match_wins.reshape(shape),
        outcomes,
        [],
        [],
    )


def _sum_by(table: NDArray[np.int32], numbers: NDArray[np.float64], num_tables: int) -> NDArray[np.float64]:
    return np.bincount(table, numbers, num_tables).astype(np.float64)


def _mean_where(numbers: NDArray[np.float64], where: NDArray[np.bool_]) -> NDArray[np.float64]:
    return np.asarray((numbers * where).sum(axis=1) / where.sum(axis=1))


def _share_of_win(totals: NDArray[np.float64], is_first: NDArray[np.bool_]) -> NDArray[np.float64]:
    """The first team's share of the win: of the sides with the highest total."""
    leads = totals == totals.max(axis=1, keepdims=True)
    return np.asarray((leads & is_first).sum(axis=1) / leads.sum(axis=1))


def _count_as_lost(block: Block, played: BlockResult, fault: Fault) -> None:
    row = fault.board - block.start
    is_lost = block.matchup.team_of_slot[fault.slot] == 0
    points = FORFEIT_POINTS[block.rules.game]
    played.points[row] = -points if is_lost else points
    played.deals[row] = 1
    played.deal_wins[row] = 0 if is_lost else 1
    if block.episode == "match":
        played.match_wins[row] = 0 if is_lost else 1
