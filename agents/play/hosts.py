"""The names by which the server may be called: what it checks the headers Host and Origin against.

A page of another site must not reach the server, not even by a name of its own that is made to point here
(DNS rebinding). So a request is followed only if its Host is on the list, and its Origin, if any, is the
same.
"""

from __future__ import annotations

import ipaddress
import re
import socket
from collections.abc import Iterable
from dataclasses import dataclass

_AUTHORITY = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::([0-9]{1,5}))?")
_LOOPBACK_NAMES = ("localhost", "127.0.0.1", "::1")
_DEFAULT_PORTS = {"http": 80, "https": 443}
_MAX_LENGTH = 300  # a name has at most 253 characters


@dataclass(frozen=True)
class Authority:
    """A name and a port, as in a header."""

    name: str  #: in the form of `canonical_name`
    port: int | None

    @classmethod
    def parse(cls, text: str) -> Authority:
        """Read "name", "name:port" or "[address]:port".

        Raises:
            ValueError: If it is none of them.
        """
        parts = _AUTHORITY.fullmatch(text) if len(text) <= _MAX_LENGTH else None
        if parts is None:
            raise ValueError("not a name with or without a port")
        name, port = parts.groups()
        if name.startswith("["):
            ipaddress.IPv6Address(name[1:-1])
        return cls(canonical_name(name), None if port is None else int(port))


def canonical_name(name: str) -> str:
    """A name in lower case; an address in its one short form, without brackets and zone."""
    bare = name.strip("[]").rstrip(".").lower()
    try:
        address = ipaddress.ip_address(bare.partition("%")[0])
    except ValueError:
        return bare
    mapped = address.ipv4_mapped if isinstance(address, ipaddress.IPv6Address) else None
    return str(mapped or address)


def accepted_names(host: str, allowed: Iterable[str] = ()) -> frozenset[str]:
    """The names of a server.

    Args:
        host: The address or name that it listens on.
        allowed: Further names.

    Returns:
        These, the addresses that `host` stands for, this machine's own name, and the loopback names if the
        server can be reached by them; in the form of `canonical_name`.
    """
    addresses = _addresses(host)
    is_near = any(is_loopback(address) or is_any_address(address) for address in addresses)
    loopback = _LOOPBACK_NAMES if is_near else ()
    return frozenset(map(canonical_name, (host, *addresses, socket.gethostname(), *loopback, *allowed)))


def name_for_friends(host: str) -> str | None:
    """By which name other machines on the network reach a server that listens on `host`.

    Returns:
        An address of this machine where it listens on all of them, or its name if none can be found out; None
        if only this machine can reach it.
    """
    if all(is_loopback(address) for address in _addresses(host)):
        return None
    if not is_any_address(host):
        return host.strip("[]")
    return _network_address(":" in host) or socket.gethostname()


def same_site(origin: str, host: Authority) -> bool:
    """Whether the Origin of a request is the server that its Host names.

    Raises:
        ValueError: If it is malformed.
    """
    scheme, separator, rest = origin.partition("://")
    if not separator or scheme not in _DEFAULT_PORTS:
        return False  # such as "null", or an extension of the browser
    own, default = Authority.parse(rest), _DEFAULT_PORTS[scheme]
    return own.name == host.name and (own.port or default) == (host.port or default)


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    name = canonical_name(host)
    return name == "localhost" or _is(name, "is_loopback")


def is_any_address(host: str) -> bool:
    """Whether an address stands for all of this machine's."""
    return _is(canonical_name(host), "is_unspecified")


def _is(name: str, property_name: str) -> bool:
    try:
        return bool(getattr(ipaddress.ip_address(name), property_name))
    except ValueError:
        return False


def _addresses(host: str) -> list[str]:
    try:
        return [str(found[4][0]) for found in socket.getaddrinfo(host.strip("[]"), None)]
    except OSError:  # it cannot be listened on either, which is reported then
        return [host]


def _network_address(is_v6: bool) -> str | None:
    """The address from which this machine would call others; nothing is sent to find it out."""
    family, elsewhere = (socket.AF_INET6, "2001:db8::1") if is_v6 else (socket.AF_INET, "192.0.2.1")
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((elsewhere, 9))
            return canonical_name(probe.getsockname()[0])
    except OSError:  # there is no network
        return None
