"""What a player may do in one turn: the clauses one by one, and the look-ahead of R-TURN-4.

`TurnSearch` defines legality by search. `takes`, `moves` and `discards` say what the clauses allow by
themselves, `after` carries a move out, and `can_complete` walks through the continuations.
"""

from __future__ import annotations

from typing import NamedTuple

from canasta_env import actions
from canasta_env.cards import (
    ACE,
    BLACK_THREE,
    CANASTA_SIZE,
    FIRST_RANK,
    JOKER,
    KINDS,
    NUM_CARDS,
    NUM_KINDS,
    RED_THREE,
    SEVEN,
    TWO,
    VALUES,
)
from canasta_env.rules import Rules
from tests.reference.deal import laid_threes

Meld = tuple[int, int, int]  # naturals, twos, jokers
NO_MELD: Meld = (0, 0, 0)
WILDS = JOKER  # the place of the wild meld among a side's melds; every other meld stands at its kind
RANK_KINDS = range(FIRST_RANK, NUM_KINDS)
NONE = -1
ANY, OUT, STAY = range(3)  # how the turn has to end: either way, by going out, without going out

DISCARD_OF = {kind: actions.parse(f"discard {KINDS[kind]}") for kind in range(NUM_KINDS) if kind != RED_THREE}
WILD_OF_TAKE = {actions.TAKE_WITH_TWO: TWO, actions.TAKE_WITH_JOKER: JOKER}


class Turn(NamedTuple):
    """What decides the rest of a turn: a value, never changed."""

    hand: tuple[int, ...]  # cards of each kind
    melds: tuple[Meld, ...]  # the side's melds, each at its place
    pile: tuple[int, ...]  # top card last; without it between take and pick up, if it was melded at the take
    opened: bool
    points: int  # melded so far in the opening turn
    melded: bool  # in this turn
    taken: int  # kind of the top card between take and pick up, else NONE
    goal: int  # ANY, OUT or STAY


def _laid_by_action() -> dict[int, tuple[int, int, int, int]]:
    """The place, and the naturals, twos and jokers laid there, of each meld and addition."""
    laid = {actions.MELD_BLACK_THREES: (BLACK_THREE, 3, 0, 0)}
    laid[actions.ADD_BLACK_THREE] = (BLACK_THREE, 1, 0, 0)
    for rank, kind in enumerate(RANK_KINDS):
        laid[actions.MELD_CLEAN + rank] = (kind, 3, 0, 0)
        laid[actions.MELD_WITH_TWO + rank] = (kind, 2, 1, 0)
        laid[actions.MELD_WITH_JOKER + rank] = (kind, 2, 0, 1)
        laid[actions.ADD_NATURAL + rank] = (kind, 1, 0, 0)
        laid[actions.ADD_TWO + rank] = (kind, 0, 1, 0)
        laid[actions.ADD_JOKER + rank] = (kind, 0, 0, 1)
    for jokers in range(4):
        laid[actions.MELD_WILDS + jokers] = (WILDS, 0, 3 - jokers, jokers)
    laid[actions.ADD_TWO_TO_WILDS] = (WILDS, 0, 1, 0)
    laid[actions.ADD_JOKER_TO_WILDS] = (WILDS, 0, 0, 1)
    return laid


LAID = _laid_by_action()


class TurnSearch:
    """The rules of one turn. What does not change during the turn is held here.

    Args:
        rules: The game.
        minimum: The opening minimum of the side to move.
        closed: Kinds of the ranks that other sides have closed (R-MELD-7).
    """

    def __init__(self, rules: Rules, minimum: int, closed: frozenset[int]) -> None:
        self.rules = rules
        self.minimum = minimum
        self.closed = closed
        self.laid_threes = laid_threes(rules)
        self._moves: dict[Turn, list[int]] = {}
        self._completes: dict[Turn, bool] = {}

    # What the clauses allow by themselves

    def takes(self, turn: Turn, is_frozen: bool) -> list[int]:
        """The ways to take the pile at the start of a turn, R-TAKE-1 to 3."""
        if not turn.pile or turn.pile[-1] < FIRST_RANK:  # R-TAKE-1: also wilds and threes
            return []
        top = turn.pile[-1]
        naturals, twos, jokers = turn.melds[top]
        most = self.rules.largest_meld_to_take
        is_too_large = most is not None and naturals + twos + jokers > most
        if is_too_large or self.is_closed(turn, top):  # R-TAKE-2
            return []
        found = [actions.TAKE] if turn.hand[top] >= 2 else []
        has_wild_take = self.rules.can_take_with_wild and turn.opened and not is_frozen
        if has_wild_take and turn.hand[top] >= 1:  # R-TAKE-3
            for action, wild in WILD_OF_TAKE.items():
                if turn.hand[wild] and self._wild_fits(turn, top, naturals + 2, twos + jokers + 1):
                    found.append(action)
        return found

    def moves(self, turn: Turn) -> list[int]:
        """`pick up`, the melds and the additions, in id order."""
        if turn not in self._moves:
            self._moves[turn] = self._find_moves(turn)
        return self._moves[turn]

    def _find_moves(self, turn: Turn) -> list[int]:
        hand = turn.hand
        found = [actions.PICK_UP] if self.may_pick_up(turn) else []
        twos, jokers = hand[TWO], hand[JOKER]
        for rank, kind in enumerate(RANK_KINDS):
            naturals, meld_twos, meld_jokers = turn.melds[kind]
            wilds = meld_twos + meld_jokers
            if self.is_closed(turn, kind):  # R-MELD-7
                continue
            if naturals:
                is_full = self.rules.melds_end_at_seven and naturals + wilds >= CANASTA_SIZE  # R-MELD-3
                if hand[kind] and not is_full:
                    found.append(actions.ADD_NATURAL + rank)
                if (twos or jokers) and self._wild_fits(turn, kind, naturals, wilds + 1):
                    found += [actions.ADD_TWO + rank] if twos else []
                    found += [actions.ADD_JOKER + rank] if jokers else []
            elif hand[kind] >= 2:  # R-MELD-1
                if hand[kind] >= 3:
                    found.append(actions.MELD_CLEAN + rank)
                if (twos or jokers) and self._wild_fits(turn, kind, 2, 1):
                    found += [actions.MELD_WITH_TWO + rank] if twos else []
                    found += [actions.MELD_WITH_JOKER + rank] if jokers else []
        found += self._wild_meld_moves(turn) + self._black_three_moves(turn)
        return sorted(found)

    def discards(self, turn: Turn) -> list[int]:
        """The discards that end the turn: all that R-DISC, R-OPEN and R-OUT allow."""
        hand = turn.hand
        if turn.taken != NONE or not self._opening_is_in_order(turn):  # R-TAKE-5, R-OPEN-5
            return []
        if sum(hand) == 1:
            kinds = [hand.index(1)] if self._may_go_out(turn) else []
        elif turn.goal == OUT:  # R-OUT-3, R-MELD-8
            kinds = []
        else:
            kinds = self._discards_that_go_on(turn)
        return [DISCARD_OF[kind] for kind in kinds if kind not in self.laid_threes]  # R-DISC-2

    def may_pick_up(self, turn: Turn) -> bool:
        """R-TAKE-5."""
        if turn.taken == NONE or not self.opening_is_complete(turn):
            return False
        if not self.rules.opens_from_hand:
            return True
        size = sum(turn.melds[turn.taken])
        return 3 <= size < CANASTA_SIZE or (size == 0 and turn.hand[turn.taken] >= 2)  # R-TAKE-5

    def _wild_fits(self, turn: Turn, kind: int, naturals: int, wilds: int) -> bool:
        """Whether a wild may make the meld of a rank one of so many naturals and wilds."""
        if wilds > self.rules.max_wilds_in_meld:
            return False
        if turn.opened and naturals < self.rules.naturals_before_wild:  # R-MELD-4
            return False
        if self.rules.needs_more_naturals and naturals <= wilds:  # R-MELD-2
            return False
        if self.rules.melds_end_at_seven and naturals + wilds > CANASTA_SIZE:  # R-MELD-3
            return False
        if kind == SEVEN and not self.rules.sevens_take_wilds:  # R-MELD-5
            return False
        if kind == ACE and turn.opened and not self.rules.aces_take_wilds:  # R-MELD-5
            return False
        return not 0 < sum(turn.melds[WILDS]) < CANASTA_SIZE  # R-MELD-6

    def _wild_meld_moves(self, turn: Turn) -> list[int]:
        """R-MELD-6."""
        if not self.rules.has_wild_meld:
            return []
        twos, jokers, size = turn.hand[TWO], turn.hand[JOKER], sum(turn.melds[WILDS])
        if size >= CANASTA_SIZE:
            return []
        if size:
            twos_move = [actions.ADD_TWO_TO_WILDS] if twos else []
            return twos_move + ([actions.ADD_JOKER_TO_WILDS] if jokers else [])
        holds_wild = any(turn.melds[kind][1] or turn.melds[kind][2] for kind in RANK_KINDS)
        if not turn.opened and holds_wild:
            return []
        return [actions.MELD_WILDS + num for num in range(4) if jokers >= num and twos >= 3 - num]

    def _black_three_moves(self, turn: Turn) -> list[int]:
        """R-MELD-8. That the player has to go out then is in the goal of the turn after it."""
        if not self.rules.can_meld_black_threes or turn.taken != NONE or turn.goal == STAY:
            return []
        if turn.melds[BLACK_THREE][0]:
            return [actions.ADD_BLACK_THREE] if turn.hand[BLACK_THREE] else []
        return [actions.MELD_BLACK_THREES] if turn.hand[BLACK_THREE] >= 3 else []

    def _discards_that_go_on(self, turn: Turn) -> list[int]:
        """R-DISC-1 to 3, for a discard that leaves a card."""
        held = [kind for kind in range(NUM_KINDS) if turn.hand[kind]]
        if self.rules.holds_back_wilds and any(kind > TWO for kind in held):  # R-DISC-2
            held = [kind for kind in held if kind > TWO]
        if self.rules.orders_first_discards and not turn.pile:  # R-DISC-3; threes are in no class
            classes = {
                kind: discard_class(kind, self.is_closed(turn, kind)) for kind in held if kind != BLACK_THREE
            }
            first = min(classes.values(), default=0)
            held = [kind for kind in held if classes.get(kind, first) == first]
        return held

    def is_closed(self, turn: Turn, kind: int) -> bool:
        """Whether any side has closed the rank of a kind, R-MELD-7."""
        return kind in self.closed or (self.rules.closes_ranks and is_clean_canasta(turn.melds[kind]))

    def _opening_is_in_order(self, turn: Turn) -> bool:
        return turn.opened or not turn.melded or self.opening_is_complete(turn)

    def opening_is_complete(self, turn: Turn) -> bool:
        """R-OPEN-1 to 4."""
        clean = [kind for kind in RANK_KINDS if is_clean(turn.melds[kind])]
        wilds = sum(turn.melds[WILDS])
        if self.rules.needs_clean_opening and not clean and not wilds:  # R-OPEN-3
            return False
        # R-OPEN-4: the meld in which the taken top card lies is not wholly from the hand.
        from_hand = [sum(turn.melds[kind]) for kind in clean if kind != turn.taken]
        is_waived = max([wilds, *from_hand]) >= CANASTA_SIZE
        return turn.points >= self.minimum or (self.rules.canasta_waives_minimum and is_waived)

    def _may_go_out(self, turn: Turn) -> bool:
        """R-OUT-1, R-OUT-3 and R-OPEN-6."""
        num_canastas = sum(sum(meld) >= CANASTA_SIZE for meld in turn.melds)
        has_canastas = num_canastas >= self.rules.canastas_to_go_out
        return has_canastas and turn.goal != STAY and self._opening_is_in_order(turn)

    # Carrying a move out

    def after(self, turn: Turn, action: int) -> Turn:
        """The turn after a take, a pick up, a meld or an addition."""
        if action == actions.PICK_UP:
            return self._after_pick_up(turn)
        if action not in LAID:
            return self._after_take(turn, action)
        place, naturals, twos, jokers = LAID[action]
        return _lay(turn, place, naturals, twos, jokers)

    def _after_take(self, turn: Turn, action: int) -> Turn:
        top = turn.pile[-1]
        if self.rules.opens_from_hand and not turn.opened:  # R-TAKE-5: nothing moves yet
            return turn._replace(melded=True, taken=top)
        wild = WILD_OF_TAKE.get(action)
        with_top = self._put_in_hand(turn, (top,))._replace(pile=turn.pile[:-1])
        laid = _lay(with_top, top, 3 if wild is None else 2, int(wild == TWO), int(wild == JOKER))
        if not turn.opened:
            return laid._replace(taken=top)
        return self._put_in_hand(laid, laid.pile)._replace(pile=())

    def _after_pick_up(self, turn: Turn) -> Turn:
        opened = turn._replace(opened=True, points=0, taken=NONE, pile=())
        if not self.rules.opens_from_hand:
            return self._put_in_hand(opened, turn.pile)
        naturals = 1 if sum(turn.melds[turn.taken]) else 3  # R-TAKE-5: it joins, or a pair comes to it
        return _lay(self._put_in_hand(opened, turn.pile), turn.taken, naturals, 0, 0)

    def _put_in_hand(self, turn: Turn, cards: tuple[int, ...]) -> Turn:
        """The turn after cards of the pile have come into the hand; threes are laid (R-TAKE-7)."""
        hand = list(turn.hand)
        for kind in cards:
            hand[kind] += kind not in self.laid_threes
        return turn._replace(hand=tuple(hand))

    # The look-ahead

    def can_complete(self, turn: Turn) -> bool:
        """Whether some sequence of actions from here ends the turn as its goal asks (R-TURN-4)."""
        if self.discards(turn):
            return True
        plain = self._simplified(turn)
        answer = self._completes.get(plain)
        if answer is None:
            answer = self._completes[plain] = self._search(plain)
        return answer

    def _search(self, turn: Turn) -> bool:
        if turn.taken == NONE and not any(turn.hand):  # R-OUT-2: the last card laid goes out
            return not self.rules.goes_out_by_discarding and self._may_go_out(turn)
        if self._is_hopeless(turn):
            return False
        return any(self.can_complete(self.after(turn, action)) for action in self._enough_moves(turn))

    def _simplified(self, turn: Turn) -> Turn:
        """A turn that can be completed just if this one can: jokers made twos, points cut to the minimum.

        Once the minimum is met, or the side has opened, points do not matter any more; and no clause about
        melds, discards or going out tells a joker from a two.
        """
        if not turn.opened and turn.points < self.minimum:
            return turn
        points = 0 if turn.opened else self.minimum
        if not turn.hand[JOKER]:
            return turn if turn.points == points else turn._replace(points=points)
        hand = (0, turn.hand[TWO] + turn.hand[JOKER], *turn.hand[TWO + 1 :])
        melds = tuple((naturals, twos + jokers, 0) for naturals, twos, jokers in turn.melds)
        return turn._replace(hand=hand, melds=melds, points=points)

    def _enough_moves(self, turn: Turn) -> list[int]:
        """The moves to try: all, or one that every way to complete the turn may as well begin with.

        Who goes out lays every card but one at most. If two or more of a rank with a meld are held, or four
        or more of a rank without one, one of them or three of them are laid sooner or later. Laying these
        first changes nothing else: they make wilds possible and take no room, the melds at the end being the
        same. Where laying the last card goes out, even a card that could be discarded may be laid, with more
        points; so one in the hand, or three, are enough. Naturals that could close their rank too early are
        not laid before the rest.
        """
        moves = self.moves(turn)
        if turn.goal == OUT and turn.taken == NONE:
            spare = 1 if self.rules.goes_out_by_discarding else 0
            for move in moves:
                if move in LAID:
                    place, naturals, twos, jokers = LAID[move]
                    is_forced = not twos and not jokers and turn.hand[place] >= naturals + spare
                    if is_forced and not self._may_close(turn, place):
                        return [move]
        return moves

    def _may_close(self, turn: Turn, kind: int) -> bool:
        """Whether laying naturals could close a rank that would take more cards otherwise, R-MELD-7."""
        if not self.rules.closes_ranks or self.rules.melds_end_at_seven:
            return False
        naturals, twos, jokers = turn.melds[kind]
        return not twos and not jokers and naturals + turn.hand[kind] >= CANASTA_SIZE

    def _is_hopeless(self, turn: Turn) -> bool:
        """Whether a bound shows that melding on cannot complete the turn, which no discard ends now.

        Every bound counts the cards that could still be melded as if they did not compete for anything,
        so it errs towards hope only.
        """
        if turn.goal == OUT and self._out_is_beyond_reach(turn):
            return True
        # Since no discard is possible now, more has to be melded; so the opening has to be completed, and
        # before any pick up, with cards of the hand.
        return not turn.opened and not self._opening_is_in_reach(turn)

    def _opening_is_in_reach(self, turn: Turn) -> bool:
        hand, melds = turn.hand, turn.melds
        num_wilds = hand[TWO] + hand[JOKER]
        wilds = sum(melds[WILDS]) + num_wilds if self.rules.has_wild_meld else 0
        # A meld can be clean at the end only if it is clean now, or is begun with three naturals.
        pure = [melds[kind][0] + hand[kind] for kind in RANK_KINDS if is_clean(melds[kind])]
        pure += [hand[kind] for kind in RANK_KINDS if melds[kind] == NO_MELD and kind not in self.closed]
        if self.rules.needs_clean_opening and max(pure, default=0) < 3 and wilds < 3:  # R-OPEN-3
            return False
        if self.rules.canasta_waives_minimum and max([wilds, *pure]) >= CANASTA_SIZE:  # R-OPEN-4
            return True
        most = self._most_meldable(turn)
        return turn.points + sum(num * value for num, value in zip(most, VALUES, strict=True)) >= self.minimum

    def _out_is_beyond_reach(self, turn: Turn) -> bool:
        if turn.taken != NONE:  # cards will come into the hand
            return False
        hand = turn.hand
        if not self._canastas_are_in_reach(turn):
            return True
        return sum(hand) - sum(self._most_meldable(turn)) > 1  # one card may be left, for the discard

    def _canastas_are_in_reach(self, turn: Turn) -> bool:
        """Whether the wilds of the hand could fill enough melds to go out.

        A pair without a meld needs a wild of its own, canasta or not, since both cards have to leave the
        hand. Beyond these, the canastas short of the fewest wilds are filled, as if no other meld needed any.
        """
        hand, limit = turn.hand, self.rules.max_wilds_in_meld
        wilds = hand[TWO] + hand[JOKER]
        missing = []  # wilds that a canasta of each rank would still need
        for kind in RANK_KINDS:
            naturals, twos, jokers = turn.melds[kind]
            is_pair = naturals == 0 and hand[kind] == 2
            wilds -= is_pair
            needed = max(0, CANASTA_SIZE - naturals - hand[kind] - twos - jokers)
            if needed == 0 or twos + jokers + needed <= limit:
                missing.append(needed - is_pair)
        if self.rules.has_wild_meld:
            missing.append(CANASTA_SIZE - sum(turn.melds[WILDS]))
        goal = self.rules.canastas_to_go_out
        return wilds >= 0 and len(missing) >= goal and sum(sorted(missing)[:goal]) <= wilds

    def _most_meldable(self, turn: Turn) -> list[int]:
        """At most how many cards of each kind in the hand can be melded this turn, before any pick up."""
        hand, melds, rules = turn.hand, turn.melds, self.rules
        num_wilds = hand[TWO] + hand[JOKER]
        pair_needs_no_more = not turn.opened or rules.naturals_before_wild <= 2  # R-MELD-4
        most = [0] * NUM_KINDS
        room_for_wilds = 0
        for kind in RANK_KINDS:
            naturals, twos, jokers = melds[kind]
            held = hand[kind]
            if self.is_closed(turn, kind) or (not naturals and held < 2):  # R-MELD-7, R-MELD-1
                continue
            size = naturals + twos + jokers
            room = CANASTA_SIZE - size if rules.melds_end_at_seven else NUM_CARDS  # R-MELD-3
            takes_wilds = rules.sevens_take_wilds or kind != SEVEN
            if naturals or held >= 3 or (num_wilds and takes_wilds and pair_needs_no_more):
                most[kind] = min(held, room)
                if takes_wilds:
                    limit = min(room, rules.max_wilds_in_meld - twos - jokers)
                    if rules.needs_more_naturals:  # R-MELD-2
                        limit = min(limit, naturals + held - 1 - twos - jokers)
                    room_for_wilds += max(0, limit)
        if rules.has_wild_meld and (melds[WILDS] != NO_MELD or num_wilds >= 3):
            room_for_wilds += CANASTA_SIZE - sum(melds[WILDS])
        has_threes = melds[BLACK_THREE][0] or hand[BLACK_THREE] >= 3
        if rules.can_meld_black_threes and has_threes and turn.taken == NONE:
            most[BLACK_THREE] = hand[BLACK_THREE]
        most[JOKER] = min(hand[JOKER], room_for_wilds)  # the dearest first, for the points
        most[TWO] = min(hand[TWO], room_for_wilds - most[JOKER])
        return most


def discard_class(kind: int, is_closed: bool) -> int:
    """The place of a kind among the classes of R-DISC-3: 1 for (i) to 5 for (v)."""
    if kind < FIRST_RANK:
        return 5
    return (3 if kind in (SEVEN, ACE) else 1) + is_closed


def is_clean(meld: Meld) -> bool:
    """Whether a meld of a rank stands there without wilds."""
    return meld[0] > 0 and not meld[1] and not meld[2]


def is_clean_canasta(meld: Meld) -> bool:
    """Whether a meld of a rank is a canasta without wilds."""
    return is_clean(meld) and sum(meld) >= CANASTA_SIZE


def _lay(turn: Turn, place: int, naturals: int, twos: int, jokers: int) -> Turn:
    """The turn after cards of the hand have gone to the side's meld at a place."""
    hand = list(turn.hand)
    hand[TWO] -= twos
    hand[JOKER] -= jokers
    hand[place] -= naturals
    melds = list(turn.melds)
    before = melds[place]
    melds[place] = (before[0] + naturals, before[1] + twos, before[2] + jokers)
    points = 0
    if not turn.opened:  # R-OPEN-2
        points = turn.points + naturals * VALUES[place] + twos * VALUES[TWO] + jokers * VALUES[JOKER]
    goal = OUT if place == BLACK_THREE else turn.goal  # R-MELD-8
    return Turn(tuple(hand), tuple(melds), turn.pile, turn.opened, points, True, turn.taken, goal)
