"""The format of saved delivery state: a number goes with it wherever it is kept, so that a later release knows what it reads.

State is kept in a store for each shard, with the digest schedule of a user, and in the pages of a Spark checkpoint.
"""

from collections.abc import Mapping
from typing import Any

import msgspec

from rankcast.errors import StoreError

__all__ = ["FORMAT", "check_format", "pack_states", "unpack_states"]

FORMAT = 1
"""Raised with every change of what users' states hold. This release reads that and the one before: 0, which had no number."""


def pack_states(users: Mapping[str, Any]) -> bytes:
    """The delivery states of users, by name, as bytes."""
    return msgspec.msgpack.encode([FORMAT, users])


def unpack_states(packed: bytes) -> dict[str, Any]:
    """The states that `pack_states` of this release or the one before was given.

    >>> unpack_states(pack_states({"ann": {"mode": {}}}))
    {'ann': {'mode': {}}}
    >>> unpack_states(msgspec.msgpack.encode([7, {}]))
    Traceback (most recent call last):
    rankcast.errors.StoreError: delivery state has format 7, newer than this Rankcast's 1; use the Rankcast that wrote it, or a later one
    """
    try:
        content = msgspec.msgpack.decode(packed)
    except msgspec.DecodeError as error:
        raise StoreError(f"delivery state is damaged ({error}); restore the store from a backup") from error
    match content:
        case dict():  # format 0
            return content
        case [int(number), *rest]:
            check_format(number)
            if len(rest) == 1 and isinstance(rest[0], dict):
                return rest[0]
    raise StoreError("delivery state is damaged: it names no users; restore the store from a backup")


def check_format(number: int) -> None:
    """Refuse state of a later release."""
    if number > FORMAT:
        raise StoreError(
            f"delivery state has format {number}, newer than this Rankcast's {FORMAT}; "
            "use the Rankcast that wrote it, or a later one"
        )
