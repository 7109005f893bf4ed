"""One whole deal per game in text, played again to the letter."""

from pathlib import Path

import pytest

from tests.engine.transcripts import replay

GOLDEN = Path(__file__).parent / "golden"


@pytest.mark.parametrize("name", ["classic_2", "classic_3", "classic_4", "modern_american_4"])
def test_a_deal_played_again_is_the_same_to_the_letter(name):
    transcript = (GOLDEN / f"{name}.txt").read_text()
    assert replay(transcript) == transcript


def test_every_golden_deal_is_played():
    assert len(list(GOLDEN.iterdir())) == 4
