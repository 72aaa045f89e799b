"""Spark for a command, without the JVM's output on stderr."""

import os
import sys
import tempfile
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

_STDERR = 2


@contextmanager
def silenced() -> Iterator[None]:
    """Discard what a JVM started inside this context writes to stderr, now and later. Python's own output is kept.

    A child process inherits file descriptor 2, not `sys.stderr`, so the two are separated for a while. With
    RANKCAST_DEBUG nothing is discarded.
    """
    if os.environ.get("RANKCAST_DEBUG"):
        yield
        return
    saved = os.dup(_STDERR)
    usual = sys.stderr
    if _number(usual) == _STDERR:
        sys.stderr = open(  # noqa: SIM115  it is closed with `saved`
            saved, "w", buffering=1, encoding=usual.encoding, errors=usual.errors, closefd=False
        )
    try:
        with tempfile.TemporaryFile() as noise, warnings.catch_warnings():
            warnings.simplefilter("ignore")
            os.dup2(noise.fileno(), _STDERR)
            yield
    finally:
        sys.stderr = usual
        os.dup2(saved, _STDERR)
        os.close(saved)


def _number(stream: TextIO) -> int | None:
    """The file descriptor behind a stream, if there is one."""
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
