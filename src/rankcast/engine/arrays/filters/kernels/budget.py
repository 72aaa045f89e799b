"""How many of the last events passed, and where a state keeps its whole numbers."""

from rankcast.compiling import kernel
from rankcast.plain import Array

__all__ = ["ABOVE", "ACTIVE", "ARRIVED", "BELOW", "HEAD", "PASSED", "SEEN", "START", "SUM", "T", "count"]

# What the whole numbers of a state are; the same in all kernels as far as they have them.
T, HEAD, PASSED, SEEN, ABOVE, BELOW, ARRIVED, ACTIVE, START, SUM = range(10)


@kernel
def count(passed: bool, whole: Array, ring: Array, k: int, period: int, eager: bool) -> None:
    """One more event in the budget; `ring` holds the positions of those that passed of late."""
    whole[T] += 1
    if passed:
        ring[(whole[HEAD] + whole[PASSED]) % k] = whole[T]
        whole[PASSED] += 1
    start = whole[T] - period if eager else whole[T] // period * period
    while whole[PASSED] > 0 and ring[whole[HEAD]] <= start:
        whole[HEAD] = (whole[HEAD] + 1) % k
        whole[PASSED] -= 1
