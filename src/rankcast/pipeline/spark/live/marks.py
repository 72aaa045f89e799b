"""Marks: the ranges of a store's log that a micro-batch takes.

This module does not load Arrow, because Spark's Python processes for one question import it.
"""

from typing import NamedTuple

import msgspec


class Mark(NamedTuple):
    """A range of the store's log or versions for a pipeline, and whether the stream ends with it.

    If nothing was published, `clock` is the time that the clock has reached, in microseconds.
    """

    pipeline: str
    start: int
    end: int
    close: bool = False
    clock: int | None = None


def encode_mark(mark: Mark) -> bytes:
    """Encode a mark as a blob."""
    return msgspec.msgpack.encode(mark)


def decode_mark(blob: bytes) -> Mark:
    """Decode the mark in a blob."""
    return msgspec.msgpack.decode(blob, type=Mark)
