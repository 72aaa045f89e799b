"""The format of saved delivery state: a number goes with it wherever it is kept, so that a later release knows what it reads.

State is kept in a store for each shard, with the digest schedule of a user, and in the pages of a Spark checkpoint.
"""

from collections.abc import Mapping

import msgspec

from rankcast.errors import StoreError
from rankcast.plain import State

__all__ = ["FORMAT", "check_format", "pack_states", "unpack_states"]

FORMAT = 1
"""Raised with every change of what users' states hold. This release reads that and the one before: 0, which had no number."""

_LARGE = 64 * 1024
_ZSTD = b"\x28\xb5\x2f\xfd"
"""How compressed content begins; MessagePack begins otherwise, because the first byte would be the number 40."""


def pack_states(users: Mapping[str, object]) -> bytes:
    """The delivery states of users, by name, as bytes; compressed if they are many.

    They are written with every batch, and those of a user whom each event matches by a thousand subscriptions name these a
    thousand times.
    """
    content = msgspec.msgpack.encode([FORMAT, users])
    if len(content) < _LARGE:
        return content
    from zstandard import ZstdCompressor

    return ZstdCompressor(level=1).compress(content)


def unpack_states(packed: bytes) -> State:
    """The states that `pack_states` of this release or the one before was given.

    >>> unpack_states(pack_states({"ann": {"mode": {}}}))
    {'ann': {'mode': {}}}
    >>> unpack_states(msgspec.msgpack.encode([7, {}]))
    Traceback (most recent call last):
    rankcast.errors.StoreError: delivery state has format 7, newer than this Rankcast's 1; use the Rankcast that wrote it, or a later one
    """
    try:
        content = msgspec.msgpack.decode(_inflated(packed))
    except (msgspec.DecodeError, ValueError) as error:
        raise StoreError(f"delivery state is damaged ({error}); restore the store from a backup") from error
    match content:
        case dict():  # format 0
            return content
        case [int(number), *rest]:
            check_format(number)
            if len(rest) == 1 and isinstance(rest[0], dict):
                return rest[0]
    raise StoreError("delivery state is damaged: it names no users; restore the store from a backup")


def _inflated(packed: bytes) -> bytes:
    """What was packed, before it was compressed; ValueError if it is damaged."""
    if not packed.startswith(_ZSTD):
        return packed
    from zstandard import ZstdDecompressor, ZstdError

    try:
        return ZstdDecompressor().decompress(packed)
    except ZstdError as error:
        raise ValueError(str(error)) from error


def check_format(number: int) -> None:
    """Refuse state of a later release."""
    if number > FORMAT:
        raise StoreError(
            f"delivery state has format {number}, newer than this Rankcast's {FORMAT}; "
            "use the Rankcast that wrote it, or a later one"
        )
