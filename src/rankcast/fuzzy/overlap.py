"""The height at which two functions of a number overlap: sup over x of min(f(x), g(x)).

The candidates are the values at the breakpoints of both functions and, on each interval between breakpoints, the
one-sided limits and the crossing. Nothing is sampled.
"""

import math

from rankcast.fuzzy.curves import Curve
from rankcast.fuzzy.stretches import Stretch, highest_meeting

__all__ = ["overlap"]


def overlap(f: Curve, g: Curve) -> float:
    """The highest degree that both functions reach or approach at one x: sup of min(f, g). O(n log n) in all pieces.

    >>> from rankcast.fuzzy.curves import curve_of
    >>> from rankcast.model import LeftShoulder, RightShoulder
    >>> overlap(curve_of(LeftShoulder(0, 10)), curve_of(RightShoulder(0, 10)))
    0.5
    """
    breaks = sorted({*f.breaks, *g.breaks})
    best = max(min(f.value(x), g.value(x)) for x in breaks)
    i = j = 0
    left = -math.inf
    for right in (*breaks, math.inf):
        if best == 1.0:
            break
        meeting = highest_meeting(
            Stretch(f.pieces[i], f.hedges, left, right), Stretch(g.pieces[j], g.hedges, left, right)
        )
        best = max(best, meeting)
        i += i < len(f.breaks) and f.breaks[i] == right
        j += j < len(g.breaks) and g.breaks[j] == right
        left = right
    return best
