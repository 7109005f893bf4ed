"""A table on the screen: a window where there is a display (extra `render`), else text."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

TITLE = "Canasta"


def has_display() -> bool:
    """Whether a window can be opened here: a desktop, or a driver that SDL is told to use."""
    if sys.platform in ("win32", "darwin"):
        return True
    return any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY", "SDL_VIDEODRIVER"))


class Window:
    """A window, opened with the first picture. Once it is closed by its user it stays closed.

    A copy, by `copy` or `pickle`, is a window that has not been opened.

    Args:
        pictures_per_s: At most so many are shown; `show` waits for the next one's time.
    """

    def __init__(self, pictures_per_s: int) -> None:
        self._pictures_per_s = pictures_per_s
        self._screen: Any = None
        self._is_dismissed = False

    def show(self, picture: NDArray[np.uint8]) -> None:
        """Show a picture, `(height, width, 3) uint8`.

        Raises:
            ImportError: If pygame is missing; names what to install.
            OSError: If there is no display after all.
        """
        if self._is_dismissed:
            return
        pygame = _pygame()
        if self._screen is None:
            try:
                pygame.display.init()
                pygame.display.set_caption(TITLE)
                self._screen = pygame.display.set_mode(picture.shape[1::-1])
            except pygame.error as error:
                raise OSError(f'no window can be opened here ({error}); render_mode="ansi" is text') from None
            self._clock = pygame.time.Clock()
        self._screen.blit(pygame.surfarray.make_surface(picture.swapaxes(0, 1)), (0, 0))
        pygame.display.flip()
        if any(event.type == pygame.QUIT for event in pygame.event.get()):
            self.close()
            self._is_dismissed = True
            return
        self._clock.tick(self._pictures_per_s)

    def close(self) -> None:
        """Close the window, if it is open."""
        if self._screen is not None:
            _pygame().display.quit()
            self._screen = None

    def __getstate__(self) -> dict[str, Any]:
        return {"_pictures_per_s": self._pictures_per_s, "_screen": None, "_is_dismissed": False}


def _pygame() -> Any:
    os.environ.setdefault("PYGAME_HIDE_SUPPORT_PROMPT", "1")
    try:
        import pygame
    except ImportError as error:
        raise ImportError('render_mode="human" needs pygame: pip install "canasta-env[render]"') from error
    return pygame


# What `render` of the environments does in each mode.


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
