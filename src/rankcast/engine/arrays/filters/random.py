"""The random filter over arrays."""

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import user_key
from rankcast.choose.filters.random import budget_of_period
from rankcast.engine.arrays.filters.batch import FilterBatch, draws
from rankcast.model import Filter
from rankcast.plain import State


class ArrayRandom:
    """The counterpart of `Random`."""

    def __init__(self, user: str, settings: Filter) -> None:
        self._key = user_key(settings.seed, user)
        self._settings = settings
        self._t = 0
        self._passed = 0

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.samples import draw_exactly

        drawn = draws(batch.keys, self._key)
        if not self._settings.exact:
            return drawn < self._settings.rate
        period = self._settings.period
        out = np.zeros(len(drawn), np.bool_)
        start = 0
        while start < len(drawn):
            number, seen = divmod(self._t, period)
            if seen == 0:
                self._passed = 0
            end = min(len(drawn), start + period - seen)
            left = budget_of_period(self._settings.rate, period, number) - self._passed
            draw_exactly(drawn[start:end], left, period - seen, out[start:end])
            self._passed += int(np.count_nonzero(out[start:end]))
            self._t += end - start
            start = end
        return out

    def state(self) -> State:
        """The state in the format of `Random`."""
        return {"t": self._t, "passed": self._passed} if self._settings.exact else {}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `Random`; an empty one of before starts a period."""
        self._t = state.get("t", 0)
        self._passed = state.get("passed", 0)
