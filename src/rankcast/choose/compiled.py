"""Selection from many candidates by compiled loops: the same sets as the plain definitions, about 1,000 times as
fast.

The functions return None where the plain definition should decide: few candidates, or candidates without positions.

Cost for n candidates once their distances are known: `greedy` reads k n numbers, about 2 ns each. `improved` costs
the same again, plus n reads for each swap (at most n k for a swap with many ties, 40 ns each). A new candidate costs
n distances of about 20 ns each; with weights, or with more than 32 attributes, 40 ns for each attribute.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from rankcast.choose.candidates import Candidate
from rankcast.choose.objective import Blend, DivRank, MaxMin, Objective
from rankcast.matching.batch import Reals

if TYPE_CHECKING:
    from rankcast.choose.kernels.greedy import Pool


def greedy(candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate] | None:
    """The choice of `Greedy`, in order of picking."""
    return _selected(candidates, k, objective, swaps=False) if type(objective) in (DivRank, MaxMin) else None


def improved(candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate] | None:
    """The choice of `Improved`."""
    from rankcast.choose.kernels.swaps import LARGEST_SET

    suits = type(objective) is DivRank and k <= LARGEST_SET
    return _selected(candidates, k, objective, swaps=True) if suits else None


def filled_up(
    members: Sequence[Candidate], rest: Sequence[Candidate], k: int, objective: Objective
) -> list[Candidate] | None:
    """The choice of `Greedy.fill_up`: the members, then the best additions until there are k."""
    from rankcast.choose.kernels.greedy import add_greedily

    everybody = sorted([*members, *rest], key=lambda candidate: candidate.seq)
    pool = _pool(everybody, objective) if type(objective) in (DivRank, MaxMin) else None
    if pool is None:
        return None
    chosen, (places, worth) = np.zeros(len(everybody), np.bool_), np.empty((2, k), np.int64)
    places[: len(members)] = np.searchsorted(pool.seqs, [member.seq for member in members])
    chosen[places[: len(members)]] = True
    add_greedily(pool, 0, len(everybody), len(members), k, chosen, places, worth)
    return [everybody[place] for place in places.tolist()]


def replaced(held: Sequence[Candidate], candidate: Candidate, objective: Objective) -> tuple[int, int, int] | None:
    """The best place for a candidate in a full list, and the list's value in grid steps with and without it."""
    from rankcast.choose.kernels.swaps import LARGEST_SET, best_place

    pool = _pool([*held, candidate], objective)
    if pool is None or type(objective) is not DivRank or len(held) > LARGEST_SET:
        return None
    place, best, present = best_place(pool, len(held))
    return int(place), int(best), int(present)


def pair_sums(chosen: Sequence[Candidate], objective: Blend) -> tuple[float, float] | None:
    """The sum of the distances of all pairs, rounded once, and the smallest distance."""
    from rankcast.choose.kernels import swaps

    pool = _pool(chosen, objective)
    if pool is None or len(chosen) > swaps.LARGEST_SET:
        return None
    total, least = swaps.pair_sums(pool, np.arange(len(chosen)), len(chosen))
    return float(total), float(least)


def distances(candidates: Sequence[Candidate], objective: Objective) -> Reals | None:
    """The distances of all pairs."""
    from rankcast.choose.kernels.greedy import look_up

    pool = _pool(candidates, objective)
    if pool is None:
        return None
    count = len(candidates)
    found = np.zeros((count, count))
    for place in range(count):
        look_up(pool, place, 0, count, found[place])
    return found


def _pool(candidates: Sequence[Candidate], objective: Objective | Blend) -> "Pool | None":
    """The candidates as arrays; None if their positions do not ascend."""
    if not isinstance(objective, Blend):
        return None
    events = [candidate.event for candidate in candidates]
    seqs = np.array([event.seq for event in events], np.int64)
    if seqs[0] < 1 or (seqs[1:] <= seqs[:-1]).any():
        return None
    table = objective.distance.table
    slots = table.slots(events)
    ranks = np.array([candidate.rank for candidate in candidates], np.float64)
    from rankcast.choose.kernels.greedy import Pool

    row, nearest = np.empty((2, len(events)))
    return Pool(slots, slots, ranks, seqs, float(objective.sigma), table.distances, table.space, row, nearest)


def _selected(candidates: Sequence[Candidate], k: int, objective: Objective, swaps: bool) -> list[Candidate] | None:
    from rankcast.choose.kernels.greedy import best_pair, choose_greedily
    from rankcast.choose.kernels.swaps import improve

    pool = _pool(candidates, objective)
    if pool is None:
        return None
    count = len(candidates)
    chosen, (members, worth) = np.zeros(count, np.bool_), np.empty((2, k), np.int64)
    first, second = 0, 0
    if k > 1:
        by_rank = np.argsort(pool.ranks, kind="stable")[::-1].copy()
        first, second = best_pair(pool, by_rank)
    choose_greedily(pool, 0, count, first, second, k, chosen, members, worth)
    if swaps:
        improve(pool, 0, count, k, chosen, members)
    return [candidates[place] for place in members.tolist()]
