"""How often a literal is expected to hold, which decides under which literal an entry is filed."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_RANGE_FACTOR = 1.5
"""A block is wider than the interval that it was created for."""


@dataclass(frozen=True)
class Sample:
    """The codes of past events: the attribute and code of each value, and the number of events."""

    attribute: NDArray[np.int32]
    code: NDArray[np.int32]
    events: int


def costs(
    attribute: NDArray[np.int32],
    start: NDArray[np.int64],
    low: NDArray[np.int32],
    high: NDArray[np.int32],
    used: NDArray[np.int32],
    sizes: NDArray[np.int64],
    sample: Sample | None,
) -> NDArray[np.float64]:
    """The expected number of times that an event leads to each literal's blocks.

    Parameters
    ----------
    attribute, start, low, high
        The literals: attribute, and intervals of codes.
    used
        The literals of all entries, with repetitions. Without a sample, the points among them stand for the values of
        events, and their attributes for those that events have.
    sizes
        The number of codes of each attribute.
    """
    offset = np.concatenate([np.zeros(1, np.int64), np.cumsum(sizes)])
    is_point = (np.diff(start) == 1) & _points(start, low, high)
    mass = np.zeros(int(offset[-1]))
    if sample is None:
        times = np.bincount(used, minlength=len(attribute)).astype(float)
        chosen = np.flatnonzero(is_point)
        np.add.at(mass, offset[attribute[chosen]] + low[start[chosen]], times[chosen])
        per_attribute = np.add.reduceat(mass, offset[:-1]) if len(sizes) else np.zeros(0)
        asked = np.bincount(attribute[used], minlength=len(sizes))
        presence = (asked + 1) / (asked.max(initial=0) + 1)
    else:
        np.add.at(mass, offset[sample.attribute] + sample.code, 1.0)
        per_attribute = np.add.reduceat(mass, offset[:-1]) if len(sizes) else np.zeros(0)
        presence = (per_attribute + 1) / (sample.events + 1)
    # A value that was never seen may still occur.
    mass += np.repeat((1.0 + 0.05 * per_attribute) / sizes, sizes)
    total = np.concatenate([np.zeros(1), np.cumsum(mass)])
    whole = total[offset[1:]] - total[offset[:-1]]
    of = np.repeat(attribute, np.diff(start))
    share = (total[offset[of] + high + 1] - total[offset[of] + low]) / whole[of] * presence[of]
    share *= np.where(low == high, 1.0, _RANGE_FACTOR)
    sums = np.concatenate([np.zeros(1), np.cumsum(share)])
    found: NDArray[np.float64] = sums[start[1:]] - sums[start[:-1]]
    return found


def _points(start: NDArray[np.int64], low: NDArray[np.int32], high: NDArray[np.int32]) -> NDArray[np.bool_]:
    if not len(low):
        return np.zeros(len(start) - 1, np.bool_)
    begin = np.minimum(start[:-1], len(low) - 1)
    equal: NDArray[np.bool_] = low[begin] == high[begin]
    return equal
