"""Calm windows: a new set must be better by so much to replace the last one (semantics: Delivery modes)."""

from collections.abc import Iterable, Sequence

from rankcast.choose.candidates import Candidate, Deferral
from rankcast.choose.greedy import Greedy
from rankcast.choose.objective import Objective
from rankcast.choose.selection import Selection
from rankcast.choose.ties import on_grid


class CalmSet:
    """The set that a window last chose, by `seq`; it stays unless a new set is better by more than `calm`.

    A choice costs k^2 / 2 distances for the value of each set, and k distances per candidate if members have left.
    """

    def __init__(self, k: int, objective: Objective, calm: float) -> None:
        self._k = k
        self._objective = objective
        self._calm = on_grid(calm)
        self.seqs: frozenset[int] = frozenset()

    def choose(self, candidates: Sequence[Candidate], new: Selection) -> tuple[tuple[Candidate, ...], Deferral | None]:
        """Choose between the last set, less what left and filled up with the best of the rest, and the new one."""
        chosen, deferral = self._choose(candidates, new)
        self.seqs = frozenset(member.seq for member in chosen)
        return chosen, deferral

    def _choose(self, candidates: Sequence[Candidate], new: Selection) -> tuple[tuple[Candidate, ...], Deferral | None]:
        held = [candidate for candidate in candidates if candidate.seq in self.seqs]
        if not 0 < len(held) <= self._k:  # nothing is left, or k has been lowered
            return new.chosen, None
        rest = [candidate for candidate in candidates if candidate.seq not in self.seqs]
        filled = Greedy.fill_up(held, rest, self._k, self._objective)
        last = tuple(sorted(filled, key=lambda member: member.seq))
        gain = on_grid(on_grid(new.value) - on_grid(self._objective.value(last)))
        if gain > self._calm:
            return new.chosen, None
        stay = {member.seq for member in last}
        deferred = tuple(member for member in new.chosen if member.seq not in stay)
        return last, Deferral(deferred, gain) if gain > 0 else None

    def restore(self, seqs: Iterable[int]) -> None:
        """Continue with the set that a state saved."""
        self.seqs = frozenset(seqs)
