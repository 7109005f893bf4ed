"""What `render` of the environments does in each mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from canasta_env.rendering.window import Window, has_display

PICTURES_PER_S = 2
Picture = NDArray[np.uint8]


class Display:
    """Renders a table in one of the modes "ansi", "rgb_array" and "human", or not at all.

    Args:
        mode: The mode; None: `render` does nothing.
    """

    def __init__(self, mode: str | None) -> None:
        self.mode = mode
        self._window = Window(PICTURES_PER_S)

    def render(self, text: Callable[[], str], picture: Callable[[], Picture]) -> str | Picture | None:
        """Render what two functions draw.

        Returns:
            The text ("ansi"), the picture ("rgb_array"), or None ("human"): the picture is then shown in a
            window, and without a display the text is printed.

        Raises:
            ImportError: If a library is missing; names what to install.
        """
        if self.mode is None:
            return None
        if self.mode == "ansi":
            return text()
        if self.mode == "rgb_array":
            return picture()
        if has_display():
            self._window.show(picture())
        else:
            print(text())
        return None

    def close(self) -> None:
        """Close the window, if one is open."""
        self._window.close()
