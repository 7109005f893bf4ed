"""Draw the packages and what they import as docs/images/structure.svg: `python -m docs.structure`.

The picture is made from the code's own imports: a box is a folder (or a few files beside each other), a row
holds what imports from the rows below it only.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from xml.sax.saxutils import escape

ROOT = Path(__file__).resolve().parents[1]
PICTURE = ROOT / "docs" / "images" / "structure.svg"
FOLDERS = {"canasta_env": ROOT / "canasta_env", "canasta_agents": ROOT / "agents"}

# Files that stand beside the folders of a package, by the box they are drawn in.
BASICS, TABLES, ENTRY = "canasta_env: basics", "canasta_env: tables", "canasta_env: entry points"
AGENT_BASICS, REGISTRY, COMMANDS = "agents: basics", "agents: registry", "agents: commands"
BESIDE = {
    "canasta_env": {
        BASICS: ("cards", "actions", "rules", "validation"),
        TABLES: ("table", "records", "vector", "agent", "state_checks", "hidden_hands", "events"),
        ENTRY: ("registration", "evaluation", "__main__", "__init__", "seat", "encoding"),
    },
    "canasta_agents": {
        AGENT_BASICS: ("files", "processes", "programs", "short_names", "config_checks", "__init__"),
        REGISTRY: ("registry",),
        COMMANDS: ("commands", "__main__"),
    },
}

BOX, ROW, MARGIN = (168, 40), 92, 24  # pixels
FILLS = {"canasta_env": "#dcebdc", "agents": "#dde6f3"}
EDGE, TEXT = "#7a8594", "#1d2733"


@cache
def modules() -> dict[str, Path]:
    """Every module of both packages and its file."""
    found = {}
    for package, folder in FOLDERS.items():
        for path in sorted(folder.rglob("*.py")):
            parts = [package, *path.relative_to(folder).with_suffix("").parts]
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imports(path: Path) -> Iterator[tuple[str, bool]]:
    """What a file imports, as dotted names, and whether it does so when it is itself imported."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inner = {
        id(node)
        for function in ast.walk(tree)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef)
        for node in ast.walk(function)
    }
    for node in ast.walk(tree):
        at_top = id(node) not in inner
        if isinstance(node, ast.Import):
            yield from ((alias.name, at_top) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                yield (full if full in modules() else node.module), at_top


@cache
def file_arrows() -> dict[str, set[str]]:
    """For each module the modules of ours that it imports, wherever in the file."""
    return {
        name: {target for target, _ in imports(path) if target in modules() and target != name}
        for name, path in modules().items()
    }


def box_of(module: str) -> str:
    """The box of the picture in which a module stands."""
    package, *rest = module.split(".")
    for box, names in BESIDE[package].items():
        if len(rest) < 2 and (rest[0] if rest else "__init__") in names:
            return box
    return "/".join([package.removeprefix("canasta_") if package != "canasta_env" else package, rest[0]])


def box_arrows() -> dict[str, set[str]]:
    """For each box the boxes that its files import from."""
    arrows: dict[str, set[str]] = {}
    for name, targets in file_arrows().items():
        own = arrows.setdefault(box_of(name), set())
        own |= {box_of(target) for target in targets} - {box_of(name)}
    return arrows


def circle(arrows: Mapping[str, set[str]]) -> list[str]:
    """A way along the arrows that ends where it began; empty if there is none."""
    done: set[str] = set()
    for start in arrows:
        stack = [(start, iter(sorted(arrows[start])))]
        way = [start]
        while stack:
            name, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                done.add(name)
                stack.pop()
                way.pop()
            elif target in way:
                return [*way[way.index(target) :], target]
            elif target not in done:
                way.append(target)
                stack.append((target, iter(sorted(arrows[target]))))
    return []


def rows(arrows: Mapping[str, set[str]]) -> list[list[str]]:
    """The boxes row by row, the lowest first: each stands just above all that it imports from."""
    if way := circle(arrows):
        raise ValueError(f"no rows where imports go in a circle: {' -> '.join(way)}")
    height: dict[str, int] = {}

    def height_of(box: str) -> int:
        if box not in height:
            height[box] = 1 + max((height_of(target) for target in arrows[box]), default=-1)
        return height[box]

    for box in arrows:
        height_of(box)
    return [sorted(box for box in arrows if height[box] == row) for row in range(max(height.values()) + 1)]


def plain_arrows(arrows: Mapping[str, set[str]]) -> dict[str, set[str]]:
    """The arrows without those that follow from others: a way over another box leads there too."""

    @cache
    def reached(box: str) -> frozenset[str]:
        return frozenset(arrows[box]).union(*map(reached, arrows[box]))

    return {
        box: {target for target in targets if not any(target in reached(other) for other in targets)}
        for box, targets in arrows.items()
    }


def draw() -> str:
    """The picture as SVG."""
    floors, arrows = rows(box_arrows()), plain_arrows(box_arrows())
    width = max(map(len, floors)) * (BOX[0] + MARGIN) + MARGIN
    height = len(floors) * ROW + 2 * MARGIN
    place = {}
    for row, boxes in enumerate(floors):
        left = (width - len(boxes) * (BOX[0] + MARGIN) + MARGIN) / 2
        for number, box in enumerate(boxes):
            place[box] = (left + number * (BOX[0] + MARGIN), height - MARGIN - BOX[1] - row * ROW)
    parts = [_arrow(place[box], place[target]) for box in sorted(arrows) for target in sorted(arrows[box])]
    parts += [_box(box, *place[box]) for box in sorted(place)]
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="sans-serif" font-size="13" text-anchor="middle">'
        '<rect width="100%" height="100%" fill="white"/>\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _arrow(start: tuple[float, float], end: tuple[float, float]) -> str:
    """From the lower edge of a box to the upper edge of one below it, with a dot where it arrives."""
    x, y = start[0] + BOX[0] / 2, start[1] + BOX[1]
    to_x, to_y = end[0] + BOX[0] / 2, end[1]
    return (
        f'<line x1="{x:g}" y1="{y:g}" x2="{to_x:g}" y2="{to_y:g}" stroke="{EDGE}"/>'
        f'<circle cx="{to_x:g}" cy="{to_y:g}" r="3.5" fill="{EDGE}"/>'
    )


def _box(name: str, x: float, y: float) -> str:
    fill = FILLS["canasta_env" if name.startswith("canasta_env") else "agents"]
    num_files = sum(box_of(module) == name for module in modules())
    middle = x + BOX[0] / 2
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{BOX[0]}" height="{BOX[1]}" rx="6" fill="{fill}" stroke="{EDGE}"/>'
        f'<text x="{middle:g}" y="{y + 17:g}" fill="{TEXT}">{escape(name)}</text>'
        f'<text x="{middle:g}" y="{y + 33:g}" fill="{EDGE}" font-size="11">{num_files} files</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(draw(), encoding="utf-8")
    print(PICTURE.relative_to(ROOT))
