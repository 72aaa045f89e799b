"""Rounding and summing in compiled loops, equal to Python's to the last bit.

This module imports numba, so import it only where a kernel is about to run.
"""

from typing import Any

import numpy as np

from rankcast.compiling import kernel

_STEPS = 1e12
"""Grid steps per 1; exact as a float."""

_SPLIT = 134217729.0
"""2**27 + 1: splits a float into halves whose products are exact (Dekker)."""


@kernel
def grid_steps(value: float) -> int:
    """The value in grid steps, rounded exactly and half to even, like ``round(value, 12)``."""
    steps = value * _STEPS
    whole = np.floor(steps)
    above_half = (steps - whole) - 0.5
    if above_half > 1e-3:
        return int(whole) + 1
    if above_half < -1e-3:
        return int(whole)
    # This close to a half, the rounding of the product decides; `error` is the product's rounding error.
    high = value * _SPLIT
    high = high - (high - value)
    low = value - high
    other_high = _STEPS * _SPLIT
    other_high = other_high - (other_high - _STEPS)
    other_low = _STEPS - other_high
    error = low * other_low - (((steps - high * other_high) - low * other_high) - high * other_low)
    if above_half > -error or (above_half == -error and int(whole) % 2 != 0):
        return int(whole) + 1
    return int(whole)


@kernel
def expand(values: Any, count: int, parts: Any) -> int:
    """Write non-overlapping floats with the exact sum of the first `count` values to `parts`; return their number."""
    used = 0
    for place in range(count):
        x = values[place]
        kept = 0
        for number in range(used):
            y = parts[number]
            if abs(x) < abs(y):
                x, y = y, x
            high = x + y
            low = y - (high - x)
            if low != 0.0:
                parts[kept] = low
                kept += 1
            x = high
        parts[kept] = x
        used = kept + 1
    return used


@kernel
def exact_sum(values: Any, count: int, parts: Any) -> float:
    """The sum of the first `count` values, rounded once like `math.fsum`; `parts` has room for `count` floats."""
    total = 0.0
    lossless = True
    for place in range(count):
        value = values[place]
        after = total + value
        back = after - total
        if (total - (after - back)) + (value - back) != 0.0:
            lossless = False
            break
        total = after
    if lossless:
        return total
    used = expand(values, count, parts)
    used -= 1
    high, low = parts[used], 0.0
    while used > 0:
        x = high
        used -= 1
        y = parts[used]
        high = x + y
        low = y - (high - x)
        if low != 0.0:
            break
    if used > 0 and ((low < 0.0 and parts[used - 1] < 0.0) or (low > 0.0 and parts[used - 1] > 0.0)):
        y = low * 2.0
        x = high + y
        if y == x - high:
            high = x
    return float(high)
