"""Whether a choice is worth the loading of the compiled loops, which takes most of a second in each process.

A process that makes few choices, such as one that explains an event, makes them by the plain definitions. It counts the
pairs of candidates that it compares. As soon as loading would have taken no longer, it loads the loops. So it takes at
most twice as long as with the better of the two ways.
"""

import sys

_LOOPS = "rankcast.choose.kernels.greedy"

_WORTH = 50_000
"""The plain definitions compare about this many pairs of candidates in the time that loading takes."""

_compared = 0


def is_worth_loading(pairs: int) -> bool:
    """Whether the compiled loops should make a choice that plainly compares at most this many pairs of candidates."""
    return _LOOPS in sys.modules or _compared + pairs > _WORTH


def note_compared(pairs: int) -> None:
    """Count pairs that were compared plainly."""
    global _compared
    _compared += pairs
