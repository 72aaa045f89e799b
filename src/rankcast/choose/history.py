"""History-based filtering sends at once what improves the list of sent events.

See semantics: Delivery modes; DEBS'09, 5.3.
"""

from typing import ClassVar

from rankcast.choose.candidates import Candidate, DrivenByEvents, Moment, Step
from rankcast.choose.fading import NOTHING_FADES, Fading
from rankcast.choose.objective import Objective
from rankcast.choose.positions import Window
from rankcast.choose.selection import select
from rankcast.choose.ties import FEW, on_grid, recency
from rankcast.model import Length, Ties
from rankcast.plain import State


class History(DrivenByEvents):
    """Sends a matching event iff the list H of at most `k` sent events has room for it or gains value from it.

    An entry of H expires after `length`. If only rank counts, the new event replaces the lowest-ranked entry if it
    ranks higher. Otherwise it replaces the entry whose replacement makes H most valuable, if H gains value. With
    `ties` replace, equal value suffices (semantics: Errata of the papers). If ranks fade, they are computed at the
    time of the new event. Only the new event can be sent. An event costs O(k^2) distances; the mode holds k
    candidates.
    """

    saved: ClassVar = {"held": "_held"}

    def __init__(
        self,
        k: int,
        length: Length,
        objective: Objective,
        ties: Ties = Ties.KEEP,
        fading: Fading = NOTHING_FADES,
    ) -> None:
        self._k = k
        self._objective = objective
        self._ties = ties
        self._fading = fading
        self._held = Window(length)

    def publish(self, moment: Moment, candidate: Candidate | None) -> list[Step]:
        """Decide on the next event, if it matches."""
        if candidate is None:
            return []
        for gone in self._held.advance(moment, True):
            self._objective.forget(gone)
        held = self._fading.as_of(self._held.candidates, moment.time)
        replaced = self._replaced(held, candidate) if len(held) == self._k else None
        sent = (candidate,) if len(held) < self._k or replaced is not None else ()
        if sent:
            self._held.add(candidate)
        out = replaced if sent else candidate
        if out is not None:
            self._held.remove(out)
            self._objective.forget(out)
        return [
            Step(
                moment.seq,
                moment.time,
                (*held, candidate),
                self._fading.as_of(self._held.candidates, moment.time),
                sent,
            )
        ]

    def restore(self, state: State) -> None:
        """Continue from a saved `state`; of a list longer than `k`, keep the best."""
        super().restore(state)
        kept = {candidate.seq for candidate in select(self._held.candidates, self._k, self._objective).chosen}
        for candidate in self._held.candidates:
            if candidate.seq not in kept:
                self._held.remove(candidate)

    def _replaced(self, held: tuple[Candidate, ...], candidate: Candidate) -> Candidate | None:
        """The member of a full list that the candidate replaces, if any."""
        if self._objective.by_rank_alone:
            lowest = min(held, key=lambda member: (on_grid(member.rank), member.seq))
            return lowest if self._wins(candidate.rank, lowest.rank) else None
        if len(held) > FEW:
            from rankcast.choose import compiled

            if (found := compiled.replaced(held, candidate, self._objective)) is not None:
                place, new, old = found
                return held[place] if new > old or (new == old and self._ties is Ties.REPLACE) else None
        swaps = [(*held[:place], *held[place + 1 :], candidate) for place in range(len(held))]
        worth = [self._objective.value(swapped) for swapped in swaps]
        best = max(range(len(held)), key=lambda place: (on_grid(worth[place]), recency(swaps[place])))
        return held[best] if self._wins(worth[best], self._objective.value(held)) else None

    def _wins(self, new: float, old: float) -> bool:
        new, old = on_grid(new), on_grid(old)
        return new > old or (new == old and self._ties is Ties.REPLACE)
