"""Selecting k of n candidates, with an objective and an optimizer (semantics: Diversity)."""

import heapq
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

from rankcast.choose.candidates import Candidate
from rankcast.choose.exact import Exact, Proof
from rankcast.choose.greedy import GREEDY
from rankcast.choose.objective import Objective
from rankcast.choose.ties import on_grid
from rankcast.errors import ModelError


class Optimizer(Protocol):
    """A search for a good set."""

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> Sequence[Candidate]:
        """Pick k (at least 1) of more than k candidates, which are in order of `seq`."""


@dataclass(frozen=True, slots=True)
class Selection:
    """The chosen candidates in order of `seq`, the value of the set, and the proof if `Exact` chose it."""

    chosen: tuple[Candidate, ...]
    value: float
    proof: Proof | None = None


def select(candidates: Iterable[Candidate], k: int, objective: Objective, optimizer: Optimizer = GREEDY) -> Selection:
    """The best `k` of the candidates, or all if there are at most k; ties go to the more recent.

    The result does not depend on the order of `candidates`. If only rank counts, every optimizer would choose the
    plain top-k, so it is taken directly, without distances, in O(n log k).

    >>> from rankcast.choose import DivRank
    >>> from rankcast.model import EPOCH, Event
    >>> movies = [("comedy", 0.9), ("drama", 0.8), ("drama", 0.8), ("horror", 0.7)]
    >>> candidates = [
    ...     Candidate(Event(f"e{seq}", EPOCH, {"genre": (genre,)}, seq=seq), rank)
    ...     for seq, (genre, rank) in enumerate(movies, 1)
    ... ]
    >>> [candidate.event.id for candidate in select(candidates, 3, DivRank(sigma=1)).chosen]
    ['e1', 'e2', 'e3']
    >>> [candidate.event.id for candidate in select(candidates, 3, DivRank(sigma=0.5)).chosen]
    ['e1', 'e3', 'e4']
    """
    if k < 1:
        raise ModelError(f"k is {k}; it must be at least 1")
    offered = sorted(candidates, key=lambda candidate: (candidate.seq, candidate.event.id))
    chosen: Sequence[Candidate]
    proof = None
    if len(offered) <= k:
        chosen = offered
    elif objective.by_rank_alone:
        chosen = heapq.nlargest(k, offered, key=lambda candidate: (on_grid(candidate.rank), candidate.seq))
    elif isinstance(optimizer, Exact):
        proof = optimizer.prove(offered, k, objective)
        chosen = proof.chosen
    else:
        chosen = optimizer.select(offered, k, objective)
    in_order = tuple(sorted(chosen, key=lambda candidate: (candidate.seq, candidate.event.id)))
    return Selection(in_order, objective.value(in_order), proof)
