"""The papers' heuristic: the best pair, then the best addition (semantics: Diversity; DEBS'09, Algorithm 1)."""

import heapq
import itertools
from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.objective import Objective
from rankcast.choose.ties import FEW, on_grid, recency

__all__ = ["Greedy"]


@dataclass(frozen=True, slots=True)
class Greedy:
    """Selects the best pair in O(n^2), then each further member in O(n) distances.

    For more than a few candidates it runs compiled (`rankcast.choose.compiled`): about 2 ns for each of the k n
    steps. Pairs whose ranks are too low to be the best are skipped.
    """

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """Pick k of more than k candidates; the result is in order of picking."""
        if len(candidates) > FEW:
            from rankcast.choose import compiled

            if (found := compiled.greedy(candidates, k, objective)) is not None:
                return found
        return self.select_plainly(candidates, k, objective)

    @staticmethod
    def select_plainly(candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """The definition, in plain Python."""
        if k == 1:
            return [max(candidates, key=lambda only: (on_grid(objective.value([only])), only.seq))]
        first, second = _best_pair(candidates, objective)
        rest = [candidate for candidate in candidates if candidate is not first and candidate is not second]
        return [first, second, *_additions([first, second], rest, k - 2, objective)]

    @staticmethod
    def fill_up(
        members: Sequence[Candidate], rest: Sequence[Candidate], k: int, objective: Objective
    ) -> list[Candidate]:
        """At least one given member, then the best additions from `rest` until there are k or all."""
        missing = min(k - len(members), len(rest))
        if not missing:
            return list(members)
        if objective.by_rank_alone:
            return [*members, *heapq.nlargest(missing, rest, key=lambda each: (on_grid(each.rank), each.seq))]
        if len(members) + len(rest) > FEW:
            from rankcast.choose import compiled

            if (found := compiled.filled_up(members, rest, len(members) + missing, objective)) is not None:
                return found
        return [*members, *_additions(members, rest, missing, objective)]


def _additions(
    members: Sequence[Candidate], rest: Sequence[Candidate], count: int, objective: Objective
) -> list[Candidate]:
    """The best additions to the members, one after the other."""
    left, added = list(rest), list[Candidate]()
    nearest = [min(objective.apart(candidate, member) for member in members) for candidate in left]
    while len(added) < count:
        gains = [on_grid(objective.gain(*pair)) for pair in zip(left, nearest, strict=True)]
        best = max(range(len(left)), key=lambda place: (gains[place], left[place].seq))
        last = left.pop(best)
        del nearest[best]
        added.append(last)
        # Only the new member can be nearer than the nearest member so far (Proposition 1).
        nearest = [min(old, objective.apart(each, last)) for each, old in zip(left, nearest, strict=True)]
    return added


def _best_pair(candidates: Sequence[Candidate], objective: Objective) -> tuple[Candidate, Candidate]:
    pairs = itertools.combinations(candidates, 2)
    best = next(pairs)
    best_value = on_grid(objective.pair(*best))
    for pair in pairs:
        value = on_grid(objective.pair(*pair))
        if value > best_value or (value == best_value and recency(pair) > recency(best)):
            best, best_value = pair, value
    return best
