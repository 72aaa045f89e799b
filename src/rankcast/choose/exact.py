"""The optimal subset, by branch and bound (semantics: Diversity; DEBS'09, Def. 11)."""

from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.improved import Improved
from rankcast.choose.objective import DivRank, Objective
from rankcast.choose.ties import FEW, on_grid, recency

_NO_LIMIT = 2**62
_FLOAT_NOISE = 1e-13
"""Larger than the rounding error of a sum whose order of addition changes, smaller than the comparison grid."""

_WIDE = 128
"""With more candidates than this, one looser table of bounds serves all depths: computing each costs O(n^3)."""


@dataclass(frozen=True, slots=True)
class Proof:
    """The result of a search, with an upper bound: no set is worth more than `bound`.

    `nodes` counts the partial sets visited. The chosen set is optimal iff `is_optimal`.
    """

    chosen: tuple[Candidate, ...]
    value: float
    nodes: int
    bound: float

    @property
    def is_optimal(self) -> bool:
        """Whether the value of the set reaches the bound."""
        return on_grid(self.bound) <= on_grid(self.value)


@dataclass(frozen=True, slots=True)
class Exact:
    """Selects the set of the largest value; among equal sets, the most recent.

    The problem is NP-hard. With `DivRank`, any k of 30 films takes well under a second; 20 of 60 may take minutes.
    Other objectives are searched in plain Python with the bound that they provide. After `limit` nodes the search
    stops and returns the best set so far; None means no limit.
    """

    limit: int | None = None

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """The best k of more than k candidates."""
        return list(self.prove(candidates, k, objective).chosen)

    def prove(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> Proof:
        """The best k of more than k candidates, with the proof."""
        start = Improved().select(candidates, k, objective)
        limit = _NO_LIMIT if self.limit is None else self.limit
        if isinstance(objective, DivRank):
            chosen, nodes, bound = _compiled(candidates, k, objective, start, limit)
        else:
            search = _Search(candidates, k, objective, start, limit)
            chosen, nodes, bound = search.best, search.nodes, search.bound
        value = objective.value(chosen)
        return Proof(tuple(chosen), value, nodes, max(bound, value))


def _compiled(
    candidates: Sequence[Candidate], k: int, objective: DivRank, start: list[Candidate], limit: int
) -> tuple[list[Candidate], int, float]:
    import numpy as np

    from rankcast.choose.branch_and_bound import search
    from rankcast.choose.compiled import distances

    n = len(candidates)
    apart = np.zeros((n, n))
    known = distances(candidates, objective) if n > FEW else None
    if known is not None:
        apart = known
    elif objective.sigma < 1:
        for i, one in enumerate(candidates):
            for j in range(i):
                apart[i, j] = apart[j, i] = objective.apart(one, candidates[j])
    # The most promising candidates come first: good sets are found early, and the other branches are worth little.
    ranks = np.array([candidate.rank for candidate in candidates])
    promise = objective.sigma * ranks + (1 - objective.sigma) * apart.mean(axis=1)
    order = np.lexsort((-np.array([candidate.seq for candidate in candidates]), -promise))
    apart, ranks = apart[np.ix_(order, order)], ranks[order]
    seqs = np.array([candidates[place].seq for place in order], np.int64)
    company = np.zeros((n + 1, n, k))
    seq_sums = np.zeros((n + 1, k + 1), np.int64)
    for first in range(n):
        if first == 0 or n <= _WIDE:
            rows = -np.sort(-apart[:, first:], axis=1)[:, : k - 1]
            company[first, :, 1 : rows.shape[1] + 1] = np.cumsum(rows, axis=1)
            company[first, :, rows.shape[1] + 1 :] = company[first, :, rows.shape[1], None]
        else:
            company[first] = company[0]
        latest = np.cumsum(-np.sort(-seqs[first:])[:k])
        seq_sums[first, 1 : len(latest) + 1] = latest
    place_of = {id(candidates[place]): new for new, place in enumerate(order.tolist())}
    best = np.array([place_of[id(member)] for member in start], np.int64)
    nodes, bound = search(ranks, apart, seqs, k, float(objective.sigma), company, seq_sums, best, limit)
    return [candidates[order[place]] for place in best.tolist()], int(nodes), float(bound)


class _Search:
    """Search for any objective, by the bound that it provides; the most recent candidates come first."""

    def __init__(
        self, candidates: Sequence[Candidate], k: int, objective: Objective, start: list[Candidate], limit: int
    ) -> None:
        self._candidates = sorted(candidates, key=lambda candidate: candidate.seq, reverse=True)
        self._k = k
        self._objective = objective
        self._limit = limit
        self.nodes = 0
        self.best = start
        self._best_key = self._key(start)
        self.bound = self._best_key[0]
        self._extend([], 0)
        self.bound = max(self.bound, self._best_key[0])

    def _key(self, chosen: list[Candidate]) -> tuple[float, tuple[int, tuple[int, ...]]]:
        return on_grid(self._objective.value(chosen)), recency(chosen)

    def _extend(self, chosen: list[Candidate], first: int) -> None:
        """Try all sets made of `chosen` and candidates from `first` on."""
        missing = self._k - len(chosen)
        if not missing:
            if (key := self._key(chosen)) > self._best_key:
                self.best, self._best_key = chosen, key
            return
        for place in range(first, len(self._candidates) - missing + 1):
            rest = self._candidates[place:]
            bound = on_grid(self._objective.bound(chosen, rest, self._k) + _FLOAT_NOISE)
            latest = sum(candidate.seq for candidate in (*chosen, *rest[:missing]))
            if (bound, latest) < (self._best_key[0], self._best_key[1][0]):
                return
            if self.nodes >= self._limit:
                self.bound = max(self.bound, bound)
                return
            self.nodes += 1
            self._extend([*chosen, self._candidates[place]], place + 1)
