"""The common part of the filters with a budget, over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.budget import Budget
from rankcast.model import Filter, Update
from rankcast.plain import Array, State

_FEW = 16


class BudgetState:
    """Counters, the positions of the events that passed, and the subscriptions by index.

    The arrays grow with the events, up to the declared period, so memory depends on what the filter holds.
    """

    def __init__(self, settings: Filter, ids: Sequence[str]) -> None:
        self._settings = settings
        self._ids = list(ids)
        self._places = {name: place for place, name in enumerate(self._ids)}
        self._eager = settings.update is not Update.LAZY
        self._k = Budget(settings.rate, settings.period, settings.update).k
        self._whole = np.zeros(11, np.int64)
        self._ring = np.zeros(min(self._k, _FEW), np.int64)

    def _make_room(self, events: int) -> None:
        """Make room in the ring for the events that may pass. A ring shorter than k never wraps around."""
        from rankcast.engine.arrays.filters.kernels.budget import HEAD, PASSED

        head, passed = int(self._whole[HEAD]), int(self._whole[PASSED])
        if len(self._ring) < self._k and head + passed + events > len(self._ring):
            ring = np.zeros(min(self._k, 2 * (passed + events)), np.int64)
            ring[:passed] = self._ring[head : head + passed]
            self._ring = ring
            self._whole[HEAD] = 0

    def _budget(self) -> State:
        from rankcast.engine.arrays.filters.kernels.budget import HEAD, PASSED, T

        head, passed = int(self._whole[HEAD]), int(self._whole[PASSED])
        positions = [int(self._ring[(head + number) % self._k]) for number in range(passed)]
        return {"t": int(self._whole[T]), "passed": positions}

    def _restore_budget(self, state: State) -> None:
        from rankcast.engine.arrays.filters.kernels.budget import PASSED, T

        self._whole[:] = 0
        self._whole[T] = state["t"]
        self._make_room(len(state["passed"]))
        self._whole[PASSED] = len(state["passed"])
        self._ring[: len(state["passed"])] = state["passed"]

    def _named(self, values: Array, known: NDArray[np.bool_]) -> State:
        return {name: values[place].item() for place, name in enumerate(self._ids) if known[place]}

    def _fill(self, values: Array, default: float, named: State) -> None:
        values[:] = default
        for name, value in named.items():
            if name in self._places:
                values[self._places[name]] = value


def grown(values: Array, room: int) -> Array:
    """The values in a larger array."""
    made = np.zeros(max(room, len(values)), values.dtype)
    made[: len(values)] = values
    return made
