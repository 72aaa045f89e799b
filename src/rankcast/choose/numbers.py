"""Numbers in compiled loops: rounded and summed as Python rounds and sums, to the last bit.

This imports numba; import it where a kernel is about to run, not before.
"""

from collections.abc import Callable
from contextlib import suppress
from functools import cache
from hashlib import blake2b
from pathlib import Path
from typing import Any, TypeVar, cast

import numba
import numpy as np
from numba.core.dispatcher import Dispatcher

__all__ = ["exact_sum", "grid_steps", "kernel"]

Function = TypeVar("Function", bound=Callable[..., Any])

_STEPS = 1e12
"""How many steps of the grid there are to 1; exact as a float."""

_SPLIT = 134217729.0
"""2**27 + 1: splits a float into halves whose products are exact (Dekker)."""


def kernel(function: Function) -> Function:
    """The function, compiled when it is first called; later processes load what the first one compiled.

    Arithmetic is that of IEEE 754, nothing reordered or fused, so that a kernel gives the floats that Python gives. What
    was compiled is kept until the function's file changes, or one of those whose kernels its module imports.
    """
    try:
        compiled: Any = numba.njit(cache=True, error_model="numpy")(function)
    except RuntimeError:  # no folder to keep it in
        return cast(Function, numba.njit(error_model="numpy")(function))
    # numba compares the stamp with that of what it kept, and by itself looks at the function's own file alone.
    with suppress(OSError):  # no file of its own, as in an archive: then numba's stamp has to do
        compiled._cache._cache_file._source_stamp = _stamp(function)
    return cast(Function, compiled)


def _stamp(function: Callable[..., Any]) -> str:
    """A digest of the sources that a kernel is made of."""
    digest = blake2b(digest_size=16)
    for file in sorted(_sources(function)):
        digest.update(_content(file))
    return digest.hexdigest()


def _sources(function: Callable[..., Any]) -> set[str]:
    """The function's file, and the files of the kernels that its module imports, and so on."""
    files = {function.__code__.co_filename}
    for value in list(function.__globals__.values()):
        if isinstance(value, Dispatcher) and value.py_func.__globals__ is not function.__globals__:
            files |= _sources(value.py_func)
    return files


@cache
def _content(file: str) -> bytes:
    return Path(file).read_bytes()


@kernel
def grid_steps(value: float) -> int:
    """The value in steps of the grid, rounded as ``round(value, 12)`` rounds: exactly, halves to even."""
    steps = value * _STEPS
    whole = np.floor(steps)
    above_half = (steps - whole) - 0.5
    if above_half > 1e-3:
        return int(whole) + 1
    if above_half < -1e-3:
        return int(whole)
    # So near to a half the rounding of the product decides; `error` is what it lost.
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
def exact_sum(values: Any, count: int, parts: Any) -> float:
    """The sum of the first `count` values, rounded once, as `math.fsum`; `parts` is room for as many floats."""
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
