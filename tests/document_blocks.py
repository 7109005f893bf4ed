"""What README and docs/ tell the reader to run: commands, Python, TOML and JSON, each with its place."""

from __future__ import annotations

import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHELL = ("", "bash", "sh", "console")  # languages of fences that hold commands; ```text is for other things

_FENCE = re.compile(r"^```([\w{}-]*)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)
_SPAN = re.compile(r"`([^`]+)`")
_COMMAND = re.compile(r"([A-Z_]+=\S* )*(python3?|make|torchrun|pip|ray|tensorboard|canasta-[a-z]+)( |$)")


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, its text, and where it begins."""

    language: str
    text: str
    place: str  # README.md:15


@dataclass(frozen=True)
class Command:
    """A command as it stands in a document, without its comment."""

    text: str
    place: str

    @property
    def words(self) -> list[str]:
        """Its words, as a shell reads them."""
        return shlex.split(self.text)


def blocks() -> list[Block]:
    """Every fenced block of the documents."""
    return [
        Block(match.group(1), match.group(2), _place(path, text, match.start()))
        for path in DOCUMENTS
        for text in [path.read_text(encoding="utf-8")]
        for match in _FENCE.finditer(text)
    ]


def spans() -> list[tuple[str, str]]:
    """Every piece of code within a sentence, on one line, and its place."""
    return [
        (" ".join(match.group(1).split()), _place(path, text, match.start()))
        for path in DOCUMENTS
        for text in [_without_fences(path.read_text(encoding="utf-8"))]
        for match in _SPAN.finditer(text)
    ]


def commands() -> list[Command]:
    """Every command, in blocks and in sentences, once each: at its first place."""
    found: dict[str, Command] = {}
    for command in (*_commands_of_blocks(), *_commands_of_spans()):
        found.setdefault(command.text, command)
    return list(found.values())


def _commands_of_blocks() -> Iterator[Command]:
    for block in blocks():
        if block.language in SHELL:
            for line in block.text.replace("\\\n", " ").splitlines():
                if words := shlex.split(line.removeprefix("$ "), comments=True):
                    yield Command(shlex.join(words), block.place)


def _commands_of_spans() -> Iterator[Command]:
    for text, place in spans():
        if _COMMAND.match(text) and " [" not in text:  # in brackets: what a command may be given
            yield Command(shlex.join(shlex.split(text)), place)


def _without_fences(text: str) -> str:
    """The text with its blocks emptied, line by line as long as before."""
    return _FENCE.sub(lambda match: "\n" * match.group(0).count("\n"), text)


def _place(path: Path, text: str, start: int) -> str:
    return f"{path.name}:{text.count(chr(10), 0, start) + 1}"
