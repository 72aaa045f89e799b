"""How many boxes cover each of many boxes, and the longest chain of them: what `Poset` says, for 50,000 in seconds.

O(n log n) for one attribute, otherwise n^2 / 2 comparisons in numpy.
"""

from bisect import bisect_right
from collections.abc import Iterable
from typing import TYPE_CHECKING

import numpy as np

from rankcast.cover.boxes import ANYTHING, Box

if TYPE_CHECKING:
    from numpy.typing import NDArray


def _places(boxes: Iterable[Box]) -> "tuple[NDArray[np.float64], NDArray[np.int64], NDArray[np.int64]]":
    """The distinct boxes as rows, the row of each box, and the number of equal boxes.

    A row is (low, -high, low, -high, …); covering boxes come first. One row covers another if and only if none of its
    numbers is larger.
    """
    listed = list(boxes)
    names = sorted({name for box in listed for name in box})
    rows = np.empty((len(listed), 2 * len(names) or 2))
    rows[:] = -np.inf
    for number, name in enumerate(names):
        intervals = np.array([box.get(name, ANYTHING) for box in listed])
        rows[:, 2 * number] = intervals[:, 0]
        rows[:, 2 * number + 1] = -intervals[:, 1]
    # lexicographic order, in which a box comes after every box that covers it
    return np.unique(rows, axis=0, return_inverse=True, return_counts=True)


def ancestor_counts(boxes: list[Box]) -> "NDArray[np.int64]":
    """How many of the boxes cover each one and are not equal to it."""
    rows, which, sizes = _places(boxes)
    counts = np.zeros(len(rows), np.int64)
    if rows.shape[1] == 2:
        # Earlier boxes have a lower low. The box lies in those of them with a higher high, which a Fenwick tree
        # counts.
        ends = np.unique(rows[:, 1])
        tree = [0] * (len(ends) + 1)
        for number, (end, size) in enumerate(
            zip(np.searchsorted(ends, rows[:, 1]).tolist(), sizes.tolist(), strict=True)
        ):
            at = end + 1
            while at:
                counts[number] += tree[at]
                at &= at - 1
            at = end + 1
            while at < len(tree):
                tree[at] += size
                at += at & -at
    else:
        columns = np.ascontiguousarray(rows.T)
        for number, row in enumerate(rows):
            counts[number] = sizes[:number][_all_below(columns, number, row)].sum()
    return counts[which.ravel()]


def depths_of(boxes: list[Box]) -> "NDArray[np.int64]":
    """The length of the longest chain of covering boxes down to each one; 1 for a box that no other covers."""
    rows, which, _ = _places(boxes)
    depths = np.ones(len(rows), np.int64)
    if rows.shape[1] == 2:
        # The longest chain is a longest sequence of falling highs: `last[d]` is the best end of one of length d + 1.
        last: list[float] = []
        for number, end in enumerate(rows[:, 1].tolist()):
            depth = bisect_right(last, end)
            last[depth : depth + 1] = [end]
            depths[number] = depth + 1
    else:
        columns = np.ascontiguousarray(rows.T)
        for number, row in enumerate(rows):
            above = depths[:number][_all_below(columns, number, row)]
            depths[number] = 1 + (above.max() if len(above) else 0)
    return depths[which.ravel()]


def _all_below(columns: "NDArray[np.float64]", count: int, row: "NDArray[np.float64]") -> "NDArray[np.bool_]":
    mask = np.ones(count, np.bool_)
    for column, value in zip(columns, row, strict=True):
        mask &= column[:count] <= value
    return mask
