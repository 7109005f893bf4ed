"""Who plays at a table that several people share: the secret of each one's link, chosen names, who is here.

Secrets are kept with the table, so that links outlive the server; names are kept nowhere.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterable, Sequence
from typing import Any

from canasta_agents.play.messages import PlayError, quoted

FRIEND = "friend"
MAX_NAME = 24  # characters
_SECRET_BYTES = 16  # of randomness: who knows a secret plays its seat
_NO_SEAT = (
    "table: this link plays no seat: it is not whole, or its seat was given to another player; "
    "ask who opened the table for a new one"
)


class Friends:
    """The people at a shared table: the one who opened it, and the friends who are invited.

    Args:
        opener: The seat of the one who opened the table.
        invited: The seats of the friends.

    Attributes:
        opener: As given.
        here: Seats of people who look at the table now.
    """

    def __init__(self, opener: int, invited: Iterable[int]) -> None:
        self.opener = opener
        self.here: frozenset[int] = frozenset()
        self._secrets: dict[int, str | None] = {seat: _new_secret() for seat in (opener, *invited)}
        self._names: dict[int, str] = {}

    @classmethod
    def restored(cls, opener: int, kept: Sequence[Sequence[Any]]) -> Friends:
        """The people of whom `kept` was kept.

        Raises:
            Exception: Of many kinds, if it is not what `kept` returns.
        """
        friends = cls(opener, ())
        friends._secrets = {int(seat): None if secret is None else str(secret) for seat, secret in kept}
        if "" in friends._secrets.values():
            raise PlayError("friends: a seat has an empty secret")
        return friends

    def check_seats(self, people: Iterable[int], players: int) -> None:
        """Raise PlayError if not just these seats of a game have links."""
        linked = {seat for seat, secret in self._secrets.items() if secret is not None}
        if linked != set(people) or not set(self._secrets) <= set(range(players)):
            raise PlayError(f"friends: there are links for {sorted(linked)}, and people in {sorted(people)}")

    def kept(self) -> list[list[Any]]:
        """Seats and secrets in plain values, for `restored`."""
        return [[seat, secret] for seat, secret in self._secrets.items()]

    def secret_of(self, seat: int) -> str | None:
        """The secret of a seat's link; None if it has been given to an agent."""
        return self._secrets[seat]

    def seat_of(self, secret: str) -> int:
        """The seat that a link plays.

        Raises:
            PlayError: If it plays none, or none any more.
        """
        told = secret.encode(errors="surrogatepass")  # JSON may hold half a character
        for seat, own in self._secrets.items():
            if own is not None and secrets.compare_digest(own.encode(), told):
                return seat
        raise PlayError(_NO_SEAT)

    def check_invited(self, seat: int) -> None:
        """Raise PlayError if a seat was never a friend's."""
        if seat not in self._secrets or seat == self.opener:
            raise PlayError(f"seat: {seat} is no seat of a friend")

    def invite(self, seat: int) -> None:
        """Make a new link for a friend's seat; the one before plays no more."""
        self.give_away(seat)
        self._secrets[seat] = _new_secret()

    def give_away(self, seat: int) -> None:
        """Let a friend's link play no more."""
        self._secrets[seat] = None
        self._names.pop(seat, None)

    def call(self, seat: int, name: object) -> None:
        """Call the person of a seat by a chosen name; an empty one takes it back.

        Raises:
            PlayError: If it is none that can be shown on a line.
        """
        words = " ".join(name.split()) if isinstance(name, str) else ""
        if not isinstance(name, str) or len(name) > MAX_NAME or not words.isprintable():
            raise PlayError(f"name: {quoted(name)} must be a text of at most {MAX_NAME} letters and signs")
        self._names[seat] = words

    def title(self, seat: int) -> str:
        """How the others are shown the person of a seat."""
        return self._names.get(seat) or ("the host" if seat == self.opener else "a friend")

    def message(self, viewer: int) -> list[dict[str, Any]]:
        """The people as one of them is told: `seat`, chosen `name`, and whether they are `here`.

        Only who opened the table is told the secret of each `link`; it is None where an agent plays.
        """
        shown = [seat for seat in sorted(self._secrets) if viewer == self.opener or self._secrets[seat]]
        return [
            {
                "seat": seat,
                "name": self._names.get(seat, ""),
                "here": seat in self.here,
                **({"link": self._secrets[seat]} if viewer == self.opener and seat != viewer else {}),
            }
            for seat in shown
        ]


def _new_secret() -> str:
    return secrets.token_urlsafe(_SECRET_BYTES)
