"""The delivery states of many users as pages of a few hundred users each."""

from hashlib import blake2b
from typing import Any

import msgspec
import zstandard

__all__ = ["USERS", "packed", "page_of", "pages_for", "unpacked"]

USERS = 300
"""Intended number of users per page."""

_LEVEL = 1


def page_of(user: str, pages: int) -> int:
    """The page of a user: a hash of the name, independent of the hash that selects the shard.

    >>> [page_of(user, 4) for user in ("addison", "carson", "meredith")]
    [1, 0, 3]
    """
    return int.from_bytes(blake2b(user.encode(), digest_size=8, person=b"page").digest()) % pages


def pages_for(users: int) -> int:
    """The number of pages for a number of users.

    >>> pages_for(0), pages_for(1_000), pages_for(100_000)
    (1, 4, 512)
    """
    pages = 1
    while pages * USERS < users:
        pages *= 2
    return pages


def packed(content: object) -> bytes:
    """Plain data, compressed."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(content))


def unpacked(content: bytes) -> Any:
    """The data that `packed` was given."""
    return msgspec.msgpack.decode(zstandard.ZstdDecompressor().decompress(content), strict=False)
