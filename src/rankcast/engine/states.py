"""The format of saved delivery state. Its version number is stored with it, so that later releases can read it.

State is stored in the pages of a store or of a Spark checkpoint (`rankcast.engine.pages`), and with each user's
digest schedule.
"""

from collections.abc import Mapping

import msgspec

from rankcast.errors import StoreError
from rankcast.plain import State

FORMAT = 1
"""Increased with every change of the users' states. This release also reads the previous format, 0, which had no
number."""

_LARGE = 64 * 1024
ZSTD = b"\x28\xb5\x2f\xfd"
"""The first bytes of compressed content. Uncompressed state never begins like this: in MessagePack, the
first byte would be the number 40."""


def pack_states(users: Mapping[str, object]) -> bytes:
    """The delivery states of users, by name, as bytes; compressed if they are large.

    If each event matches a thousand subscriptions of a user, the state names them a thousand times.
    """
    content = msgspec.msgpack.encode([FORMAT, users])
    if len(content) < _LARGE:
        return content
    from zstandard import ZstdCompressor

    return ZstdCompressor(level=1).compress(content)


def unpack_states(packed: bytes) -> State:
    """The states that `pack_states` of this release or the previous one was given.

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
    return users_of(content)


def users_of(content: object) -> State:
    """The users in unpacked state, by name."""
    match content:
        case dict():  # format 0
            return content
        case [int(number), *rest]:
            check_format(number)
            if len(rest) == 1 and isinstance(rest[0], dict):
                return rest[0]
    raise StoreError("delivery state is damaged: it names no users; restore the store from a backup")


def _inflated(packed: bytes) -> bytes:
    """The content before compression; raises ValueError if it is damaged."""
    if not packed.startswith(ZSTD):
        return packed
    from zstandard import ZstdDecompressor, ZstdError

    try:
        return ZstdDecompressor().decompress(packed)
    except ZstdError as error:
        raise ValueError(str(error)) from error


def check_format(number: int) -> None:
    """Refuse state from a later release."""
    if number > FORMAT:
        raise StoreError(
            f"delivery state has format {number}, newer than this Rankcast's {FORMAT}; "
            "use the Rankcast that wrote it, or a later one"
        )
