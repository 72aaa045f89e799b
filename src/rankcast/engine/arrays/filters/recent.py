"""Eager sampling by the match rates in a window, over arrays."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.chance import user_key
from rankcast.choose.filters.match_rates import MatchesWithin
from rankcast.engine.arrays.filters.batch import FilterBatch, Integers, draws
from rankcast.engine.arrays.filters.budgeted import BudgetState
from rankcast.model import Filter, Scoring
from rankcast.plain import State


class ArrayRecentSampling(BudgetState):
    """The counterpart of `Sampling` with `MatchesWithin`.

    Recent matches are stored in order, as subscription and position.
    """

    def __init__(self, user: str, settings: Filter, ids: Sequence[str]) -> None:
        super().__init__(settings, ids)
        self._key = user_key(settings.seed, user)
        self._probability = np.full(len(ids), np.nan)
        self._known = np.zeros(len(ids), np.bool_)
        self._recent: Integers = np.empty(0, np.int64)
        self._recent_at: Integers = np.empty(0, np.int64)

    def admit(self, batch: FilterBatch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.engine.arrays.filters.kernels.budget import T
        from rankcast.engine.arrays.filters.kernels.counting import flatten
        from rankcast.engine.arrays.filters.kernels.recent import sample_recent

        ends, flat = flatten(batch.patterns, batch.starts, batch.places)
        sizes = np.diff(ends, prepend=0)
        positions = np.repeat(self._whole[T] + 1 + np.arange(len(ends)), sizes)
        recent, at = np.concatenate((self._recent, flat)), np.concatenate((self._recent_at, positions))
        out = np.zeros(len(batch.patterns), np.bool_)
        self._make_room(len(out))
        kept = np.zeros(len(recent), np.bool_)
        sample_recent(
            ends,
            recent,
            at,
            len(self._recent),
            draws(batch.keys, self._key),
            self._settings.scoring is Scoring.INTERVAL,
            float(self._settings.aging),
            float(self._settings.rate),
            self._k,
            self._settings.period,
            self._whole,
            self._ring,
            self._probability,
            self._known,
            kept,
            out,
        )
        self._recent, self._recent_at = recent[kept], at[kept]
        return out

    def state(self) -> State:
        """The state in the format of `Sampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import START, T

        order = np.argsort(self._recent, kind="stable")
        at, ends = self._recent_at[order], np.searchsorted(self._recent[order], np.arange(len(self._ids) + 1))
        positions = {
            name: at[ends[place] : ends[place + 1]].tolist()
            for place, name in enumerate(self._ids)
            if self._known[place]
        }
        active = self._named(self._probability, ~np.isnan(self._probability))
        matches = {"t": int(self._whole[T]), "start": int(self._whole[START]), "positions": positions}
        return {"budget": self._budget(), "active": active, "matches": matches}

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `Sampling`."""
        from rankcast.engine.arrays.filters.kernels.budget import ACTIVE, START

        self._restore_budget(state["budget"])
        self._fill(self._probability, np.nan, state["active"])
        self._whole[ACTIVE] = np.count_nonzero(~np.isnan(self._probability))
        matches = MatchesWithin(self._settings.period)
        matches.restore(state["matches"])
        matches.keep(dict.fromkeys(self._ids))
        kept = matches.state()
        self._whole[START] = kept["start"]
        known = kept["positions"]
        self._known[:] = [name in known for name in self._ids]
        pairs = sorted((position, place) for place, name in enumerate(self._ids) for position in known.get(name, ()))
        self._recent = np.array([place for _, place in pairs], np.int64)
        self._recent_at = np.array([position for position, _ in pairs], np.int64)
