"""The number of recent events that passed, and the layout of a state's counters."""

from rankcast.compiling import kernel
from rankcast.plain import Array

# The indexes of the counters of a state; the same in all kernels that use them.
T, HEAD, PASSED, SEEN, ABOVE, BELOW, ARRIVED, ACTIVE, START, SUM, SPENT = range(11)


@kernel
def count(passed: bool, whole: Array, ring: Array, k: int, period: int, eager: bool) -> None:
    """Count one more event in the budget; `ring` holds the positions of the events that passed recently."""
    whole[T] += 1
    if passed:
        ring[(whole[HEAD] + whole[PASSED]) % k] = whole[T]
        whole[PASSED] += 1
    start = whole[T] - period if eager else whole[T] // period * period
    while whole[PASSED] > 0 and ring[whole[HEAD]] <= start:
        whole[HEAD] = (whole[HEAD] + 1) % k
        whole[PASSED] -= 1
