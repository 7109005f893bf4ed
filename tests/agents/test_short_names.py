"""Names with their middle left out."""

from __future__ import annotations

import pytest

from canasta_agents.short_names import shortened


@pytest.mark.parametrize(
    ("name", "width", "shown"),
    [
        ("neural:runs/modern_american-20261202-101500", 16, "neural:…2-101500"),
        ("heuristic", 9, "heuristic"),
        ("heuristic", 8, "heu…stic"),
        ("heuristic", 2, "…c"),
        ("heuristic", 1, "…"),
        ("", 1, ""),
    ],
)
def test_the_middle_of_a_name_is_left_out(name, width, shown):
    assert shortened(name, width) == shown
    assert len(shown) <= width
