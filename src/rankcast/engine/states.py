"""The format of saved delivery state. Its version number is stored with it, so that later releases can read it.

State is stored in the pages of a store or of a Spark checkpoint (`rankcast.engine.pages`), and with each user's
digest schedule.
"""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager

import msgspec

from rankcast.errors import StoreError
from rankcast.plain import State

FORMAT = 1
"""Increased with every change of the users' states. This release also reads the previous format, 0, which had no
number."""

_LARGE = 64 * 1024
_LARGEST = 2**32
"""State of more bytes is none: one shard of an early release had at most some gigabytes, a page has some megabytes."""
_LONGEST = 200
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
    with refusing_damage():
        return users_of(msgspec.msgpack.decode(inflated(packed)))


@contextmanager
def refusing_damage(advice: str = "restore the store from a backup") -> Iterator[None]:
    """Say what to do if bytes that were saved do not have the form in which they were saved."""
    try:
        yield
    except (ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError, TypeError, ValueError) as error:
        why = " ".join(str(error).split())[:_LONGEST] or type(error).__name__
        raise StoreError(f"delivery state is damaged ({why}); {advice}") from error


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


def inflated(content: bytes) -> bytes:
    """The content before compression; raises ValueError if it is damaged, or claims to be enormous."""
    if not content.startswith(ZSTD):
        return content
    from zstandard import ZstdDecompressor, ZstdError, frame_content_size

    try:
        size = frame_content_size(content)
        if size > _LARGEST:
            raise ValueError(f"it claims to have {size:,} bytes")
        return ZstdDecompressor().decompress(content)
    except ZstdError as error:
        raise ValueError(str(error)) from error


def check_format(number: int) -> None:
    """Refuse state from a later release."""
    if number > FORMAT:
        raise StoreError(
            f"delivery state has format {number}, newer than this Rankcast's {FORMAT}; "
            "use the Rankcast that wrote it, or a later one"
        )
