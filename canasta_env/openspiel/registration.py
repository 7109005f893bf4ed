"""Make Canasta known to OpenSpiel, where it is installed."""

from __future__ import annotations


def register() -> str:
    """Register Canasta as a Python game of OpenSpiel; a second call changes nothing.

    Returns:
        The name for `pyspiel.load_game`, "python_canasta", with parameters as `CanastaGame` has arguments:
        `pyspiel.load_game("python_canasta(game=classic,players=2)")`.

    Raises:
        ImportError: If OpenSpiel is not installed.
    """
    try:
        from canasta_env.openspiel import pyspiel_game
    except ModuleNotFoundError as error:
        if error.name != "pyspiel":
            raise
        raise ImportError("OpenSpiel is not installed: pip install open_spiel") from error
    return pyspiel_game.NAME
