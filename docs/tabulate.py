"""Write the pages that come from the code: `python -m docs.tabulate`."""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import inspect
import io
import itertools
import re
import typing
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from canasta_agents.arena.cli import Arguments as Evaluating
from canasta_agents.arena.deal_stats import STATISTICS
from canasta_agents.learning.cli import Arguments as Training
from canasta_agents.play.cli import Arguments as Playing
from canasta_env.__main__ import main as canasta_env_main
from canasta_env.actions import NOTATIONS
from canasta_env.engine import state, view
from docs.environment_pages import environment_pages
from docs.markdown import page, table

DOCS = Path(__file__).parent
MADE = "Made by `python -m docs.tabulate`."

# What actions do and the clause of it, by the notation, or by how it begins; the longest beginning counts.
MEANINGS = {
    "draw": ("draw from the stock", "R-TURN-1"),
    "take": ("take the pile with a natural pair", "R-TAKE-2"),
    "take with": ("take the pile with one natural card and this wild (Classic)", "R-TAKE-3"),
    "pick up": ("bring the rest of a taken pile into the hand, the opening being complete", "R-TAKE-5"),
    "ask": ("ask the partner whether to go out", "R-OUT-3"),
    "yes": ("the partner's answer", "R-OUT-3"),
    "no": ("the partner's answer", "R-OUT-3"),
    "meld": ("begin a meld of this rank", "R-MELD-1"),
    "meld black3": ("meld black threes while going out (Classic)", "R-MELD-8"),
    "meld 2": ("begin the wild meld (Modern American)", "R-MELD-6"),
    "meld joker": ("begin the wild meld (Modern American)", "R-MELD-6"),
    "add": ("add a natural card to the side's meld", "R-MELD-1"),
    "add black3": ("add the fourth black three (Classic)", "R-MELD-8"),
    "add 2 to": ("add a wild to the side's meld", "R-MELD-2 to R-MELD-5"),
    "add joker to": ("add a wild to the side's meld", "R-MELD-2 to R-MELD-5"),
    "add 2 to wilds": ("add to the wild meld (Modern American)", "R-MELD-6"),
    "add joker to wilds": ("add to the wild meld (Modern American)", "R-MELD-6"),
    "discard": ("discard, which ends the turn", "R-DISC"),
    "discard black3": ("discard; the next player cannot take the pile (Classic)", "R-DISC-1"),
    "discard 2": ("discard a wild; in Classic it freezes the pile", "R-DISC-1, R-DISC-2"),
    "discard joker": ("discard a wild; in Classic it freezes the pile", "R-DISC-1, R-DISC-2"),
}


# What the source of VIEW leaves to the name of a field.
VIEW_NOTES = {
    "hand_size": "cards in each hand",
    "players": "number of seats in the game",
    "phase": ", ".join(f"{number} {phase}" for number, phase in enumerate(state.PHASES)),
    "pile_size": "cards in the pile",
    "stock_size": "cards in the stock",
    "hand": "the own hand",
    "discarded": "by each seat, in the deal",
    "piles_taken": "by each seat, in the deal",
    "asked": "flag: has asked in the deal",
    "twos": "in the melds",
    "jokers": "in the melds",
    "pile_count": "cards in the pile",
    "wild_frozen": "flag (R-DEAL-3, R-DISC-1)",
    "answer": "0 not asked, 1 refused, 2 must go out (Classic yes), 3 may go out (Modern yes)",
    "concealed": "flag: went out concealed (R-OUT-4)",
}

ACTIONS_INTRO = """
The same ids stand for the same actions in both games; which of them are legal, the mask says.
A meld is begun with three cards and grows card by card.
How a turn is made of them: [environment.md](environment.md#actions); as data: `canasta_env.actions`.
"""
VIEW_INTRO = """
A view is a record of the dtype `canasta_env.engine.view.VIEW`; observations, rule-based players and
pictures are functions of it. Cards are counts by kind, in the order joker, 2, red3, black3, 4 to A. Seats and
sides are counted from the viewer's own, which is 0; places beyond the game's seats and sides are empty. Melds
of a rank stand at the rank's kind, black threes at theirs, the wild meld at joker. NOBODY and NO_CARD are −1.
"""
STATISTICS_INTRO = """
Of each side, as means: keys under `anatomy` in `results.json`, columns of `statistics.csv`, and most of them
in the report ([The arena](arena.md#what-is-written)). The first seven are points by clause (R-SCORE).
"""
TRAINING_INTRO = """
`python train.py [CONFIG.toml] [--section.key value ...]`; installed from a wheel it is `canasta-train`. A
config is TOML: `--ppo.learning-rate` is the key `learning_rate` of its table `[ppo]`. How to use it:
[Training](../training.md).
"""


def pages() -> dict[str, str]:
    """The text of every page that comes from the code, by its file in docs/."""
    return {
        "actions.md": _actions(),
        "layout.md": _layouts(),
        "view.md": _view(),
        "statistics.md": _statistics(),
        **environment_pages(MADE, _meaning),
        "commands/train.md": _training(),
        "commands/evaluate.md": _command("evaluate.py", Evaluating, "../arena.md", "The arena"),
        "commands/play.md": _command("play.py", Playing, "../play.md", "A table to sit down at"),
    }


def _actions() -> str:
    rows = [
        f"| {action} | `{name}` | {' | '.join(_meaning(name))} |" for action, name in enumerate(NOTATIONS)
    ]
    return page(
        "# The 96 actions",
        MADE + ACTIONS_INTRO,
        table("id", "action", "does", "clause", rows=rows, right=1),
    )


def _meaning(name: str) -> tuple[str, str]:
    beginnings = [start for start in MEANINGS if name == start or name.startswith(f"{start} ")]
    does, clause = MEANINGS[max(beginnings, key=len)]
    return f"{does}, with a wild" if re.fullmatch(r"meld ([^2j]\w*) \1 (2|joker)", name) else does, clause


def _layouts() -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        canasta_env_main(["layout"])
    return printed.getvalue()


def _view() -> str:
    notes = {**_field_notes(state, "STATE"), **_field_notes(view, "VIEW"), **VIEW_NOTES}
    fields = view.VIEW.fields
    assert fields is not None
    rows = []
    for name in view.VIEW.names or ():
        dtype = fields[name][0]
        shape = f" ({', '.join(map(str, dtype.shape))})" if dtype.shape else ""
        rows.append(f"| `{name}` | {dtype.base}{shape} | {notes[name]} |")
    return page(
        "# What a seat may know: VIEW",
        MADE + VIEW_INTRO,
        table("field", "type", "is", rows=rows),
    )


def _statistics() -> str:
    rows = [
        f"| `{statistic.name}` | {statistic.meaning} | {statistic.per or 'deal'} "
        f"| {f'{statistic.group}: {statistic.label}' if statistic.group else statistic.label} |"
        for statistic in STATISTICS
    ]
    return page(
        "# What is counted of a deal",
        MADE + STATISTICS_INTRO,
        table("name", "is", "per", "in the report", rows=rows),
    )


def _field_notes(module: Any, name: str) -> dict[str, str]:
    """The comments behind the fields of a dtype in its source."""
    source = inspect.getsource(module)
    block = source[source.index(f"{name} = np.dtype(") :]
    block = block[: block.index("\n)\n")]
    found = re.split(r'\(\s*"(\w+)",', block)[1:]  # a name, what follows it, the next name, ...
    notes = {field: rest.partition("#")[2].partition("\n")[0].strip() for field, rest in _pairs(found)}
    return {field: note for field, note in notes.items() if note}


def _pairs(texts: list[str]) -> list[tuple[str, str]]:
    return list(zip(texts[::2], texts[1::2], strict=True))


def _training() -> str:
    config = typing.get_type_hints(Training, include_extras=False)["config"]
    parts = [_options(Training, leave_out=("config",))]
    for section in dataclasses.fields(config):
        kind = typing.get_type_hints(config)[section.name]
        parts += [f"## {section.name}", _documentation(kind), _options(kind, prefix=f"{section.name}.")]
    return page(
        "# train.py",
        f"{MADE} {_first_line(Training)}\n{TRAINING_INTRO}",
        *parts,
    )


def _command(name: str, arguments: type[Any], guide: str, title: str) -> str:
    return page(
        f"# {name}",
        f"{MADE} {_documentation(arguments)}",
        f"`python {name} [--option value ...]`; installed from a wheel it is `canasta-{Path(name).stem}`.",
        f"How to use it: [{title}]({guide}).",
        _options(arguments),
    )


def _options(arguments: type[Any], prefix: str = "", leave_out: tuple[str, ...] = ()) -> str:
    hints, notes = typing.get_type_hints(arguments), _attribute_notes(arguments)
    rows = []
    for field in dataclasses.fields(arguments):
        if field.name not in leave_out:
            option = (
                "`CONFIG.toml`" if field.name == "file" else f"`--{prefix}{field.name.replace('_', '-')}`"
            )
            values = _values(hints[field.name])
            rows.append(f"| {option} | {values} | {_default(field.default)} | {notes[field.name]} |")
    return table("option", "values", "default", "meaning", rows=rows)


def _attribute_notes(arguments: type[Any]) -> dict[str, str]:
    """The texts below the fields of a dataclass."""
    (definition,) = ast.parse(inspect.getsource(arguments)).body
    assert isinstance(definition, ast.ClassDef)
    return dict(_notes_in(definition.body))


def _notes_in(body: list[ast.stmt]) -> Iterator[tuple[str, str]]:
    for field, note in itertools.pairwise(body):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(note, ast.Expr)
            and isinstance(note.value, ast.Constant)
        ):
            text = " ".join(str(note.value.value).split())
            yield ast.unparse(field.target), re.sub(r"(--[a-z][\w.-]*\w)", r"`\1`", text)


def _values(hint: Any) -> str:
    parts = [part for part in typing.get_args(hint) if part is not type(None)]
    if typing.get_origin(hint) is Literal:
        return ", ".join(f"`{choice}`" for choice in parts)
    if typing.get_origin(hint) is tuple:
        return "words"
    if parts:
        return _values(parts[0])
    return {int: "whole number", float: "number", str: "text", bool: "yes or no", Path: "path"}[hint]


def _default(default: object) -> str:
    if default is None or default in ("", ()):
        return ""
    if isinstance(default, bool):
        return "yes" if default else "no"
    texts = default if isinstance(default, tuple) else (default,)
    return " ".join(f"`{text}`" for text in texts)


def _documentation(thing: type[Any]) -> str:
    return " ".join((inspect.getdoc(thing) or "").split())


def _first_line(thing: type[Any]) -> str:
    return (inspect.getdoc(thing) or "").partition("\n")[0]


def main() -> None:
    """Write every page that has changed."""
    for name, text in pages().items():
        file = DOCS / name
        file.parent.mkdir(exist_ok=True)
        if not file.exists() or file.read_text(encoding="utf-8") != text:
            file.write_text(text, encoding="utf-8")
            print(f"{file}: written")


if __name__ == "__main__":
    main()
