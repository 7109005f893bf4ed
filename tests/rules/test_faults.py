"""Positions in which the engine was once wrong, each named by its symptom."""

from __future__ import annotations

from canasta_env import Table


def test_r_take_5_taken_rank_grown_so_far_that_its_wild_no_longer_fits_before_the_top_card() -> None:
    """Six cards are the most a meld of the top card's rank may hold at `pick up`.

    With 110 of 155 points melded, a fifth natural ten fills the meld to six, and the joker that the minimum
    needs could not join it any more: only the joker is legal.
    """
    position = {
        "game": "modern_american",
        "scores": [3005, 2995],
        "hands": {0: "joker 2 2 7 9 K", 1: "4 5 8 J Q A", 2: "joker 9 10 J", 3: "7 7 8 9 J Q"},
        "melds": [{"6": [4, 0, 0], "10": [4, 0, 1]}, {}],
        "pile": "10",
        "to_play": 2,
        "phase": "play",
        "opened": [False, False],
        "taken": "10",
    }
    table = Table.from_position(position, partial=True)
    assert table.legal() == ["add joker to 10"]
