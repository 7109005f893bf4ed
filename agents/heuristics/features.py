"""What a view tells a player: the own hand, melds, the pile, what others may hold, what may still come."""

from __future__ import annotations

# mypy: allow-untyped-defs, allow-untyped-calls
import numpy as np

from canasta_agents.heuristics.jit import kernel
from canasta_env.actions import DISCARD_JOKER, NUM_ACTIONS, TAKE, TAKE_WITH_JOKER, TAKE_WITH_TWO
from canasta_env.cards import ACE, CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, RED_THREE, SEVEN, TWO
from canasta_env.engine.melds import PAIR, VALUE, meld_size
from canasta_env.engine.state import WILD_MELD

NOTHING = -1  # in place of an action: there is nothing of the sort to do
TWO_PLAYERS = 2

# Seats as a view counts them.
OWN = 0  # the viewer's seat, and its side
NEXT = 1  # the seat that plays next, and its side: always an opponent
PARTNER = 2  # with four players


@kernel
def wilds_in_hand(view):
    """Twos and jokers in the hand."""
    return view.hand[JOKER] + view.hand[TWO]


@kernel
def points_in_hand(view):
    """Points of all cards in the hand."""
    points = 0
    for kind in range(NUM_KINDS):
        points += view.hand[kind] * VALUE[kind]
    return points


@kernel
def is_wild(kind):
    """Whether a kind is a two or a joker."""
    return JOKER <= kind <= TWO


@kernel
def is_risky(kind):
    """Whether an unfinished clean meld of the rank costs dearly (R-SCORE-6, Modern)."""
    return kind in (SEVEN, ACE)


@kernel
def is_danger_rank(rules, view, kind):
    """Whether an opposing side has the rank on the table."""
    for side in range(1, rules.num_sides):
        if kind >= FIRST_RANK and view.naturals[side, kind] > 0:
            return True
    return False


@kernel
def pile_is_open(view):
    """Whether the pile is not frozen for the next player."""
    return view.opened[NEXT] and not view.wild_frozen


@kernel
def top_card(view):
    """The kind of the pile's last card; there must be one."""
    return view.pile[view.pile_size - 1]


@kernel
def has_canastas_to_go_out(rules, view, side):
    """Whether a side has the canastas that going out needs (R-OUT-1)."""
    return view.canastas[side] >= rules.canastas_to_go_out


@kernel
def deal_may_end(rules, view, stock, cards):
    """Whether at most `stock` cards are left to draw, or an opponent who may go out holds at most `cards`."""
    if view.stock_size <= stock:
        return True
    for seat in range(1, rules.players):
        side = seat % rules.num_sides
        if side != OWN and has_canastas_to_go_out(rules, view, side) and view.hand_size[seat] <= cards:
            return True
    return False


@kernel
def is_canasta(view, side, kind):
    """Whether a meld is a canasta."""
    return meld_size(view, side, kind) >= CANASTA_SIZE


@kernel
def is_finished(rules, view, side, kind):
    """Whether a meld is a canasta that takes no more cards (R-MELD-3)."""
    return rules.melds_end_at_seven and meld_size(view, side, kind) >= CANASTA_SIZE


@kernel
def can_discard(mask):
    """Whether the turn may end now by a discard."""
    for action in range(DISCARD_JOKER, NUM_ACTIONS):
        if mask[action]:
            return True
    return False


@kernel
def discard_of(kind):
    """The discard of a kind; red threes, which are never discarded, have no action."""
    return DISCARD_JOKER + (kind if kind < RED_THREE else kind - 1)


@kernel
def legal(mask, action):
    """The action if it is legal, else the first that is: a plan that legality crosses in some rare way."""
    if action >= 0 and mask[action]:
        return action
    for other in range(NUM_ACTIONS):
        if mask[other]:
            return other
    return NUM_ACTIONS


# Taking the pile: what it brings, and with which cards it is taken.


@kernel
def cheapest_take(mask):
    """Take with a natural pair, else with a two, else with a joker; NOTHING if no take is legal."""
    for action in (TAKE, TAKE_WITH_TWO, TAKE_WITH_JOKER):
        if mask[action]:
            return action
    return NOTHING


@kernel
def buried(view, kind):
    """Cards of a kind under the top card."""
    return view.pile_count[kind] - (view.pile[view.pile_size - 1] == kind)


# Discarding: each player prices the kinds it holds, the lowest price goes.


@kernel
def no_scores():
    """Scores to be filled in for each kind held, `(NUM_KINDS,)`."""
    return np.zeros(NUM_KINDS, np.float64)


@kernel
def by_copies(copies, single, pair, more):
    """The one of three scores that is for so many copies of a kind in hand."""
    if copies <= 1:
        return single
    return pair if copies == PAIR else more


@kernel
def lowest_discard(mask, scores):
    """The legal discard with the lowest score, the lower kind of equals; NOTHING if there is none."""
    best = NOTHING
    lowest = np.inf
    for kind in range(NUM_KINDS):
        if kind != RED_THREE and mask[discard_of(kind)] and scores[kind] < lowest:
            best, lowest = discard_of(kind), scores[kind]
    return best


# What the next player may hold, and so what a discard risks.


@kernel
def can_be_taken(rules, view, kind):
    """Whether a natural pair of the next player takes a pile with this card on top."""
    if kind < FIRST_RANK or view.closed[kind]:
        return False
    return meld_size(view, NEXT, kind) <= rules.largest_meld_to_take


@kernel
def share_of_unseen(rules, view, seat):
    """The part of the cards of unknown place that is in the hand of `seat`."""
    unseen, in_hand = 0, view.hand_size[seat]
    for kind in range(NUM_KINDS):
        unseen += view.unseen[kind]
        in_hand -= view.known[seat, kind]
        for other in range(1, rules.players):
            unseen -= view.known[other, kind]
    return min(1.0, max(0.0, in_hand / max(1.0, np.float64(unseen))))


@kernel
def chance_of_pair(rules, view, seat, kind, share):
    """How likely `seat` holds two of a kind, each unseen card being there with the chance `share`."""
    known = view.known[seat, kind]
    if known >= PAIR:
        return 1.0
    hidden = _hidden(rules, view, kind)
    none = (1.0 - share) ** hidden
    if known > 0:
        return 1.0 - none
    if hidden < PAIR:
        return 0.0
    return 1.0 - none - hidden * share * (1.0 - share) ** (hidden - 1)


@kernel
def _hidden(rules, view, kind):
    """Cards of a kind whose place nobody has shown."""
    hidden = view.unseen[kind]
    for other in range(1, rules.players):
        hidden -= view.known[other, kind]
    return hidden


# How likely the side completes a clean or a wild canasta before the deal ends (Modern, four players).


_HALF = 0.5  # of the stock and of the pile come to the own side


@kernel
def chance_of_wild_canasta(view):
    """How likely the side collects seven wilds, the hand's and the wild meld's included."""
    missing = CANASTA_SIZE - meld_size(view, OWN, WILD_MELD) - wilds_in_hand(view)
    return chance_of_at_least(missing, view.unseen[JOKER] + view.unseen[TWO], share_to_come(view))


@kernel
def chance_of_clean_canasta(view, kind, to_come):
    """How likely the side collects seven naturals of a kind, if `to_come` are as good as in the hand."""
    missing = CANASTA_SIZE - view.naturals[OWN, kind] - view.hand[kind] - view.known[PARTNER, kind] - to_come
    others = view.unseen[kind] - view.known[PARTNER, kind] + view.pile_count[kind] - to_come
    return chance_of_at_least(missing, others, share_to_come(view))


@kernel
def share_to_come(view):
    """How likely a card not seen is the partner's or will be drawn by the side."""
    unseen = 0
    for kind in range(NUM_KINDS):
        unseen += view.unseen[kind]
    return (view.hand_size[PARTNER] + _HALF * view.stock_size) / max(1, unseen)


@kernel
def chance_of_at_least(number, cards, share):
    """How likely `number` of so many cards come, each by itself with the chance `share`."""
    if number <= 0:
        return 1.0
    if number > cards:
        return 0.0
    chance, term = 0.0, (1.0 - share) ** cards
    for come in range(cards + 1):
        if come >= number:
            chance += term
        term *= share / max(1e-9, 1.0 - share) * (cards - come) / (come + 1)
    return min(1.0, chance)
