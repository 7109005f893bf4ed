"""STATE, the one record of a table, and RULES, the numbers and switches the kernels read.

Cards are counts per kind (`canasta_env.cards.KINDS`); only the stock and the pile are ordered. Melds are
three arrays over kinds: a meld of a rank stands at the rank's kind, black threes at `BLACK_THREE`, the
wild meld (twos and jokers, no naturals) at `WILD_MELD`.
"""

from __future__ import annotations

import dataclasses

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import JOKER, NUM_CARDS, NUM_KINDS
from canasta_env.engine.jit import JIT_DISABLED, kernel
from canasta_env.rules import MAX_MINIMA, Rules

MAX_SEATS = 4
MAX_SIDES = 3
WILD_MELD = JOKER  # the column of the wild meld, free because no meld is of jokers
NOBODY = -1
NO_CARD = -1

# Phases: whose move it is, and of which sort.
PHASE_DRAW, PHASE_PLAY, PHASE_ANSWER, PHASE_OVER = range(4)
PHASES = ("draw", "play", "answer", "over")

# What the partner's answer of this turn allows (R-OUT-3).
NOT_ASKED, REFUSED, MUST_GO_OUT, MAY_GO_OUT = range(4)

STATE = np.dtype(
    [
        ("seed", np.uint64),  # of the match; fixes the shuffle of every deal
        ("deal", np.int32),  # number of the deal in the match, from 0
        ("scores", np.int64, (MAX_SIDES,)),  # match scores when the deal began
        ("hand", np.int8, (MAX_SEATS, NUM_KINDS)),
        ("naturals", np.int8, (MAX_SIDES, NUM_KINDS)),  # melds, per side and kind of meld
        ("twos", np.int8, (MAX_SIDES, NUM_KINDS)),
        ("jokers", np.int8, (MAX_SIDES, NUM_KINDS)),
        ("red_threes", np.int8, (MAX_SIDES,)),  # laid
        ("black_threes", np.int8, (MAX_SIDES,)),  # laid, where the game lays them
        ("stock", np.int8, (NUM_CARDS,)),  # kinds; [next_card] is drawn next
        ("next_card", np.int16),
        ("pile", np.int8, (NUM_CARDS,)),  # kinds, bottom first; NO_CARD from pile_size on
        ("pile_size", np.int16),
        ("wild_frozen", np.int8),  # R-DEAL-3, R-DISC-1
        ("dealer", np.int8),
        ("to_play", np.int8),  # seat; the partner's in PHASE_ANSWER, NOBODY when over
        ("phase", np.int8),
        ("hand_size", np.int16, (MAX_SEATS,)),
        ("opened", np.int8, (MAX_SIDES,)),  # opening complete (R-OPEN-5)
        ("canastas", np.int8, (MAX_SIDES,)),  # melds of seven or more cards
        ("closed", np.int8, (NUM_KINDS,)),  # ranks closed by a clean canasta (R-MELD-7)
        ("opening_points", np.int32),  # melded so far in the opening turn that is under way (R-OPEN-2)
        ("taken", np.int8),  # kind of the top card between `take` and `pick up`, else NO_CARD
        ("can_ask", np.int8),  # the turn stands where R-OUT-3 allows the question
        ("answer", np.int8),  # NOT_ASKED, REFUSED, MUST_GO_OUT (a binding yes) or MAY_GO_OUT
        ("asked", np.int8, (MAX_SEATS,)),  # in the deal
        ("melded", np.int8, (MAX_SEATS,)),  # melded in an earlier turn of the deal (R-OUT-4)
        ("melded_now", np.int8),  # the player has melded, or taken, in this turn
        ("begun", np.int8, (NUM_KINDS,)),  # melds begun in this turn
        ("joined_earlier", np.int8),  # the player has added to a meld that stood before this turn
        ("went_out", np.int8),  # seat or NOBODY
        ("concealed", np.int8),  # ... and it was concealed
        ("turn", np.int16),  # turns begun in the deal, the first is 1
        ("discarded", np.int8, (MAX_SEATS, NUM_KINDS)),  # what each seat has discarded in the deal
        ("known", np.int8, (MAX_SEATS, NUM_KINDS)),  # cards that everybody knows to be in a hand
        ("piles_taken", np.int8, (MAX_SEATS,)),
    ],
    align=True,
)

# What a game does, as `Rules` tells it: 1 if it is so.
SWITCHES = tuple(field.name for field in dataclasses.fields(Rules) if field.type == "bool")
RULES = np.dtype(
    [
        ("players", np.int8),
        ("num_sides", np.int8),
        ("target", np.int64),
        ("hand_size", np.int16),
        ("cards_drawn", np.int8),
        ("canastas_to_go_out", np.int8),
        ("num_minima", np.int8),
        ("minimum_from", np.int64, (MAX_MINIMA,)),
        ("minimum", np.int32, (MAX_MINIMA,)),
        ("max_wilds_in_meld", np.int8),
        ("naturals_before_wild", np.int8),
        ("mixed_canasta_bonus", np.int32),
        ("clean_canasta_bonus", np.int32),
        ("clean_sevens_or_aces_bonus", np.int32),
        ("twos_canasta_bonus", np.int32),
        ("jokers_canasta_bonus", np.int32),
        ("wild_canasta_bonus", np.int32),
        ("going_out_bonus", np.int32),
        ("concealed_bonus", np.int32),
        ("threes_points", np.int32, (4,)),
        ("unfinished_sevens_penalty", np.int32),
        ("unfinished_aces_penalty", np.int32),
        ("unfinished_wilds_penalty", np.int32),
        ("unfinished_jokers_penalty", np.int32),
        ("aces_in_hand_penalty", np.int32),
        ("sevens_in_hand_penalty", np.int32),
        ("largest_meld_to_take", np.int8),
        ("canastas_for_threes", np.int8),
        *((name, np.int8) for name in SWITCHES),
    ],
    align=True,
)
_DERIVED = ("target", "num_sides", "num_minima", "minimum_from", "minimum", "largest_meld_to_take")
_FAR_BELOW = np.iinfo(np.int64).min
_FAR_ABOVE = 2**62  # more than a side can come to


def allocate(num: int, dtype: np.dtype = STATE) -> NDArray[np.void]:
    """Zeroed records in the form that kernels take: `(num,)` of `dtype`.

    A plain structured array when kernels are compiled (its dispatch is ten times cheaper), a recarray
    when they run as Python, where only a recarray gives `state.hand`.
    """
    return as_kernel_argument(np.zeros(num, dtype))


@kernel
def _scratch_tables(num):  # type: ignore[no-untyped-def]
    """Tables to try actions on, inside a kernel: `(num,) STATE`, contents undefined."""
    return np.empty(num, STATE)


scratch_tables = allocate if JIT_DISABLED else _scratch_tables


def as_kernel_argument(records: NDArray[np.void]) -> NDArray[np.void]:
    """View records (shape kept, memory shared) in the form that kernels take; see `allocate`."""
    return records.view(np.recarray) if JIT_DISABLED else records.view(np.ndarray)


def rules_record(rules: Rules) -> NDArray[np.void]:
    """The rules as kernels read them: `(1,) RULES`."""
    record = allocate(1, RULES)
    for name in RULES.names or ():
        if name not in _DERIVED:
            record[name] = getattr(rules, name)
    starts = [_FAR_BELOW if start is None else start for start, _ in rules.opening_minima]
    minima = [minimum for _, minimum in rules.opening_minima]
    record["target"] = min(rules.target, _FAR_ABOVE)
    largest = rules.largest_meld_to_take
    record["largest_meld_to_take"] = NUM_CARDS if largest is None else largest
    record["num_sides"] = rules.num_sides
    record["num_minima"] = len(minima)
    record["minimum_from"][0, : len(minima)] = starts
    record["minimum"][0, : len(minima)] = minima
    return record
