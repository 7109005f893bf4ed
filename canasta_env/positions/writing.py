"""Write a table as a position."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import KINDS
from canasta_env.engine.state import MAY_GO_OUT, MUST_GO_OUT, NO_CARD, NOBODY, NOT_ASKED, PHASES, REFUSED
from canasta_env.positions.naming import meld_name, named_counts, named_kinds, named_melds, named_threes
from canasta_env.rules import Rules, standard_rules

_ANSWERS = {NOT_ASKED: None, REFUSED: "no", MUST_GO_OUT: "yes", MAY_GO_OUT: "yes"}


def write_position(rules: Rules, state: NDArray[np.void]) -> dict[str, Any]:
    """The position of a table, `(1,) STATE`."""
    s = state[0]
    seats, sides = range(rules.players), range(rules.num_sides)
    position: dict[str, Any] = {"game": rules.game, "players": rules.players, "target": rules.target}
    if rules != standard_rules(rules.game, rules.players, rules.target):
        position["rules"] = rules.to_dict()
    position |= {
        "dealer": int(s["dealer"]),
        "scores": s["scores"][: rules.num_sides].tolist(),
        "hands": [named_counts(s["hand"][seat]) for seat in seats],
        "melds": [{name: list(meld) for name, meld in named_melds(state, side).items()} for side in sides],
        "threes": [named_threes(state, side) for side in sides],
        "pile": named_kinds(s["pile"][: s["pile_size"]]),
        "stock": named_kinds(s["stock"][s["next_card"] :]),
        "wild_frozen": bool(s["wild_frozen"]),
        "to_play": None if s["to_play"] == NOBODY else int(s["to_play"]),
        "phase": PHASES[s["phase"]],
        "opened": s["opened"][: rules.num_sides].astype(bool).tolist(),
        "opening_points": int(s["opening_points"]),
        "taken": None if s["taken"] == NO_CARD else KINDS[s["taken"]],
        "can_ask": bool(s["can_ask"]),
        "answer": _ANSWERS[int(s["answer"])],
        "asked": s["asked"][: rules.players].astype(bool).tolist(),
        "melded": s["melded"][: rules.players].astype(bool).tolist(),
        "melded_now": bool(s["melded_now"]),
        "begun": [meld_name(kind) for kind in np.flatnonzero(s["begun"]).tolist()],
        "joined_earlier": bool(s["joined_earlier"]),
        "went_out": None if s["went_out"] == NOBODY else int(s["went_out"]),
        "concealed": bool(s["concealed"]),
        "turn": int(s["turn"]),
        "discarded": [named_counts(s["discarded"][seat]) for seat in seats],
        "known": [named_counts(s["known"][seat]) for seat in seats],
        "piles_taken": s["piles_taken"][: rules.players].tolist(),
    }
    return position
