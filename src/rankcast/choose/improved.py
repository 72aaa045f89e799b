"""Greedy, made better by swaps (SPEC 3)."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.greedy import Greedy
from rankcast.choose.objective import Objective
from rankcast.choose.ties import on_grid, recency

__all__ = ["Improved"]


@dataclass(frozen=True, slots=True)
class Improved:
    """Selects as `Greedy` does, then makes the best swap of a member for another while the value grows.

    Never worse than `Greedy`. A round looks at k (n - k) swaps, each O(k^2) distances; rounds are few in practice.
    """

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """Pick k of more than k candidates."""
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
    swaps = [[*chosen[:place], entering, *chosen[place + 1 :]] for place in range(len(chosen)) for entering in others]
    return max(swaps, key=lambda swapped: (on_grid(objective.value(swapped)), recency(swapped)))
