"""Where a webhook may be sent: checks of its URL, and of the addresses of its host."""

import asyncio
import socket
from collections.abc import Awaitable, Callable
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import NamedTuple, TypeAlias
from urllib.parse import urlsplit

from rankcast.errors import ModelError

Address: TypeAlias = IPv4Address | IPv6Address
Resolve: TypeAlias = Callable[[str, int], Awaitable[list[str]]]
"""Resolves a host and port to addresses."""

_LONGEST = 2000
_MOST_ADDRESSES = 3
# The well-known NAT64 prefix (RFC 6052): a gateway translates to the IPv4 address in the last 32 bits.
_NAT64 = IPv6Network("64:ff9b::/96")
# Python releases classify these differently. Local-use NAT64 (RFC 8215) leads to an unknown network, and the position
# of the IPv4 address depends on an unknown prefix. IPv4-compatible (RFC 4291) and site-local addresses are
# deprecated.
_REFUSED = (IPv6Network("64:ff9b:1::/48"), IPv6Network("::/96"), IPv6Network("fec0::/10"))
# ISATAP (RFC 5214): the 32 bits before the IPv4 address at the end, under any prefix.
_ISATAP = (0x0000_5EFE, 0x0200_5EFE)


class Target(NamedTuple):
    """The parts of a URL, for a request to one of the host's addresses. `authority` is the Host header."""

    scheme: str
    host: str
    port: int
    authority: str
    path: str

    def at(self, address: str) -> str:
        """The URL with this address in place of the host name."""
        literal = f"[{address}]" if ":" in address else address
        return f"{self.scheme}://{literal}:{self.port}{self.path}"


def check_url(url: str, allow_private: bool = False) -> None:
    """Raise ModelError if a webhook must not have this URL.

    The host is not resolved here. Its addresses may change, so they are checked at every request. `allow_private`
    also allows plain http, as used within a private network.
    """
    target = target_of(url)
    if target.scheme == "http" and not allow_private:
        raise ModelError(
            "the URL of a webhook begins with https://, so that nobody on the way can read what is sent; "
            "a service started with --private-webhooks takes http:// too"
        )
    literal = _literal(target.host)
    if literal is not None and not allow_private and not is_public(literal):
        raise ModelError(
            f"{target.host!r} is not an address of the public Internet; "
            "only a service started with --private-webhooks sends webhooks there"
        )


def target_of(url: str) -> Target:
    """Split a URL into its parts. ModelError says what is wrong with it."""
    if len(url) > _LONGEST:
        raise ModelError(f"the URL has {len(url)} characters; at most {_LONGEST} are allowed")
    if not url.isascii() or not url.isprintable() or " " in url or "\\" in url:
        raise ModelError("the URL has a character that a URL cannot have; write it as %XX, and names of hosts as xn--")
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise ModelError(f"the URL makes no sense: {error}") from None
    if parts.scheme not in ("http", "https") or not parts.hostname:
        raise ModelError(f"{url!r} is not a URL such as https://example.org/hook")
    if parts.username is not None or parts.password is not None:
        raise ModelError("the URL holds a user name or password, which would be kept and shown; take it out")
    if parts.fragment:
        raise ModelError("the URL has a fragment (#…), which is never sent; take it out")
    if port == 0 or len(parts.hostname) > 253 or "%" in parts.hostname:
        raise ModelError(f"{url!r} names no host and port that can be reached")
    path = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
    return Target(parts.scheme, parts.hostname, port or {"http": 80, "https": 443}[parts.scheme], parts.netloc, path)


async def resolve(host: str, port: int) -> list[str]:
    """The addresses of a host as this machine resolves them, in its order of preference."""
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))[:_MOST_ADDRESSES]


def is_public(address: str) -> bool:
    """Whether an address, and any IPv4 address embedded in it, belongs to the public Internet.

    >>> [is_public(address) for address in ("93.184.216.34", "10.0.0.1", "::ffff:127.0.0.1", "169.254.169.254")]
    [True, False, False, False]
    """
    return all(_is_public(one) for one in _readings(ip_address(address)))


def _is_public(address: Address) -> bool:
    return (
        address.is_global
        and not (address.is_multicast or address.is_reserved or address.is_unspecified)
        and not (isinstance(address, IPv6Address) and any(address in network for network in _REFUSED))
    )


def _readings(address: Address) -> list[Address]:
    """The addresses that an address stands for: itself and embedded IPv4 ones, or only a wrapped IPv4 one."""
    if isinstance(address, IPv4Address):
        return [address]
    last = IPv4Address(int(address) & 0xFFFF_FFFF)
    if address.ipv4_mapped is not None or address in _NAT64:
        return [last]
    embedded = [address.sixtofour] if address.sixtofour is not None else list(address.teredo or ())
    if int(address) >> 32 & 0xFFFF_FFFF in _ISATAP:
        embedded.append(last)
    return [address, *embedded]


def _literal(host: str) -> str | None:
    """The IP address if the host is written as one, including short and hexadecimal forms of IPv4; otherwise None."""
    try:
        return str(ip_address(host))
    except ValueError:
        pass
    try:
        return socket.inet_ntoa(socket.inet_aton(host))
    except OSError:
        return None
