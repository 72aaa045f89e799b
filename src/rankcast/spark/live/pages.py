"""Delivery states of many users as pages: a few hundred users to a page, each event once."""

from hashlib import blake2b
from typing import Any

import msgspec
import zstandard

__all__ = ["decode_page", "encode_page", "packed", "page_of", "pages_for", "unpacked"]

USERS = 300
"""How many users a page is meant to hold."""

_LEVEL = 1


def page_of(user: str, pages: int) -> int:
    """The page of a user: a hash of the name, independent of the one that finds the shard.

    >>> [page_of(user, 4) for user in ("addison", "carson", "meredith")]
    [1, 0, 3]
    """
    return int.from_bytes(blake2b(user.encode(), digest_size=8, person=b"page").digest()) % pages


def pages_for(users: int) -> int:
    """How many pages so many users need.

    >>> pages_for(0), pages_for(1_000), pages_for(100_000)
    (1, 4, 512)
    """
    pages = 1
    while pages * USERS < users:
        pages *= 2
    return pages


def encode_page(states: dict[str, dict[str, Any]]) -> bytes:
    """The states of a page's users; events that several of them hold are written once."""
    events: dict[int, Any] = {}
    users = {user: _folded(state, events) for user, state in states.items()}
    return packed([list(events.items()), users])


def decode_page(page: bytes) -> dict[str, dict[str, Any]]:
    """The states that `encode_page` was given."""
    events, users = unpacked(page)
    known = dict(events)
    return {user: _unfolded(state, known) for user, state in users.items()}


def packed(content: Any) -> bytes:
    """Plain data, compressed."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(content))


def unpacked(content: bytes) -> Any:
    """What `packed` was given."""
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(content), strict=False)


def _folded(state: Any, events: dict[int, Any]) -> Any:
    if isinstance(state, dict):
        event = state.get("event")
        if isinstance(event, dict) and "seq" in state:
            events.setdefault(state["seq"], event)
            return {name: value for name, value in state.items() if name != "event"} | {"event": None}
        return {name: _folded(value, events) for name, value in state.items()}
    if isinstance(state, list | tuple):
        return [_folded(value, events) if isinstance(value, dict | list | tuple) else value for value in state]
    return state


def _unfolded(state: Any, events: dict[int, Any]) -> Any:
    if isinstance(state, dict):
        if "event" in state and state["event"] is None and "seq" in state:
            return {**state, "event": events[state["seq"]]}
        return {name: _unfolded(value, events) for name, value in state.items()}
    if isinstance(state, list):
        return [_unfolded(value, events) if isinstance(value, dict | list) else value for value in state]
    return state
