"""An objective beyond the papers: no two chosen events may be alike (p-dispersion)."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.objective import Blend


@dataclass(frozen=True, slots=True)
class MaxMin(Blend):
    """sigma * mean rank + (1 - sigma) * distance of the nearest two members.

    `DivRank` tolerates two similar members in a set that is diverse on average; this objective does not. The greedy
    heuristic suits it: it adds the candidate that is farthest from its nearest member. In a set of one only the rank
    counts. One value costs O(k^2) distances.

    >>> from rankcast.choose import Exact, select
    >>> from rankcast.model import EPOCH, Event
    >>> movies = [("comedy", "Allen"), ("comedy", "Allen"), ("drama", "Lean"), ("horror", "Lean")]
    >>> candidates = [
    ...     Candidate(Event(f"e{seq}", EPOCH, {"genre": (genre,), "director": (director,)}, seq=seq), 1.0)
    ...     for seq, (genre, director) in enumerate(movies, 1)
    ... ]
    >>> selection = select(candidates, 3, MaxMin(sigma=0), Exact())
    >>> [candidate.event.id for candidate in selection.chosen], selection.value
    (['e2', 'e3', 'e4'], 0.5)
    """

    sigma: float = 0.5

    def div(self, chosen: Sequence[Candidate]) -> float:
        """The distance of the nearest two; 0 for fewer than two candidates."""
        if (sums := self.pair_sums(chosen)) is not None:
            return sums[1]
        return min((self.apart(a, b) for a, b in itertools.combinations(chosen, 2)), default=0.0)

    def bound(self, chosen: Sequence[Candidate], rest: Sequence[Candidate], k: int) -> float:
        """The best ranks and the distance of the nearest pair so far, which further members can only reduce."""
        missing = k - len(chosen)
        ranks = sorted((candidate.rank for candidate in rest), reverse=True)[:missing]
        rank = math.fsum([*(candidate.rank for candidate in chosen), *ranks]) / k
        least = self.div(chosen) if len(chosen) > 1 else 1.0
        if chosen and missing:
            # The nearest of `missing` new members is at most as far away as the missing-th farthest candidate.
            nearest = sorted((min(self.apart(each, member) for member in chosen) for each in rest), reverse=True)
            least = min(least, nearest[min(missing, len(nearest)) - 1])
        return self.sigma * rank + (1 - self.sigma) * (least if k > 1 else 0.0)
