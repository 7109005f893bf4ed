"""Observations: every feature is what its name says, and every feature moves."""

from __future__ import annotations

import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from canasta_agents import registry
from canasta_env import Rules, Table, VectorTables
from canasta_env.actions import ID_OF, NOTATIONS, NUM_ACTIONS
from canasta_env.agent import DecisionBatch
from canasta_env.cards import KINDS, NUM_RANKS, RANKS
from canasta_env.engine.encoding import encode_views
from canasta_env.engine.layout import MINIMUM, POINTS_TO_OPEN, features, layout, observation_size, row_size
from canasta_env.engine.state import rules_record
from tests.engine.walking import FOUR_GAMES, NAMES, every_deal, walk

RANK_NOTATIONS = {
    "meld": "meld {0} {0} {0}",
    "meld_with_2": "meld {0} {0} 2",
    "meld_with_joker": "meld {0} {0} joker",
    "add": "add {0}",
    "add_2": "add 2 to {0}",
    "add_joker": "add joker to {0}",
    "discard": "discard {0}",
}


class PileMemory:
    """Who threw each card of the pile and who drew with it on top, kept by looking on."""

    def __init__(self, table: Table) -> None:
        self.throwers: list[int | None] = [None] * len(table.pile)
        self.passers: list[int | None] = [None] * len(table.pile)
        self._note(table)

    def look(self, table: Table) -> None:
        """Follow one action."""
        change = len(table.pile) - len(self.throwers)
        if change == 1:
            self.throwers.append(self._turn_seat)
            self.passers.append(None)
        elif change < 0:
            del self.throwers[change:], self.passers[change:]
        elif self._phase == "draw" and self.throwers and not self._has_taken(table):
            self.passers[-1] = self._turn_seat
        self._note(table)

    def _has_taken(self, table: Table) -> bool:
        return table.position()["taken"] is not None

    def _note(self, table: Table) -> None:
        self._phase = table.phase
        if table.phase in ("draw", "play"):
            self._turn_seat = table.to_play


def told(rules: Rules, table: Table, seat: int, memory: PileMemory) -> dict[str, Any]:
    """What each block has to tell: a count or a choice, by the block's name."""
    position = table.position()
    seats = [(seat + step) % rules.players for step in range(rules.players)]
    sides = [(rules.side_of(seat) + step) % rules.num_sides for step in range(rules.num_sides)]
    hidden = Counter(position["stock"])
    for other in seats[1:]:
        hidden.update(table.hand(other))
    known = Counter()
    for other in seats[1:]:
        known.update(position["known"][other])
    pile, scores, target = list(table.pile), table.scores, rules.target
    facts: dict[str, Any] = {
        "pile_size": len(pile),
        "stock_size": table.stock_size,
        "phase": table.phase,
        "to_play": (table.to_play - seat) % rules.players,
        "dealer": (table.dealer - seat) % rules.players,
        "answer": answer(rules, position["answer"]),
        "turn": {
            name for name in ("wild_frozen", "can_ask", "melded_now", "joined_earlier") if position[name]
        },
        "points_to_open": points_to_open(rules, position, table, seat),
        "legal_others": {action.replace(" ", "_") for action in table.legal()}
        if table.to_play == seat
        else set(),
    }
    if position["opening_points"]:
        facts["turn"].add("opening")
    for kind in KINDS:
        facts[f"hand_{kind}"] = table.hand(seat).get(kind, 0)
        facts[f"unseen_{kind}"] = hidden[kind]
        facts[f"unknown_{kind}"] = hidden[kind] - known[kind]
        facts[f"pile_{kind}"] = pile.count(kind)
        facts[f"top_card_{kind}"] = pile[-1:] == [kind]
        facts[f"taken_{kind}"] = position["taken"] == kind
        facts[f"begun_{kind}"] = kind in position["begun"]
        facts[f"closed_{kind}"] = rules.closes_ranks and any(
            table.melds(side).get(kind) == (7, 0, 0) for side in sides
        )
        legal = set(table.legal()) if table.to_play == seat else set()
        facts[f"legal_{kind}"] = {
            label for label, notation in RANK_NOTATIONS.items() if notation.format(kind) in legal
        }
    for relative, side in enumerate(sides):
        name = "own" if relative == 0 else f"side_{relative}"
        melds, threes = table.melds(side), table.threes(side)
        for rank in RANKS:
            naturals, twos, jokers = melds.get(rank, (0, 0, 0))
            facts[f"{name}_meld_{rank}"] = naturals + twos + jokers
            facts[f"{name}_meld_wilds_{rank}"] = twos + jokers
        facts[f"{name}_wild_meld"] = sum(melds.get("wilds", (0, 0, 0)))
        facts[f"{name}_wild_meld_jokers"] = melds.get("wilds", (0, 0, 0))[2]
        facts[f"{name}_black_threes"] = threes.get("black3", 0)
        facts[f"{name}_red_threes"] = threes.get("red3", 0)
        facts[f"{name}_canastas"] = sum(sum(meld) >= 7 for meld in melds.values())
        facts[f"{name}_opened"] = position["opened"][side]
        facts[f"{name}_minimum"] = rules.minimum(scores[side])
        facts[f"{name}_score"] = scores[side] * 40 / target
        facts[f"{name}_lead"] = (scores[sides[0]] - scores[side]) * 40 / target
    for relative, other in enumerate(seats):
        name = "me" if relative == 0 else f"seat_{relative}"
        for kind in KINDS:
            thrown = [card for card, who in zip(pile, memory.throwers, strict=True) if who == other]
            facts[f"{name}_known_{kind}"] = position["known"][other].get(kind, 0)
            facts[f"{name}_discarded_{kind}"] = position["discarded"][other].get(kind, 0)
            facts[f"{name}_last_discard_{kind}"] = thrown[-1:] == [kind]
            facts[f"{name}_passed_{kind}"] = sum(
                card == kind and passer == other and thrower is not None
                for card, passer, thrower in covered(pile, memory, table)
            )
        facts[f"{name}_piles_taken"] = position["piles_taken"][other]
        facts[f"{name}_hand_size"] = sum(table.hand(other).values())
        facts[f"{name}_flags"] = {flag for flag in ("melded", "asked") if position[flag][other]}
    return facts


def covered(pile: list[str], memory: PileMemory, table: Table) -> list[tuple[str, int | None, int | None]]:
    """The cards of the pile on which a card was thrown, with who did not take them and who threw them."""
    cards = list(zip(pile, memory.passers, memory.throwers, strict=True))
    has_left = table.position()["taken"] is not None and not table.rules.opens_from_hand
    return cards if has_left else cards[:-1]


def answer(rules: Rules, word: str | None) -> str:
    if word is None:
        return "not_asked"
    if word == "no":
        return "refused"
    return "must_go_out" if rules.is_yes_binding else "may_go_out"


def points_to_open(rules: Rules, position: dict[str, Any], table: Table, seat: int) -> int:
    side = rules.side_of(seat)
    if position["opened"][side]:
        return 0
    melded = position["opening_points"] if table.to_play == seat else 0
    return int(rules.minimum(table.scores[side])) - melded


def is_on(label: str, fact: Any) -> bool:
    """Whether the feature with this label is 1."""
    if isinstance(fact, (bool, np.bool_)):
        return bool(fact)
    if isinstance(fact, set):
        return label in fact
    if isinstance(fact, str):
        return label == fact
    return bool(fact >= int(label))


def observed(table: Table, seat: int) -> NDArray[np.int8]:
    mask = table.action_mask() if table.to_play == seat else np.zeros(NUM_ACTIONS, np.int8)
    observation = np.full((1, observation_size(table.rules)), 7, np.int8)
    encode_views(rules_record(table.rules), table.view(seat), mask[None], observation)
    return observation[0]


@every_deal
def test_every_feature_is_what_its_name_says(rules, seed):
    blocks = layout(rules)
    memory = None
    for step, table in enumerate(walk(rules, seed)):
        if memory is None:
            memory = PileMemory(table)
        else:
            memory.look(table)
        if table.is_over or step % 3:
            continue
        for seat in {table.to_play, step % rules.players}:
            facts = told(rules, table, seat, memory)
            observation = observed(table, seat)
            for block in blocks:
                fact = facts[block.name]
                if block.name in ("to_play", "dealer"):
                    fact = str(fact)
                wanted = [int(is_on(label, fact)) for label in block.labels]
                assert observation[block.slice].tolist() == wanted, (block, fact, seat)


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_the_blocks_follow_each_other_and_the_ranks_come_first(rules):
    blocks, size = layout(rules), row_size(rules)
    assert [block.start for block in blocks[1:]] == [block.slice.stop for block in blocks[:-1]]
    assert (blocks[0].start, blocks[-1].slice.stop) == (0, observation_size(rules))
    names = features(rules)
    assert len(set(names)) == len(names) == observation_size(rules)
    rows = [names[place * size : (place + 1) * size] for place in range(NUM_RANKS)]
    for rank, row in zip(RANKS, rows, strict=True):
        assert [name.replace(f"_{rank}:", "_4:") for name in row] == rows[0]


def never_move(rules: Rules) -> set[str]:
    """Features that no decision of this game moves: they are there for other games."""
    still = {f"to_play:{seat}" for seat in range(1, rules.players)}  # answers are the partner's decisions
    highest = max(minimum for _, minimum in rules.opening_minima)
    for side in ("own", *(f"side_{side}" for side in range(1, rules.num_sides))):
        still |= {f"{side}_minimum:{level}" for level in MINIMUM if level > highest}
    still |= {f"points_to_open:{level}" for level in POINTS_TO_OPEN if level > highest}
    if rules.players < 4:
        still |= {"phase:answer", "answer:refused", "answer:must_go_out", "answer:may_go_out", "turn:can_ask"}
        still |= {f"{seat}_flags:asked" for seat in ("me", "seat_1", "seat_2")}
        still |= {f"legal_others:{action}" for action in ("ask", "yes", "no")}
    still.add("answer:may_go_out" if rules.is_yes_binding else "answer:must_go_out")
    if not rules.wilds_freeze_pile:
        still.add("turn:wild_frozen")
    if not rules.can_take_with_wild:
        still |= {"legal_others:take_with_2", "legal_others:take_with_joker"}
    if rules.lays_black_threes:
        still |= {f"legal_others:{action}_black3" for action in ("add", "discard", "meld_black3_black3")}
    if not rules.sevens_take_wilds:
        still |= {f"legal_7:{action}" for action in ("meld_with_2", "meld_with_joker", "add_2", "add_joker")}
        still |= {f"{side}_meld_wilds_7:{level}" for side in ("own", "side_1") for level in (1, 2)}
    if not rules.has_wild_meld:
        still |= {
            f"legal_others:{action.replace(' ', '_')}"
            for action in NOTATIONS
            if action.endswith("to wilds")
            or (action.startswith("meld") and not set(action.split()) & SPELLED)
        }
    return still


SPELLED = {*RANKS, "black3"}
RARE = re.compile(r"pile_size:40|pile_joker:4|pile_2:4|stock_size:60|hand_2:7|.*_known_(2|joker):[23]")


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_every_feature_moves(rules):
    names = ["random", "heuristic", "gambler" if rules.game == "classic" else "simple"]
    players = [registry.make(name, rules) for name in names]
    tables = VectorTables(rules, 384, seed=1, scores="drawn")
    for player in players:
        player.reset(tables.num_tables, 1)
    is_seen = np.zeros(observation_size(rules), np.bool_)
    was_zero = np.zeros(observation_size(rules), np.bool_)
    actions = np.zeros(tables.num_tables, np.int64)
    for _ in range(1_200):
        is_seen |= tables.observations.any(axis=0)
        was_zero |= (tables.observations == 0).any(axis=0)
        for place, player in enumerate(players):
            rows = np.arange(place, tables.num_tables, len(players))
            seats, views = tables.to_play[rows], tables.views[rows]
            actions[rows] = player.act(DecisionBatch(rules, rows, seats, views, tables.masks[rows]))
        tables.step(actions)
    still = {name for name, is_on in zip(features(rules), is_seen, strict=True) if not is_on}
    never = {name for name in never_move(rules) if name in features(rules)}
    assert never <= still
    unseen = sorted(name for name in still - never if not RARE.fullmatch(name))
    assert not unseen, unseen
    always = {name for name, is_off in zip(features(rules), was_zero, strict=True) if not is_off}
    lowest = min(minimum for _, minimum in rules.opening_minima)
    low = {f"_minimum:{level}" for level in MINIMUM if level <= lowest} | {"_hand_size:1"}
    assert all(name in ("to_play:0", "answer:not_asked") or name.endswith(tuple(low)) for name in always)


def test_the_actions_of_the_ranks_are_those_of_the_table_of_actions():
    spelled = [notation.format(rank) for notation in RANK_NOTATIONS.values() for rank in RANKS]
    assert all(notation in ID_OF for notation in spelled)
    rules = FOUR_GAMES[2]
    others = next(block for block in layout(rules) if block.name == "legal_others")
    assert sorted([*spelled, *(label.replace("_", " ") for label in others.labels)]) == sorted(NOTATIONS)
