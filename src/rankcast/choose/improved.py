"""Greedy selection, improved by swaps (semantics: Diversity)."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.greedy import Greedy
from rankcast.choose.objective import DivRank, Objective
from rankcast.choose.ties import FEW, on_grid, recency

__all__ = ["Improved"]

_NEAR = 1e-11
"""Values closer than this may be equal on the grid."""


@dataclass(frozen=True, slots=True)
class Improved:
    """Selects as `Greedy` does, then makes the best swap of a member for a non-member as long as the value grows.

    The result is never worse than that of `Greedy`. A round examines k (n - k) swaps. With `DivRank` a swap costs one
    subtraction once the sums are known (O(k n) distances a round); with other objectives it costs one evaluation. In
    practice there are few rounds.
    """

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """Pick k of more than k candidates."""
        if len(candidates) > FEW:
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


def _best_swap(chosen: list[Candidate], candidates: Sequence[Candidate], objective: Objective) -> list[Candidate]:
    members = {id(member) for member in chosen}
    others = [candidate for candidate in candidates if id(candidate) not in members]
    if isinstance(objective, DivRank):
        pairs = _promising(chosen, others, objective)
    else:
        pairs = [(place, entering) for place in range(len(chosen)) for entering in others]
    swaps = [[*chosen[:place], entering, *chosen[place + 1 :]] for place, entering in pairs]
    return max(swaps, key=lambda swapped: (on_grid(objective.value(swapped)), recency(swapped)))


def _promising(chosen: list[Candidate], others: list[Candidate], objective: DivRank) -> list[tuple[int, Candidate]]:
    """The swaps that may be the best: those whose value, computed from sums, is within `_NEAR` of the highest."""
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
    highest = max(gain for gain, *_ in gains)
    return [(place, entering) for gain, place, entering in gains if gain >= highest - _NEAR]
