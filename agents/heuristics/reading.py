"""What players read off a view: melds, wilds in hand, danger ranks, the state of the pile."""

# mypy: allow-untyped-defs, allow-untyped-calls

from __future__ import annotations

from canasta_agents.heuristics.compiling import kernel
from canasta_env.actions import DISCARD_JOKER, NUM_ACTIONS
from canasta_env.cards import CANASTA_SIZE, FIRST_RANK, JOKER, NUM_KINDS, RED_THREE, TWO
from canasta_env.engine.melds import meld_size

NOTHING = -1  # in place of an action: there is nothing of the sort to do
OWN = 0  # the viewer's seat and side
TWO_PLAYERS = 2
NEXT = 1  # the seat that plays next, and its side: always an opponent


@kernel
def wilds_in_hand(view):
    """Twos and jokers in the hand."""
    return view.hand[JOKER] + view.hand[TWO]


@kernel
def is_wild(kind):
    """Whether a kind is a two or a joker."""
    return JOKER <= kind <= TWO


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
def is_canasta(view, side, kind):
    """Whether a meld is a canasta."""
    return meld_size(view, side, kind) >= CANASTA_SIZE


@kernel
def is_finished(rules, view, side, kind):
    """Whether a meld is a Modern canasta, which takes no more cards (R-MELD-3)."""
    return rules.is_modern and meld_size(view, side, kind) >= CANASTA_SIZE


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


@kernel
def num_kinds_held(view):
    """Different kinds in the hand."""
    kinds = 0
    for kind in range(NUM_KINDS):
        kinds += view.hand[kind] > 0
    return kinds
