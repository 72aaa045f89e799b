"""The sampling filter over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import user_key
from rankcast.choose.filters.match_rates import MatchesSince
from rankcast.engine.arrays.filters.batch import FilterBatch, draws
from rankcast.engine.arrays.filters.budgeted import BudgetState
from rankcast.model import Filter, RateSpan, Scoring
from rankcast.plain import State


class ArraySampling(BudgetState):
    """The sampling filter over arrays, with match rates over all history or over periods."""

    def __init__(self, user: str, settings: Filter, ids: Sequence[str]) -> None:
        super().__init__(settings, ids)
        self._key = user_key(settings.seed, user)
        self._probability = np.full(len(ids), np.nan)
        self._counts = np.zeros(len(ids), np.int64)
        self._first = np.zeros(len(ids), np.int64)
        self._last = np.zeros(len(ids), np.int64)

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.samples import sample

        settings = self._settings
        out = np.zeros(len(batch.patterns), np.bool_)
        self._make_room(len(out))
        sample(
            batch.patterns,
            batch.starts,
            batch.places,
            draws(batch.keys, self._key),
            settings.scoring is Scoring.INTERVAL,
            float(settings.aging),
            self._eager,
            settings.rates is RateSpan.PERIOD,
            float(settings.rate),
            self._k,
            settings.period,
            self._whole,
            self._ring,
            self._probability,
            self._counts,
            self._first,
            self._last,
            out,
        )
        return out

    def state(self) -> State:
        """The state in the format of `Sampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import START, T

        known = {
            name: [int(self._counts[place]), int(self._first[place]), int(self._last[place])]
            for place, name in enumerate(self._ids)
            if self._counts[place]
        }
        matches = {"t": int(self._whole[T]), "start": int(self._whole[START]), "known": known}
        active = self._named(self._probability, ~np.isnan(self._probability))
        return {"budget": self._budget(), "active": active, "matches": matches}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `Sampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, START

        self._restore_budget(state["budget"])
        self._fill(self._probability, np.nan, state["active"])
        self._whole[ACTIVE] = np.count_nonzero(~np.isnan(self._probability))
        matches = MatchesSince()
        matches.restore(state["matches"])
        matches.keep(dict.fromkeys(self._ids))
        kept = matches.state()
        self._whole[START] = kept["start"]
        known = kept["known"]
        for column, values in enumerate((self._counts, self._first, self._last)):
            self._fill(values, 0, {name: numbers[column] for name, numbers in known.items()})
