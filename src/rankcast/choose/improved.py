"""Greedy selection, improved by swaps (semantics: Diversity)."""

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.greedy import Greedy
from rankcast.choose.loading import is_worth_loading, note_compared
from rankcast.choose.objective import DivRank, MaxMin, Objective
from rankcast.choose.ties import FEW, on_grid, recency

_NEAR = 1e-11
"""Values closer than this may be equal on the grid."""


@dataclass(frozen=True, slots=True)
class Improved:
    """Selects as `Greedy` does, then makes the best swap of a member for a non-member as long as the value grows.

    The result is never worse than that of `Greedy`. A round examines k (n - k) swaps. With `DivRank` and `MaxMin` a
    swap costs one subtraction once the sums or the nearest members are known (O(k n) distances a round); with other
    objectives it costs one evaluation. In practice there are few rounds.
    """

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """Pick k of more than k candidates."""
        if len(candidates) > FEW and is_worth_loading(_most_pairs(len(candidates), k)):
            from rankcast.choose import compiled

            if (found := compiled.improved(candidates, k, objective)) is not None:
                return found
        return self.select_plainly(candidates, k, objective)

    @staticmethod
    def select_plainly(candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """The definition, in plain Python."""
        chosen = Greedy().select(candidates, k, objective)
        value = on_grid(objective.value(chosen))
        while True:
            swapped = _best_swap(chosen, candidates, objective)
            if on_grid(objective.value(swapped)) <= value:
                return chosen
            chosen, value = swapped, on_grid(objective.value(swapped))


def _most_pairs(count: int, k: int) -> int:
    """The pairs that a round compares if all swaps have the same gain, so that each of them is evaluated."""
    return k * (count - k) * k * (k - 1) // 2


def _best_swap(chosen: list[Candidate], candidates: Sequence[Candidate], objective: Objective) -> list[Candidate]:
    members = {id(member) for member in chosen}
    others = [candidate for candidate in candidates if id(candidate) not in members]
    note_compared(len(chosen) * len(others))
    if isinstance(objective, DivRank):
        pairs = _promising(_gains(chosen, others, objective))
    elif isinstance(objective, MaxMin):
        pairs = _promising(_max_min_gains(chosen, others, objective))
    else:
        pairs = [(place, entering) for place in range(len(chosen)) for entering in others]
    swaps = [[*chosen[:place], entering, *chosen[place + 1 :]] for place, entering in pairs]
    return max(swaps, key=lambda swapped: (on_grid(objective.value(swapped)), recency(swapped)))


_Gain = tuple[float, int, Candidate]
"""What a swap adds to the value, the place of the leaving member, and the entering candidate."""


def _promising(gains: list[_Gain]) -> list[tuple[int, Candidate]]:
    """The swaps that may be the best: those whose gain is within `_NEAR` of the highest."""
    highest = max(gain for gain, *_ in gains)
    return [(place, entering) for gain, place, entering in gains if gain >= highest - _NEAR]


def _gains(chosen: list[Candidate], others: list[Candidate], objective: DivRank) -> list[_Gain]:
    """The gain of each swap, from sums of distances."""
    k = len(chosen)
    sigma, pairs = objective.sigma, max(k * (k - 1) / 2, 1)
    within = [sum(objective.apart(member, other) for other in chosen if other is not member) for member in chosen]
    gains = []
    for entering in others:
        apart = [objective.apart(entering, member) for member in chosen]
        total = sum(apart)
        for place, leaving in enumerate(chosen):
            diversity = (total - apart[place] - within[place]) / pairs
            gains.append((sigma * (entering.rank - leaving.rank) / k + (1 - sigma) * diversity, place, entering))
    return gains


def _max_min_gains(chosen: list[Candidate], others: list[Candidate], objective: MaxMin) -> list[_Gain]:
    """The gain of each swap over the ranks of the set, from the nearest members."""
    k, sigma = len(chosen), objective.sigma
    apart = {(i, j): objective.apart(chosen[i], chosen[j]) for i, j in itertools.combinations(range(k), 2)}
    closest = min(apart, key=lambda pair: apart[pair], default=(0, 0))
    without = [
        min((one for pair, one in apart.items() if place not in pair), default=1.0)
        if k < 2 or place in closest
        else apart[closest]
        for place in range(k)
    ]
    gains = []
    for entering in others:
        near = sorted((objective.apart(entering, member), place) for place, member in enumerate(chosen))
        for place, leaving in enumerate(chosen):
            nearest = near[0] if near[0][1] != place or k == 1 else near[1]
            least = min(without[place], nearest[0]) if k > 1 else 0.0
            gains.append((sigma * (entering.rank - leaving.rank) / k + (1 - sigma) * least, place, entering))
    return gains
