"""What the filters with a budget share over arrays."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.budget import Budget
from rankcast.model import Filter, Update

__all__ = ["Budgeted"]


class Budgeted:
    """Whole numbers, the positions of what passed, and the subscriptions by place."""

    def __init__(self, settings: Filter, ids: Sequence[str]) -> None:
        self._settings = settings
        self._ids = list(ids)
        self._places = {name: place for place, name in enumerate(self._ids)}
        self._eager = settings.update is Update.EAGER
        self._k = Budget(settings.rate, settings.period, settings.update).k
        self._whole = np.zeros(10, np.int64)
        self._ring = np.zeros(self._k, np.int64)

    def _budget(self) -> dict[str, Any]:
        from rankcast.choose.filters.fast.kernels.budget import HEAD, PASSED, T

        head, passed = int(self._whole[HEAD]), int(self._whole[PASSED])
        positions = [int(self._ring[(head + number) % self._k]) for number in range(passed)]
        return {"t": int(self._whole[T]), "passed": positions}

    def _restore_budget(self, state: dict[str, Any]) -> None:
        from rankcast.choose.filters.fast.kernels.budget import PASSED, T

        self._whole[:] = 0
        self._whole[T] = state["t"]
        self._whole[PASSED] = len(state["passed"])
        self._ring[: len(state["passed"])] = state["passed"]

    def _named(self, values: NDArray[Any], known: NDArray[np.bool_]) -> dict[str, Any]:
        return {name: values[place].item() for place, name in enumerate(self._ids) if known[place]}

    def _fill(self, values: NDArray[Any], default: float, named: dict[str, Any]) -> None:
        values[:] = default
        for name, value in named.items():
            if name in self._places:
                values[self._places[name]] = value
