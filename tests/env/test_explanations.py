"""Why an action is refused: each reason from a hand-made position, and one for all that is illegal."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from canasta_env import IllegalActionError, NotationError, Rules, Table, classic
from canasta_env.actions import NOTATIONS
from canasta_env.explain import reason
from canasta_env.explain.reasons import completion_fault
from canasta_env.explain.situation import Situation
from tests.engine.walking import FOUR_GAMES, NAMES, house_rules, walk
from tests.position_cases import Case, read_cases
from tests.rules.positions import modern

REFUSED = read_cases(Path(__file__).parent / "refused.toml", ("action", "reason"), ("first",))
HOUSE_RULES = [house_rules(seed) for seed in range(6)]


@pytest.mark.parametrize(
    "case", REFUSED, ids=[f"{case.told['action']}: {case.told['reason']}" for case in REFUSED]
)
def test_the_reason_is_given(case: Case) -> None:
    table, action = case.table(), case.told["action"]
    for before in case.told.get("first", ()):
        table.play(before)
    with pytest.raises(IllegalActionError) as refusal:
        table.play(action)
    text = str(refusal.value)
    assert text.startswith(f'illegal action "{action}"')
    assert case.told["reason"] in text
    assert text.endswith(f"; legal: {', '.join(table.legal()) or 'nothing'}")


def test_the_whole_text_of_a_refusal() -> None:
    table = Table.from_position(
        {"game": "classic", "to_play": 2, "hands": {2: "K 2 4 5"}, "melds": [["4 4 4"], []], "pile": "2 K"},
        partial=True,
    )
    with pytest.raises(IllegalActionError) as refusal:
        table.play("take")
    assert str(refusal.value) == (
        'illegal action "take" for seat 2: the pile is wild-frozen and the hand holds one K (R-TAKE-3);'
        " legal: draw"
    )


def test_nobody_plays_on_from_the_pile_of_a_Modern_deal() -> None:
    table = modern("K K 9 9", pile="K", whole_stock="", phase="draw", melds=["4 4 4"])
    with pytest.raises(
        IllegalActionError, match=r"the stock is empty, and nobody plays on from the pile \(R-TURN-3\)"
    ):
        table.play("take")


@pytest.mark.parametrize("rules", [*FOUR_GAMES, *HOUSE_RULES], ids=[*NAMES, *(f"house{n}" for n in range(6))])
def test_every_illegal_action_has_a_reason_with_a_clause(rules: Rules) -> None:
    for number, table in enumerate(walk(rules, seed=2)):
        if number % 3 and not table.is_over:
            continue
        for action in np.flatnonzero(table.action_mask() == 0):
            assert re.search(r"\(R-[A-Z]+(-\d)?(, R-[A-Z]+-\d)?\)$", reason(rules, table._state, int(action)))


@pytest.mark.parametrize("rules", FOUR_GAMES, ids=NAMES)
def test_an_action_with_a_reason_of_its_own_clauses_is_never_legal(rules: Rules) -> None:
    from canasta_env.explain.reasons import _own_fault, _phase_fault

    for table in walk(rules, seed=4):
        now = Situation(rules, table._state)
        for action in np.flatnonzero(table.action_mask()).tolist():
            assert not _phase_fault(now, action)
            if NOTATIONS[action].startswith(("take", "pick", "meld", "add")):
                assert not _own_fault(now, action)


def test_a_refused_action_changes_nothing() -> None:
    table = Table(classic(), seed=1)
    before = table.position()
    with pytest.raises(IllegalActionError):
        table.play("discard K")
    assert table.position() == before


def test_looking_for_a_reason_changes_nothing() -> None:
    table = Table.from_position({"game": "classic", "hands": {1: "9 9 9 5"}, "phase": "play"}, partial=True)
    before = table.position()
    assert "R-TURN-4" in completion_fault(Situation(table.rules, table._state), NOTATIONS.index("meld 9 9 9"))
    assert table.position() == before


def test_what_is_no_action_is_told_with_what_is_near() -> None:
    with pytest.raises(
        NotationError, match="'discrad K' is not the notation of an action; near it: discard K"
    ):
        Table(classic(), seed=1).play("discrad K")
