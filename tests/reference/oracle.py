"""The oracle: one deal of Canasta, played slowly and by the letter of RULES.md."""

from __future__ import annotations

import copy
from typing import Any

from canasta_env import actions
from canasta_env.cards import BLACK_THREE, CANASTA_SIZE, JOKER, KIND_OF, KINDS, NUM_KINDS, TWO
from canasta_env.rules import Rules, standard_rules
from tests.reference import deal
from tests.reference.legality import (
    ANY,
    DISCARD_OF,
    LAID,
    NO_MELD,
    NONE,
    OUT,
    RANK_KINDS,
    STAY,
    WILD_OF_TAKE,
    WILDS,
    Meld,
    Turn,
    TurnSearch,
    is_clean_canasta,
)
from tests.reference.scoring import score_side
from tests.reference.view import view_of

KIND_OF_DISCARD = {action: kind for kind, action in DISCARD_OF.items()}
TAKES = (actions.TAKE, actions.TAKE_WITH_TWO, actions.TAKE_WITH_JOKER)


class Oracle:
    """A deal in progress.

    Args:
        rules: The game.
        order: The shuffled deck, in the order in which the cards leave it.
        dealer: The dealer's seat.
        scores: The match score of each side when the deal begins.
    """

    def __init__(self, rules: Rules, order: list[str], dealer: int, scores: list[int]) -> None:
        dealt = deal.deal(rules, order, dealer)
        self._set_up(rules, dealer, scores, dealt)
        self.to_play: int | None = (dealer + 1) % rules.players  # R-DEAL-4
        self.phase = "draw"

    def _set_up(self, rules: Rules, dealer: int, scores: list[int], dealt: deal.Dealt) -> None:
        players, sides = rules.players, rules.num_sides
        self.rules = rules
        self._game = game_to_dict(rules)
        self.dealer = dealer
        self.scores = list(scores)
        self.hands = dealt.hands
        self.threes = dealt.threes
        self.pile = dealt.pile
        self.stock = dealt.stock
        self.wild_frozen = dealt.wild_frozen
        self.melds: list[list[Meld]] = [[NO_MELD] * NUM_KINDS for _ in range(sides)]
        self.opened = [False] * sides
        self.asked = [False] * players
        self.melded = [False] * players  # in an earlier turn
        self.discarded = [[0] * NUM_KINDS for _ in range(players)]
        self.known = [[0] * NUM_KINDS for _ in range(players)]
        self.piles_taken = [0] * players
        self.went_out: int | None = None
        self.concealed = False
        self.turn = 1
        self._reset_turn()

    def _reset_turn(self) -> None:
        self.taken = NONE
        self.opening_points = 0
        self.can_ask = False
        self.answer: str | None = None
        self.melded_now = False
        self.begun: set[int] = set()  # places of the melds begun in this turn
        self.joined_earlier = False
        self._search: TurnSearch | None = None
        self._legal: list[int] | None = None

    @property
    def is_over(self) -> bool:
        """Whether the deal has ended."""
        return self.phase == "over"

    # Legal actions

    def legal(self) -> list[str]:
        """The notations of the legal actions, in the order of their ids; none when the deal is over."""
        return [actions.NOTATIONS[action] for action in self.legal_ids()]

    def legal_ids(self) -> list[int]:
        """The ids of the legal actions, rising."""
        if self._legal is None:
            self._legal = sorted(self._find_legal())
        return self._legal

    def _find_legal(self) -> list[int]:
        if self.phase == "over":
            return []
        if self.phase == "answer":  # R-OUT-3
            return [actions.YES, actions.NO]
        search, turn = self.turn_search(), self.as_turn()
        if self.phase == "draw":
            takes = search.takes(turn, self.wild_frozen)
            return [actions.DRAW] + [take for take in takes if search.can_complete(search.after(turn, take))]
        moves = [move for move in search.moves(turn) if search.can_complete(search.after(turn, move))]
        return moves + search.discards(turn) + ([actions.ASK] if self._may_ask(turn) else [])

    def _may_ask(self, turn: Turn) -> bool:
        """R-OUT-3: able to go out, and able not to."""
        search = self.turn_search()
        return self.can_ask and all(search.can_complete(turn._replace(goal=goal)) for goal in (OUT, STAY))

    def turn_search(self) -> TurnSearch:
        """The search of the turn under way; one for the whole turn, since it remembers what it found."""
        if self._search is None:
            side = self.side_to_play()
            minimum = self.rules.minimum(self.scores[side])
            self._search = TurnSearch(self.rules, minimum, frozenset(self.closed_ranks(except_side=side)))
        return self._search

    def as_turn(self) -> Turn:
        """The turn under way as a value."""
        seat, side = self.seat_to_play(), self.side_to_play()
        has_black_threes = self.melds[side][BLACK_THREE] != NO_MELD  # R-MELD-8
        is_bound = self.answer == "yes" and self.rules.is_yes_binding  # R-OUT-3
        goal = STAY if self.answer == "no" else OUT if has_black_threes or is_bound else ANY
        return Turn(
            hand=tuple(self.hands[seat]),
            melds=tuple(self.melds[side]),
            pile=tuple(self.pile),
            opened=self.opened[side],
            points=self.opening_points,
            melded=self.melded_now,
            taken=self.taken,
            goal=goal,
        )

    def closed_ranks(self, except_side: int | None = None) -> set[int]:
        """The kinds of the ranks that a side has closed (R-MELD-7), or a side other than one."""
        if not self.rules.closes_ranks:
            return set()
        others = [melds for side, melds in enumerate(self.melds) if side != except_side]
        return {kind for melds in others for kind in RANK_KINDS if is_clean_canasta(melds[kind])}

    # Playing

    def play(self, notation: str) -> None:
        """Carry out a legal action.

        Raises:
            ValueError: If the action is not legal here.
        """
        action = actions.parse(notation)
        if action not in self.legal_ids():
            raise ValueError(f"illegal action {notation!r}; legal: {', '.join(self.legal())}")
        self._legal = None
        if action == actions.DRAW:
            self._play_draw()
        elif action == actions.ASK:
            self._play_ask()
        elif action in (actions.YES, actions.NO):
            self._play_answer(action)
        elif action in KIND_OF_DISCARD:
            self._play_discard(KIND_OF_DISCARD[action])
        else:
            self._play_meld(action)

    def _play_draw(self) -> None:
        is_end = deal.draw(
            self.rules, self.stock, self.hands[self.seat_to_play()], self.threes[self.side_to_play()]
        )
        if is_end:
            self._end_turn(is_over=True)
        else:
            self.phase = "play"
            self.can_ask = self._has_question()

    def _has_question(self) -> bool:
        """R-OUT-3: four players; in some games once per player per deal."""
        is_used = self.rules.asks_once_a_deal and self.asked[self.seat_to_play()]
        return self.rules.players == 4 and not is_used

    def _play_ask(self) -> None:
        self.asked[self.seat_to_play()] = True
        self.can_ask = False
        self.phase = "answer"
        self.to_play = (self.seat_to_play() + 2) % self.rules.players

    def _play_answer(self, action: int) -> None:
        self.answer = "yes" if action == actions.YES else "no"
        self.phase = "play"
        self.to_play = (self.seat_to_play() + 2) % self.rules.players

    def _play_discard(self, kind: int) -> None:
        seat, side = self.seat_to_play(), self.side_to_play()
        self._leave_hand(seat, kind, 1)
        self.hands[seat][kind] -= 1
        self.pile.append(kind)
        self.discarded[seat][kind] += 1
        if self.rules.wilds_freeze_pile and deal.is_wild(kind):
            self.wild_frozen = True  # R-DISC-1
        self.opened[side] = self.opened[side] or self.melded_now  # R-OPEN-5
        if not any(self.hands[seat]):
            self._go_out()
        else:
            self._end_turn(is_over=self.rules.ends_with_stock and not self.stock)  # R-TURN-3

    def _play_meld(self, action: int) -> None:
        """A take, a pick up, a meld or an addition."""
        seat, side = self.seat_to_play(), self.side_to_play()
        before = self.as_turn()
        after = self.turn_search().after(before, action)
        self._note_meld(action, before)
        self._note_cards(action, before)
        self.hands[seat] = list(after.hand)
        self.melds[side] = list(after.melds)
        self.pile = list(after.pile)
        self.opened[side] = after.opened
        self.opening_points = after.points
        self.melded_now = after.melded
        self.taken = after.taken
        self.phase = "play"
        self.can_ask = action in TAKES and before.opened and self._has_question()
        if not any(after.hand) and after.taken == NONE:  # R-OUT-2
            self.opened[side] = True  # R-OPEN-5
            self._go_out()

    def _note_meld(self, action: int, before: Turn) -> None:
        """Keep `begun` and `joined_earlier`."""
        if action in LAID:
            place = LAID[action][0]
        elif (action == actions.PICK_UP) != (self.rules.opens_from_hand and not before.opened):
            return  # R-TAKE-5: the top card is melded at the take, or opening from the hand, at the pick up
        else:
            place = before.pile[-1]
        if before.melds[place] == NO_MELD:
            self.begun.add(place)
        elif place not in self.begun:
            self.joined_earlier = True

    def _note_cards(self, action: int, before: Turn) -> None:
        """Keep what everybody sees of cards that leave the hand for melds or come from the pile."""
        seat = self.seat_to_play()
        is_from_hand = self.rules.opens_from_hand and not before.opened  # R-TAKE-5
        if action in LAID:
            place, naturals, twos, jokers = LAID[action]
            for kind, num in ((place, naturals), (TWO, twos), (JOKER, jokers)):
                self._leave_hand(seat, kind, num)
        elif action in TAKES:
            self.piles_taken[seat] += 1
            if not is_from_hand:
                wild = WILD_OF_TAKE.get(action)
                self._leave_hand(seat, before.pile[-1], 2 if wild is None else 1)
                if wild is not None:
                    self._leave_hand(seat, wild, 1)
        elif is_from_hand and before.melds[before.taken] == NO_MELD:
            self._leave_hand(seat, before.taken, 2)
        if action == actions.PICK_UP or (action in TAKES and before.opened):
            has_top = self.rules.opens_from_hand or action in TAKES
            self._receive_pile(seat, before.pile[:-1] if has_top else before.pile)

    def _leave_hand(self, seat: int, kind: int, num: int) -> None:
        self.known[seat][kind] = max(0, self.known[seat][kind] - num)

    def _receive_pile(self, seat: int, cards: tuple[int, ...]) -> None:
        self.wild_frozen = False  # R-TAKE-6
        for kind in cards:
            if kind in deal.laid_threes(self.rules):  # R-TAKE-7
                self.threes[self.rules.side_of(seat)][kind] += 1
            else:
                self.known[seat][kind] += 1

    def _go_out(self) -> None:
        seat, side = self.seat_to_play(), self.side_to_play()
        self.went_out = seat
        has_canasta = any(sum(self.melds[side][place]) >= CANASTA_SIZE for place in self.begun)
        is_alone = not self.melded[seat] and not self.joined_earlier
        self.concealed = self.rules.can_go_out_concealed and is_alone and has_canasta  # R-OUT-4
        self._end_turn(is_over=True)

    def _end_turn(self, is_over: bool) -> None:
        seat = self.seat_to_play()
        self.melded[seat] = self.melded[seat] or self.melded_now
        self._reset_turn()
        if is_over:
            self.phase = "over"
            self.to_play = None
        else:
            self.phase = "draw"
            self.to_play = (seat + 1) % self.rules.players
            self.turn += 1

    def seat_to_play(self) -> int:
        """The seat to play, while the deal is not over."""
        assert self.to_play is not None
        return self.to_play

    def side_to_play(self) -> int:
        """The side of the seat to play."""
        return self.rules.side_of(self.seat_to_play())

    # Forms that cross boundaries

    def score(self) -> list[dict[str, int]]:
        """The score of every side if the deal ended now."""
        return [score_side(self, side) for side in range(self.rules.num_sides)]

    def view(self, seat: int) -> dict[str, Any]:
        """What a seat may know."""
        return view_of(self, seat)

    def copy(self) -> Oracle:
        """An independent copy."""
        twin = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, (list, set)):
                setattr(twin, name, copy.deepcopy(value))
        return twin

    def position(self) -> dict[str, Any]:
        """The whole table, in the form of FORMS.md."""
        return {
            **self._game,
            "dealer": self.dealer,
            "scores": list(self.scores),
            "hands": [counts_to_dict(hand) for hand in self.hands],
            "melds": [melds_to_dict(melds) for melds in self.melds],
            "threes": [counts_to_dict(threes) for threes in self.threes],
            "pile": [KINDS[kind] for kind in self.pile],
            "stock": [KINDS[kind] for kind in self.stock],
            "wild_frozen": self.wild_frozen,
            "to_play": self.to_play,
            "phase": self.phase,
            "opened": list(self.opened),
            "opening_points": self.opening_points,
            "taken": None if self.taken == NONE else KINDS[self.taken],
            "can_ask": self.can_ask,
            "answer": self.answer,
            "asked": list(self.asked),
            "melded": list(self.melded),
            "melded_now": self.melded_now,
            "begun": [place_name(place) for place in sorted(self.begun)],
            "joined_earlier": self.joined_earlier,
            "went_out": self.went_out,
            "concealed": self.concealed,
            "turn": self.turn,
            "discarded": [counts_to_dict(cards) for cards in self.discarded],
            "known": [counts_to_dict(cards) for cards in self.known],
            "piles_taken": list(self.piles_taken),
        }

    @classmethod
    def from_position(cls, position: dict[str, Any]) -> Oracle:
        """The deal that a position describes; takes it as it is, without any check."""
        if "rules" in position:
            rules = Rules.from_dict(position["rules"])
        else:
            rules = standard_rules(position["game"], position["players"], position["target"])
        table = cls.__new__(cls)
        dealt = deal.Dealt(
            hands=[dict_to_counts(hand) for hand in position["hands"]],
            threes=[dict_to_counts(threes) for threes in position["threes"]],
            pile=[KIND_OF[name] for name in position["pile"]],
            stock=[KIND_OF[name] for name in position["stock"]],
            wild_frozen=position["wild_frozen"],
        )
        table._set_up(rules, position["dealer"], position["scores"], dealt)
        table.melds = [dict_to_melds(melds) for melds in position["melds"]]
        table.taken = NONE if position["taken"] is None else KIND_OF[position["taken"]]
        table.begun = {name_place(name) for name in position["begun"]}
        table.discarded = [dict_to_counts(cards) for cards in position["discarded"]]
        table.known = [dict_to_counts(cards) for cards in position["known"]]
        for field in ("opened", "asked", "melded", "piles_taken"):
            setattr(table, field, list(position[field]))
        for field in ("to_play", "phase", "opening_points", "can_ask", "answer", "melded_now"):
            setattr(table, field, position[field])
        for field in ("joined_earlier", "went_out", "concealed", "turn"):
            setattr(table, field, position[field])
        return table


def game_to_dict(rules: Rules) -> dict[str, Any]:
    """The rules as the first entries of a position; their numbers only where they are not standard."""
    game = {"game": rules.game, "players": rules.players, "target": rules.target}
    is_standard = rules == standard_rules(rules.game, rules.players, rules.target)
    return game if is_standard else {**game, "rules": rules.to_dict()}


def counts_to_dict(counts: list[int]) -> dict[str, int]:
    """Cards of each kind as a dict of the kinds that are there."""
    return {KINDS[kind]: num for kind, num in enumerate(counts) if num}


def dict_to_counts(cards: dict[str, int]) -> list[int]:
    """The inverse of `counts_to_dict`."""
    return [cards.get(name, 0) for name in KINDS]


def place_name(place: int) -> str:
    """The name of a meld in a position."""
    return "wilds" if place == WILDS else KINDS[place]


def name_place(name: str) -> int:
    """The inverse of `place_name`."""
    return WILDS if name == "wilds" else KIND_OF[name]


def melds_to_dict(melds: list[Meld]) -> dict[str, list[int]]:
    """A side's melds as a dict of those that are there."""
    return {place_name(place): list(meld) for place, meld in enumerate(melds) if meld != NO_MELD}


def dict_to_melds(melds: dict[str, list[int]]) -> list[Meld]:
    """The inverse of `melds_to_dict`."""
    places: list[Meld] = [NO_MELD] * NUM_KINDS
    for name, (naturals, twos, jokers) in melds.items():
        places[name_place(name)] = (naturals, twos, jokers)
    return places
