"""The height at which functions of one number overlap: sup over x of the least of them.

The candidates are the values at the breakpoints of all functions and, on each interval between breakpoints, the
one-sided limits and the crossings. Nothing is sampled.
"""

import math
from collections.abc import Sequence
from itertools import combinations

from rankcast.fuzzy.curves import Curve
from rankcast.fuzzy.pieces import Flat, Piece, Stretch, hedged, highest_meeting


def overlap(*curves: Curve) -> float:
    """The highest degree that all functions reach or approach at one x: sup of their minimum.

    O(b n) for n functions with b breakpoints together, and O(n^2) where many of them slope at once. Functions that
    are constant between their breakpoints, as crisp sets are, count as one function.

    >>> from rankcast.fuzzy.curves import curve_of
    >>> from rankcast.model import Interval, LeftShoulder, RightShoulder
    >>> falling, rising = curve_of(LeftShoulder(0, 10)), curve_of(RightShoulder(0, 10))
    >>> overlap(falling, rising), overlap(falling, rising, curve_of(Interval(8, 20)))
    (0.5, 0.2)
    """
    if len(curves) > 2:
        steps = [curve for curve in curves if _is_step(curve)]
        curves = (*(curve for curve in curves if not _is_step(curve)), *([_least(steps)] if steps else ()))
    breaks = sorted({x for curve in curves for x in curve.breaks})
    best = max(min(curve.value(x) for curve in curves) for x in breaks)
    at = [0] * len(curves)
    left = -math.inf
    for right in (*breaks, math.inf):
        if best == 1.0:
            break
        best = max(best, _highest([_stretch(curve, i, left, right) for curve, i in zip(curves, at, strict=True)]))
        for place, curve in enumerate(curves):
            at[place] += at[place] < len(curve.breaks) and curve.breaks[at[place]] == right
        left = right
    return best


def _stretch(curve: Curve, piece: int, left: float, right: float) -> Stretch:
    return Stretch(curve.pieces[piece], curve.hedges, left, right)


def _highest(stretches: Sequence[Stretch]) -> float:
    """The highest degree that all reach at one point of their interval.

    Each is monotone, so the points at which it reaches a level are an interval. Intervals of which each two meet have
    a common point (Helly's theorem). So the lowest of what any two reach together is what all reach together.
    """
    if len(stretches) == 1:
        return max(stretches[0].start, stretches[0].end)
    return min(highest_meeting(one, other) for one, other in combinations(stretches, 2))


def _is_step(curve: Curve) -> bool:
    return all(isinstance(piece, Flat) for piece in curve.pieces)


def _least(steps: Sequence[Curve]) -> Curve:
    """The minimum of functions that are constant between their breakpoints. O(b log n)."""
    while len(steps) > 1:
        pairs = [steps[i : i + 2] for i in range(0, len(steps), 2)]
        steps = [_lesser(*pair) if len(pair) == 2 else pair[0] for pair in pairs]
    return steps[0]


def _lesser(f: Curve, g: Curve) -> Curve:
    breaks = sorted({*f.breaks, *g.breaks})
    heights = [min(f.value(x), g.value(x)) for x in breaks]
    pieces: list[Piece] = []
    i = j = 0
    for right in (*breaks, math.inf):
        pieces.append(Flat(min(_height(f, i), _height(g, j))))
        i += i < len(f.breaks) and f.breaks[i] == right
        j += j < len(g.breaks) and g.breaks[j] == right
    return Curve(tuple(breaks), tuple((height, 1.0 - height) for height in heights), tuple(pieces))


def _height(curve: Curve, piece: int) -> float:
    return hedged(curve.pieces[piece].grade((0.0, 0.0)), curve.hedges)[0]
