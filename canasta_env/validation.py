"""Checks of what callers pass in: each returns the value or says what would be right."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from canasta_env.cards import COPIES, KIND_OF, KINDS, NUM_CARDS, CardError
from canasta_env.rules import GAMES, MAX_SCORE, PLAYERS, Rules, standard_rules

MAX_SEED = 2**64
_MOST_SHOWN = 100  # characters of a value in an error
MAX_PLAYERS = max(max(numbers) for numbers in PLAYERS.values())
RENDER_MODES = ("ansi", "rgb_array", "human")


def shown(value: Any) -> str:
    """What an error quotes of a value: its text on one line, cut where it is long."""
    try:
        text = " ".join(repr(value).split())
    except Exception:  # the text of a foreign object may fail in any way, and so does that of a huge number
        text = f"a value of type {type(value).__name__}"
    return text if len(text) <= _MOST_SHOWN else f"{text[:_MOST_SHOWN]}..."


def printable(text: str) -> str:
    """A text that a terminal can only show: control characters, among them line ends, are written out.

    Names of files, entrants and runs, and what a third party's error says, may hold sequences that clear the
    screen or write over what was shown before.
    """
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape", "replace").decode() for char in text
    )


def explain_error(error: BaseException) -> str:
    """What a command says of an error that ends it, printable: of the system's, the file that it is about."""
    if isinstance(error, OSError):
        text = f"{error.filename or 'input or output'}: {error.strerror or error}"
    elif isinstance(error, MemoryError):
        wanted = str(error).partition(" with shape ")[0]  # what NumPy says of a table's fields fills a screen
        text = f"there is not enough memory{f' ({wanted})' if wanted else ''}"
    else:
        text = str(error)
    return "\n".join(map(printable, text.split("\n")))


def whole_number(value: Any, name: str, low: int, high: int | None) -> int:
    """Return `value`, a Python or NumPy integer, as an int in low ... high; without an upper bound if None.

    Raises:
        ValueError: Names the argument, its value, and the range.
    """
    is_whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
    if not is_whole or value < low or (high is not None and value > high):
        bound = f"of at least {low:,}" if high is None else f"from {low:,} to {high:,}"
        raise ValueError(f"{name}: {shown(value)} must be a whole number {bound}")
    return int(value)


def integers(values: Any, num: int, what: str) -> NDArray[Any]:
    """Return `num` integers, `(num,)` of any integer dtype, from whatever NumPy reads as such.

    Raises:
        ValueError: If it is not `(num,)` integers; says `what` they are.
    """
    try:
        array = np.asarray(values)
    except ValueError:  # NumPy's, of rows of different lengths
        raise ValueError(f"{what}: {shown(values)} must be integers of ({num},)") from None
    if array.shape != (num,) or array.dtype.kind not in "iu":
        raise ValueError(f"{what}: {array.dtype}{array.shape} must be integers of ({num},)")
    return array


def check_flag(value: Any, name: str) -> bool:
    """Return True or False.

    Raises:
        ValueError: Names the argument and its value.
    """
    if not isinstance(value, (bool, np.bool_)):
        raise ValueError(f"{name}: {shown(value)} must be True or False")
    return bool(value)


def check_choice(value: Any, name: str, choices: Sequence[str]) -> str:
    """Return one of a few words.

    Raises:
        ValueError: Names the argument, its value, and the choices.
    """
    if not isinstance(value, str) or value not in choices:
        raise ValueError(f"{name}: {shown(value)} must be one of {', '.join(map(repr, choices))}")
    return value


def check_render_mode(mode: Any) -> str | None:
    """Return a render mode of the environments: None or one of RENDER_MODES."""
    return None if mode is None else check_choice(mode, "render_mode", RENDER_MODES)


def choose_rules(game: str | None, players: int | None, target: int | None, rules: Rules | None) -> Rules:
    """The rules that a caller names by game, players and target, or gives whole.

    Args:
        game: Name of the game; that of `rules`, or Modern American, if None.
        players: Number of players; that of `rules`, or 4, if None.
        target: Match score to reach; that of `rules`, or the game's own, if None.
        rules: House rules.

    Raises:
        ValueError: If there is no such game, or `rules` is of another one.
    """
    if game is not None:
        check_choice(game, "game", GAMES)
    if players is not None:
        players = whole_number(players, "players", 2, MAX_PLAYERS)
    if target is not None:
        target = whole_number(target, "target", 1, None)
    if rules is None:
        return standard_rules("modern_american" if game is None else game, players, target)
    check_rules(rules)
    for name, value in (("game", game), ("players", players), ("target", target)):
        own = getattr(rules, name)
        if value is not None and not (isinstance(value, type(own)) and value == own):
            raise ValueError(f"{name}: {shown(value)}, but the rules are for {own!r}")
    return rules


def check_rules(rules: Any) -> Rules:
    """Return the rules of a game.

    Raises:
        ValueError: If it is something else, such as a game's name.
    """
    if not isinstance(rules, Rules):
        raise ValueError(
            f"rules: {shown(rules)} must be Rules, as classic() and modern_american() return them"
        )
    return rules


def check_seed(seed: Any) -> int:
    """Return a seed of a match: 64 bits."""
    return whole_number(seed, "seed", 0, MAX_SEED - 1)


def check_options(options: Any) -> Mapping[str, Any]:
    """Return the options of a reset, an empty dict for None.

    Raises:
        ValueError: If it is no dict.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options: {shown(options)} must be a dict or None")
    return options


def check_seat(seat: Any, rules: Rules, name: str = "seat") -> int:
    """Return a seat of the game."""
    return whole_number(seat, name, 0, rules.players - 1)


def check_side(side: Any, rules: Rules) -> int:
    """Return a side of the game."""
    return whole_number(side, "side", 0, rules.num_sides - 1)


def check_scores(scores: Any, rules: Rules, name: str = "scores") -> list[int]:
    """Return match scores, one for each side."""
    if not is_listed(scores) or len(scores) != rules.num_sides:
        raise ValueError(
            f"{name}: {shown(scores)} must be {rules.num_sides} whole numbers, one for each side"
        )
    return [
        whole_number(score, f"{name}[{side}]", -MAX_SCORE, MAX_SCORE) for side, score in enumerate(scores)
    ]


def check_start_scores(scores: Any, rules: Rules, is_match: bool) -> tuple[bool, list[int] | None]:
    """Read what the match scores are when a deal starts.

    Args:
        scores: "zero", "drawn" or one number a side.
        rules: The game.
        is_match: Whether deals follow each other in a match, which begins at 0.

    Returns:
        Whether they are drawn, and those of each side if they are given.

    Raises:
        ValueError: If `scores` is something else, or does not go with a match.
    """
    given = None
    if isinstance(scores, str):
        check_choice(scores, "scores", ("zero", "drawn"))
    else:
        given = check_scores(scores, rules)
    if is_match and (given is not None or scores != "zero"):
        raise ValueError(f'scores: {shown(scores)} does not go with episode="match", which begins at 0')
    return given is None and scores == "drawn", given


def check_kind(name: Any, where: str) -> int:
    """Return the kind of a card by its name.

    Raises:
        CardError: If it is not the name of a kind; says `where` it stands.
    """
    if not isinstance(name, str) or name not in KIND_OF:
        raise CardError(f"{where}: {shown(name)} is not a card; the kinds are {' '.join(KINDS)}")
    return KIND_OF[name]


def check_order(order: Any) -> NDArray[np.int8]:
    """Return the order of a whole deck, `(NUM_CARDS,) int8`, from its names.

    Raises:
        CardError: If it is not the 108 cards; names a kind that is short or too many.
    """
    if not is_listed(order):
        raise CardError(f"order: {shown(order)} must be a list of the {NUM_CARDS} cards' kinds")
    if len(order) > NUM_CARDS:
        raise CardError(f"order: {len(order)} cards; there are {NUM_CARDS}")
    kinds = np.array([check_kind(name, f"order[{place}]") for place, name in enumerate(order)], np.int8)
    counts = np.bincount(kinds, minlength=len(KINDS))
    for kind, copies in enumerate(COPIES):
        if counts[kind] != copies:
            raise CardError(
                f"order: {counts[kind]} cards {KINDS[kind]}; the {NUM_CARDS} cards hold {copies} of them"
            )
    return kinds


def is_listed(values: Any) -> bool:
    """Whether values come in an order: a list, a tuple or an array, and no text."""
    if isinstance(values, np.ndarray):
        return values.ndim > 0
    return isinstance(values, Sequence) and not isinstance(values, (str, bytes))
