"""The papers' heuristic: the best pair, then the best addition (semantics: Diversity; DEBS'09, Algorithm 1)."""

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

from rankcast.choose.candidates import Candidate
from rankcast.choose.loading import is_worth_loading, note_compared
from rankcast.choose.objective import DivRank, MaxMin, Objective
from rankcast.choose.ties import FEW, on_grid, recency


@dataclass(frozen=True, slots=True)
class Greedy:
    """Selects the best pair in O(n^2), then each further member in O(n) distances.

    Pairs whose ranks are too low to be the best are skipped. In a process that makes many choices from more than a few
    candidates it runs compiled (`rankcast.choose.compiled`): about 2 ns for each of the k n steps.
    """

    def select(self, candidates: Sequence[Candidate], k: int, objective: Objective) -> list[Candidate]:
        """Pick k of more than k candidates; the result is in order of picking."""
        count = len(candidates)
        if count > FEW and is_worth_loading(count * (count - 1) // 2):
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
        if len(members) + len(rest) > FEW and is_worth_loading((len(members) + missing) * len(rest)):
            from rankcast.choose import compiled

            if (found := compiled.filled_up(members, rest, len(members) + missing, objective)) is not None:
                return found
        return [*members, *_additions(members, rest, missing, objective)]


GREEDY = Greedy()


def _additions(
    members: Sequence[Candidate], rest: Sequence[Candidate], count: int, objective: Objective
) -> list[Candidate]:
    """The best additions to the members, one after the other."""
    if not count:
        return []
    left, added = list(rest), list[Candidate]()
    note_compared((len(members) + count) * len(rest))
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
    """The best pair in the order of the candidates. Pairs whose ranks are too low to be the best are skipped."""
    most = objective.most if isinstance(objective, DivRank | MaxMin) else lambda a, b: math.inf
    by_rank = sorted(range(len(candidates)), key=lambda place: -candidates[place].rank)
    best, best_value, compared = (0, 1), -math.inf, 0
    for number, one in enumerate(by_rank):
        for other in by_rank[number + 1 :]:
            places = (one, other) if one < other else (other, one)
            pair = candidates[places[0]], candidates[places[1]]
            if on_grid(most(*pair)) < best_value:
                break
            compared += 1
            value = on_grid(objective.pair(*pair))
            if value > best_value or (value == best_value and _precedes(places, best, candidates)):
                best, best_value = places, value
    note_compared(compared)
    return candidates[best[0]], candidates[best[1]]


def _precedes(pair: tuple[int, int], other: tuple[int, int], candidates: Sequence[Candidate]) -> bool:
    """Whether a pair of equal value is preferred: the more recent, then the first in the order of the candidates."""
    recent, recent_other = (recency(candidates[place] for place in places) for places in (pair, other))
    return recent > recent_other or (recent == recent_other and pair < other)
