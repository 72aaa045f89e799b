"""Sampling by a score, over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import user_key
from rankcast.engine.arrays.filters.batch import FilterBatch, draws
from rankcast.engine.arrays.filters.budgeted import BudgetState, grown
from rankcast.engine.arrays.filters.given import GivenScores
from rankcast.model import Filter
from rankcast.plain import State


class ArrayScoreSampling(BudgetState):
    """The counterpart of `ScoreSampling`, with given scores."""

    def __init__(self, user: str, settings: Filter, ids: Sequence[str], given: GivenScores) -> None:
        super().__init__(settings, ids)
        self._key = user_key(settings.seed, user)
        self._given = given
        self._steps = np.zeros(0, np.int64)
        self._mean = np.full(1, np.nan)

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.scores import sample_by_score

        out = np.zeros(len(batch.patterns), np.bool_)
        self._make_room(len(out))
        sample_by_score(
            self._given.scores(batch),
            draws(batch.keys, self._key),
            self._eager,
            float(self._settings.rate),
            self._k,
            self._settings.period,
            self._whole,
            self._ring,
            self._steps,
            self._mean,
            out,
        )
        return out

    def _make_room(self, events: int) -> None:
        """Make room in the ring for more scores."""
        from rankcast.engine.arrays.filters.kernels.budget import ARRIVED

        super()._make_room(events)
        wanted = min(self._settings.period, int(self._whole[ARRIVED]) + events)
        if wanted > len(self._steps):
            self._steps = grown(self._steps, min(self._settings.period, 2 * wanted))

    def state(self) -> State:
        """The state in the format of `ScoreSampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import ARRIVED, SEEN

        arrived, seen = int(self._whole[ARRIVED]), int(self._whole[SEEN])
        slots = [number % self._settings.period for number in range(arrived - seen, arrived)]
        mean = float(self._mean[0])
        return {
            "score": self._given.state(),
            "budget": self._budget(),
            "steps": self._steps[slots].tolist(),
            "mean": None if np.isnan(mean) else mean,
        }

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `ScoreSampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import ARRIVED, SEEN, SUM

        self._given.restore(state["score"])
        self._restore_budget(state["budget"])
        self._make_room(len(state["steps"]))
        self._steps[: len(state["steps"])] = state["steps"]
        self._whole[ARRIVED] = self._whole[SEEN] = len(state["steps"])
        self._whole[SUM] = sum(state["steps"])
        self._mean[0] = np.nan if state["mean"] is None else state["mean"]
