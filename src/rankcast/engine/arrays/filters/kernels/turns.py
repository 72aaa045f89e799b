"""Events that pass because one of their subscriptions is owed its turn."""

from rankcast.compiling import kernel
from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, SPENT, START, T
from rankcast.plain import Array

NEVER = -2
"""The turn in which a subscription was served that never matched."""


@kernel
def turns(
    patterns: Array,
    starts: Array,
    places: Array,
    rate: float,
    slack: float,
    budget: int,
    whole: Array,
    served: Array,
    out: Array,
) -> None:
    """Which events pass while some of the budget is unspent; `whole[START]` is the number of the turn."""
    for event in range(len(patterns)):
        first, end = starts[patterns[event]], starts[patterns[event] + 1]
        active = whole[ACTIVE]
        longest = max(1, budget // max(1, active))
        whole[T] += 1
        unspent = rate * whole[T] - whole[SPENT]
        if unspent >= min(slack, max(1, active)):
            whole[START] += 1
        turn = whole[START]
        least = turn
        for number in range(first, end):
            place = places[number]
            if served[place] == NEVER:
                served[place] = turn - 1
                whole[ACTIVE] += 1
            least = min(least, served[place])
        out[event] = unspent > 0 and least < turn
        if out[event]:
            whole[SPENT] += 1
            for number in range(first, end):
                place = places[number]
                served[place] = min(turn, max(served[place], turn - longest) + 1)
