"""The random filter over arrays."""

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import user_key
from rankcast.engine.arrays.filters.batch import FilterBatch, draws
from rankcast.model import Filter
from rankcast.plain import State

__all__ = ["ArrayRandom"]


class ArrayRandom:
    """Lets each event through with the same probability."""

    def __init__(self, user: str, settings: Filter) -> None:
        self._key = user_key(settings.seed, user)
        self._rate = settings.rate

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        return draws(batch.keys, self._key) < self._rate

    def state(self) -> State:
        """An empty state."""
        return {}

    def restore(self, state: State) -> None:
        """Do nothing."""
