"""The structure that docs/architecture.md shows: arrows one way, no circles, one import name."""

from __future__ import annotations

import ast

import pytest

from docs.structure import PICTURE, box_arrows, circle, draw, file_arrows, imports, modules

MOST_LINES = 510  # of a file
# Modules that need an optional library: the only ones of ours that a function may import.
NEED_A_LIBRARY = {
    "canasta_env.openspiel.pyspiel_game": "open_spiel",
    "canasta_env.rendering.image": "pillow",
    "canasta_agents.neural.agent": "torch",
    "canasta_agents.neural.hands": "torch",
    "canasta_agents.neural.onnx_agent": "onnxruntime",
    "canasta_agents.neural.onnx_export": "torch",
    "canasta_agents.learning.hands": "torch",
    "canasta_agents.learning.session": "torch",
    "canasta_agents.learning.match_equity": "torch",
    "canasta_agents.arena.suite.cross_play_cli": "rich",
    "canasta_agents.review.cli": "rich",
    "canasta_agents.play.server": "aiohttp",
}


def test_no_file_and_no_folder_imports_in_a_circle():
    assert circle(file_arrows()) == []
    assert circle(box_arrows()) == []


def test_a_circle_would_be_found():
    assert circle({"a": {"b"}, "b": {"c"}, "c": {"b"}, "d": set()}) == ["b", "c", "b"]


@pytest.mark.parametrize("name", [name for name in modules() if name.startswith("canasta_env")])
def test_canasta_env_needs_neither_agents_nor_pytorch(name):
    foreign = [target for target, at_top in imports(modules()[name]) if target.startswith("torch") or at_top]
    assert not [target for target in foreign if target.startswith(("torch", "canasta_agents", "agents"))]


@pytest.mark.parametrize("name", modules())
def test_functions_import_nothing_of_ours_but_what_needs_an_optional_library(name):
    inner = {target for target, at_top in imports(modules()[name]) if not at_top and target in modules()}
    assert inner <= set(NEED_A_LIBRARY)


@pytest.mark.parametrize("name", modules())
def test_no_file_is_too_long_and_none_imports_by_another_name(name):
    text = modules()[name].read_text(encoding="utf-8")
    assert len(text.splitlines()) <= MOST_LINES
    relative = [
        node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.ImportFrom) and node.level > 0
    ]
    assert not relative


def test_the_picture_is_that_of_the_code():
    assert PICTURE.read_text(encoding="utf-8") == draw(), "run: python -m docs.structure"
