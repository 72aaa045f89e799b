"""Waiting for what another thread or process does."""

import time
from collections.abc import Callable


def until(holds: Callable[[], bool], seconds: float = 30.0) -> None:
    """Return as soon as it holds; fail after so many seconds."""
    end = time.monotonic() + seconds
    while not holds():
        assert time.monotonic() < end, f"waited for {seconds:g} s"
        time.sleep(0.01)
