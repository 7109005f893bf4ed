"""Names of players as tables show them: the middle left out where a column is too narrow."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from canasta_env.validation import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions
    from rich.measure import Measurement
    from rich.text import Text

_LEAST = 9  # characters of a name that a table leaves, whatever else it shows


def shortened(name: str, width: int) -> str:
    """A name in at most `width` characters, of at least 1: its beginning, an ellipsis and its end."""
    if len(name) <= width:
        return name
    beginning = (width - 1) // 2
    return f"{name[:beginning]}…{name[len(name) - (width - 1 - beginning) :]}"


class ShortName:
    """A name as a cell of one of Rich's tables: one line, as long as its column has room for.

    Partners, "A + B", stand on a line each where the column is too narrow for both.

    Args:
        name: Anybody's: it is neither read as markup, nor are its control characters printed.
    """

    def __init__(self, name: str) -> None:
        self._name = printable(name)

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        """Between the fewest characters that tell something and the whole name."""
        from rich.cells import cell_len
        from rich.measure import Measurement

        width = cell_len(self._name)
        return Measurement(min(width, _LEAST), width).with_maximum(options.max_width)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        """As much as there is room for."""
        from rich.text import Text

        width = options.max_width
        lines = [self._name] if len(self._name) <= width else self._name.replace(" + ", "\n+ ").split("\n")
        for line in lines:
            yield Text(shortened(line, width), no_wrap=True, overflow="ellipsis")
