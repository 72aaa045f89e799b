"""Sampling events by their scores."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import ARRIVED, PASSED, SEEN, SUM, T, count
from rankcast.plain import Array


@kernel
def sample_by_score(
    given: Array,
    draws: Array,
    eager: bool,
    rate: float,
    k: int,
    period: int,
    whole: Array,
    ring: Array,
    steps: Array,
    mean: Array,
    out: Array,
) -> None:
    """Which events are drawn by their score relative to the mean, which is NaN at first.

    `steps` is a ring of recent scores in steps of 1e-12.
    """
    for event in range(len(given)):
        score = max(0.0, given[event])
        chance = 1.0
        if not np.isnan(mean[0]):
            chance = min(1.0, rate * score / mean[0]) if mean[0] > 0 else rate
        passed = draws[event] < chance and whole[PASSED] < k
        out[event] = passed
        count(passed, whole, ring, k, period, eager)
        slot = whole[ARRIVED] % period
        if eager and whole[SEEN] == period:
            whole[SUM] -= steps[slot]
            whole[SEEN] -= 1
        steps[slot] = int(np.rint(score * 1e12))
        whole[SUM] += steps[slot]
        whole[SEEN] += 1
        whole[ARRIVED] += 1
        if eager or whole[T] % period == 0:
            mean[0] = float(whole[SUM]) / (1e12 * whole[SEEN])
        if not eager and whole[T] % period == 0:
            whole[SEEN] = 0
            whole[SUM] = 0
