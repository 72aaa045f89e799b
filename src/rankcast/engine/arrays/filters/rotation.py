"""The paced filter by interval over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.pacing import Pacing
from rankcast.choose.filters.rotation import turns_of
from rankcast.engine.arrays.filters.batch import FilterBatch
from rankcast.engine.arrays.filters.budgeted import BudgetState
from rankcast.model import Filter
from rankcast.plain import State


class ArrayRotation(BudgetState):
    """`rankcast.choose.filters.Rotation` over arrays."""

    def __init__(self, settings: Filter, ids: Sequence[str]) -> None:
        from rankcast.engine.arrays.filters.kernels.turns import NEVER

        super().__init__(settings, ids)
        self._pacing = Pacing(settings.rate, settings.period)
        self._served = np.full(len(ids), NEVER, np.int64)

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.turns import turns

        out = np.zeros(len(batch.patterns), np.bool_)
        pacing = self._pacing
        turns(
            batch.patterns,
            batch.starts,
            batch.places,
            float(pacing.rate),
            pacing.slack,
            pacing.budget,
            self._whole,
            self._served,
            out,
        )
        return out

    def state(self) -> State:
        """The state in the format of `Rotation`."""
        from rankcast.engine.arrays.filters.kernels.budget import SPENT, START, T
        from rankcast.engine.arrays.filters.kernels.turns import NEVER

        return {
            "budget": {"t": int(self._whole[T]), "passed": int(self._whole[SPENT])},
            "turns": {"turn": int(self._whole[START]), "served": self._named(self._served, self._served != NEVER)},
        }

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `Rotation`."""
        from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, SPENT, START, T
        from rankcast.engine.arrays.filters.kernels.turns import NEVER

        owed = turns_of(state)
        self._whole[:] = 0
        self._whole[T], self._whole[SPENT] = state["budget"]["t"], state["budget"]["passed"]
        self._whole[START] = owed["turn"]
        self._fill(self._served, NEVER, owed["served"])
        self._whole[ACTIVE] = np.count_nonzero(self._served != NEVER)
