"""The threshold filter over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.pacing import Pacing
from rankcast.engine.arrays.filters.batch import FilterBatch
from rankcast.engine.arrays.filters.budgeted import BudgetState, grown
from rankcast.engine.arrays.filters.given import GivenScores
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.plain import State


class ArrayThreshold(BudgetState):
    """The threshold filter over arrays, including the one with a fixed minimum.

    `given` are the scores, unless delivery novelty computes them.
    """

    def __init__(self, settings: Filter, ids: Sequence[str], given: GivenScores | None = None) -> None:
        super().__init__(settings, ids)
        self._given = given
        count = len(ids)
        pacing = Pacing(settings.rate, settings.period)
        self._pace = float(pacing.rate), pacing.slack, pacing.few
        fixed = settings.novelty is FilterKind.MINIMUM
        self._bar = np.full(1, settings.minimum if fixed else 0.0)
        self._delivered = np.zeros(count, np.int64)
        self._last = np.zeros(count, np.int64)
        self._previous = np.full(count, np.nan)
        self._scores = np.zeros(0)
        self._above = np.zeros(0, np.int64)
        self._below = np.zeros(0, np.int64)
        self._at = np.zeros(0, np.int64)
        self._is_above = np.zeros(0, np.bool_)

    @property
    def threshold(self) -> float:
        """The lowest score with which the next event can pass; 0 if every event can."""
        from rankcast.engine.arrays.filters.kernels.thresholds import PACED, paced_bar

        if self._kind == PACED:
            heaps = (self._above, self._below, self._at, self._is_above)
            low = paced_bar(*self._pace, self._settings.period, self._whole, self._scores, *heaps)
            return 0.0 if np.isinf(low) else float(low)
        return float(self._bar[0])

    @property
    def _kind(self) -> int:
        from rankcast.engine.arrays.filters.kernels.thresholds import EAGER, FIXED, LAZY, PACED

        if self._settings.novelty is FilterKind.MINIMUM:
            return FIXED
        if self._settings.update is Update.PACED:
            return PACED
        return EAGER if self._eager else LAZY

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.thresholds import GIVEN, INTERVAL, RATE, threshold

        scorings = {Scoring.RATE: RATE, Scoring.INTERVAL: INTERVAL}
        given = np.empty(0) if self._given is None else self._given.scores(batch)
        out = np.zeros(len(batch.patterns), np.bool_)
        self._make_room(len(out))
        threshold(
            batch.patterns,
            batch.starts,
            batch.places,
            given,
            scorings.get(self._settings.scoring, GIVEN),
            float(self._settings.aging),
            self._kind,
            self._eager,
            self._k,
            self._settings.period,
            *self._pace,
            self._whole,
            self._bar,
            self._ring,
            self._delivered,
            self._last,
            self._previous,
            self._scores,
            self._above,
            self._below,
            self._at,
            self._is_above,
            out,
        )
        return out

    def _make_room(self, events: int) -> None:
        """Make room for more scores in the period or window."""
        from rankcast.engine.arrays.filters.kernels.budget import ARRIVED, SEEN
        from rankcast.engine.arrays.filters.kernels.thresholds import FIXED, PACED

        paced = self._kind == PACED
        if not paced:
            super()._make_room(events)
        period = self._settings.period
        wanted = min(period, int(self._whole[ARRIVED if self._eager else SEEN]) + events)
        if self._kind == FIXED or wanted <= len(self._scores):
            return
        room = min(period, 2 * wanted)
        self._scores = grown(self._scores, room)
        self._at = grown(self._at, room)
        self._above = grown(self._above, room + 1 if paced else min(self._k, room))
        if self._eager:
            self._below = grown(self._below, room + 1)
            self._is_above = grown(self._is_above, room)

    def state(self) -> State:
        """The state in the format of `Threshold`."""
        from rankcast.engine.arrays.filters.kernels.budget import ABOVE, ARRIVED, SEEN, SPENT, T
        from rankcast.engine.arrays.filters.kernels.thresholds import EAGER, LAZY, PACED

        if self._given is not None:
            score = self._given.state()
        else:
            score = {
                "t": int(self._whole[T]),
                "delivered": self._named(self._delivered, self._delivered > 0),
                "last": self._named(self._last, self._last > 0),
                "previous": self._named(self._previous, ~np.isnan(self._previous)),
            }
        bar: State = {}
        if self._kind in (EAGER, PACED):
            arrived, length = int(self._whole[ARRIVED]), self._settings.period
            slots = [number % length for number in range(max(0, arrived - length), arrived)]
            bar = {"window": self._scores[slots].tolist()}
        elif self._kind == LAZY:
            highest = self._scores[self._above[: self._whole[ABOVE]]]
            seen = int(self._whole[SEEN])
            bar = {"value": float(self._bar[0]), "seen": seen, "highest": sorted(highest.tolist())}
        budget = self._budget()
        if self._kind == PACED:
            budget = {"t": int(self._whole[T]), "passed": int(self._whole[SPENT])}
        return {"score": score, "budget": budget, "bar": bar}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `Threshold`."""
        from rankcast.engine.arrays.filters.kernels.budget import ABOVE, SEEN, SPENT, T
        from rankcast.engine.arrays.filters.kernels.thresholds import EAGER, LAZY, PACED, slide

        if self._kind == PACED:
            self._whole[:] = 0
            self._whole[T], self._whole[SPENT] = state["budget"]["t"], state["budget"]["passed"]
        else:
            self._restore_budget(state["budget"])
        score, bar = state["score"], state["bar"]
        if self._given is not None:
            self._given.restore(score)
        else:
            self._fill(self._delivered, 0, score["delivered"])
            self._fill(self._last, 0, score["last"])
            self._fill(self._previous, np.nan, score["previous"])
        if self._kind == LAZY:
            self._bar[0] = bar["value"]
            self._whole[SEEN] = bar["seen"]
            self._whole[ABOVE] = len(bar["highest"])
            self._make_room(0)
            # The other scores of the period no longer matter; the highest take the first slots.
            for slot, kept in enumerate(sorted(bar["highest"])):
                self._scores[slot] = kept
                self._above[slot] = slot
                self._at[slot] = slot
        elif self._kind in (EAGER, PACED):
            self._bar[0] = 0.0
            self._make_room(len(bar["window"]))
            for known in bar["window"]:
                slide(
                    known,
                    self._k if self._kind == EAGER else 1,
                    self._settings.period,
                    self._whole,
                    self._scores,
                    self._above,
                    self._below,
                    self._at,
                    self._is_above,
                )
            if self._kind == EAGER and self._whole[ABOVE] == self._k:
                self._bar[0] = self._scores[self._above[0]]
