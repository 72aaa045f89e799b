"""Another objective than the papers': no two of the chosen may be alike (p-dispersion)."""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from rankcast.choose.candidates import Candidate
from rankcast.choose.distance import Distance
from rankcast.errors import ModelError

__all__ = ["MaxMin"]


@dataclass(frozen=True, slots=True)
class MaxMin:
    """sigma * mean rank + (1 - sigma) * the distance of the two members that are nearest to each other.

    `DivRank` forgives a pair of twins in a set that is diverse on average, this does not. The greedy heuristic is made
    for it: it adds what is farthest from its nearest member. A set of one has no two members, and its rank alone counts.
    One value costs O(k^2) distances.

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
    distance: Distance = field(default_factory=Distance)

    def __post_init__(self) -> None:
        if not 0 <= self.sigma <= 1:
            raise ModelError(f"sigma is {self.sigma}; it must lie in 0..1")

    @property
    def by_rank_alone(self) -> bool:
        """Whether distances do not count."""
        return self.sigma == 1

    def value(self, chosen: Sequence[Candidate]) -> float:
        """The worth of a set; 0 for the empty one."""
        if not chosen:
            return 0.0
        rank = math.fsum(candidate.rank for candidate in chosen) / len(chosen)
        return rank if self.by_rank_alone else self.sigma * rank + (1 - self.sigma) * self._least(chosen)

    def bound(self, chosen: Sequence[Candidate], rest: Sequence[Candidate], k: int) -> float:
        """The best ranks, and the nearest pair so far: members yet to come can only bring it nearer."""
        missing = k - len(chosen)
        ranks = sorted((candidate.rank for candidate in rest), reverse=True)[:missing]
        rank = math.fsum([*(candidate.rank for candidate in chosen), *ranks]) / k
        least = self._least(chosen) if len(chosen) > 1 else 1.0
        if chosen and missing:
            # Of `missing` members the one nearest to `chosen` is at most as far as the missing-th farthest.
            nearest = sorted((min(self.apart(each, member) for member in chosen) for each in rest), reverse=True)
            least = min(least, nearest[min(missing, len(nearest)) - 1])
        return self.sigma * rank + (1 - self.sigma) * (least if k > 1 else 0.0)

    def pair(self, a: Candidate, b: Candidate) -> float:
        """The worth of the two."""
        return self.sigma * (a.rank + b.rank) / 2 + (1 - self.sigma) * self.apart(a, b)

    def gain(self, candidate: Candidate, nearest: float) -> float:
        """What the heuristic maximises: sigma * r + (1 - sigma) * nearest."""
        return self.sigma * candidate.rank + (1 - self.sigma) * nearest

    def apart(self, a: Candidate, b: Candidate) -> float:
        """The distance of the two events."""
        return self.distance(a.event, b.event)

    def forget(self, candidate: Candidate) -> None:
        """Drop the remembered distances of a candidate."""
        self.distance.forget(candidate.seq)

    def _least(self, chosen: Sequence[Candidate]) -> float:
        return min((self.apart(a, b) for a, b in itertools.combinations(chosen, 2)), default=0.0)
