"""Scores that do not depend on what a filter lets through: the rank, and decaying novelty."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Protocol

import numpy as np

from rankcast.engine.arrays.filters.batch import FilterBatch, Integers, Reals
from rankcast.engine.arrays.filters.novelties import novelties
from rankcast.model import EPOCH, Decaying, Unit
from rankcast.plain import State

_MICROSECOND = timedelta(microseconds=1)


class GivenScores(Protocol):
    """The scores of one user's events, one batch at a time."""

    highest: float
    """An upper bound on all scores."""

    def scores(self, batch: FilterBatch) -> Reals:
        """The scores of the next events."""

    def state(self) -> State:
        """The state in the format of the corresponding reference score."""

    def restore(self, state: State) -> None:
        """Continue from a saved state of this score or of the corresponding reference score."""


class RankScores:
    """The counterpart of `ByRank`."""

    highest = 1.0

    def scores(self, batch: FilterBatch) -> Reals:
        """The ranks."""
        distinct, which = np.unique(batch.ranks, return_inverse=True)
        return np.array([round(rank, 12) for rank in distinct.tolist()])[which]

    def state(self) -> State:
        """An empty state."""
        return {}

    def restore(self, state: State) -> None:
        """Do nothing."""


class DecayScores:
    """The counterpart of `DecayingNovelty`.

    A kernel counts matches, and the same formula converts counts into novelties.
    """

    def __init__(self, settings: Decaying, origin: datetime, ids: Sequence[str]) -> None:
        self.highest = settings.beta
        self._settings = settings
        length = settings.period or settings.window
        self._unit = Unit.MATCHED if length is None else length.unit
        amount = 0 if length is None else length.amount
        self._length = amount // _MICROSECOND if isinstance(amount, timedelta) else amount
        self._slides = settings.window is not None
        self._origin = origin
        self._ids = list(ids)
        self._places = {name: place for place, name in enumerate(self._ids)}
        self._t = 0
        self._period = np.zeros(1, np.int64)
        self._counts = np.zeros(len(ids), np.int64)
        self._known = np.zeros(len(ids), np.bool_)
        self._window_at: Integers = np.empty(0, np.int64)
        self._window_ends: Integers = np.empty(0, np.int64)
        self._window: Integers = np.empty(0, np.int64)

    def scores(self, batch: FilterBatch) -> Reals:
        """The importance of the next events."""
        from rankcast.engine.arrays.filters.kernels.counting import count_matches, flatten

        positions = self._positions(batch)
        old = len(self._window_at)
        if self._slides:
            ends, flat = flatten(batch.patterns, batch.starts, batch.places)
            self._window_at = np.concatenate((self._window_at, positions))
            self._window_ends = np.concatenate((self._window_ends, len(self._window) + ends))
            self._window = np.concatenate((self._window, flat))
        lowest = np.empty(len(batch.patterns), np.int64)
        left = count_matches(
            batch.patterns,
            batch.starts,
            batch.places,
            batch.specific_starts,
            batch.specific,
            positions,
            self._length,
            self._slides,
            self._counts,
            self._known,
            self._period,
            self._window_at,
            self._window_ends,
            self._window,
            old,
            lowest,
        )
        if left:
            gone = self._window_ends[left - 1]
            self._window_at = self._window_at[left:].copy()
            self._window_ends = self._window_ends[left:] - gone
            self._window = self._window[gone:].copy()
        self._t += len(batch.patterns)
        return novelties(self._settings, lowest)

    def state(self) -> State:
        """The state in the format of `DecayingNovelty`."""
        starts = [0, *self._window_ends.tolist()]
        window = [
            [at, [self._ids[place] for place in self._window[start:end].tolist()]]
            for at, start, end in zip(self._window_at.tolist(), starts[:-1], starts[1:], strict=True)
        ]
        return {
            "t": self._t,
            "period": int(self._period[0]),
            "matches": {name: int(self._counts[place]) for name, place in self._places.items() if self._known[place]},
            "window": window,
        }

    def restore(self, state: State) -> None:
        """Continue from a saved state of this or of `DecayingNovelty`."""
        self._t = state["t"]
        self._period[0] = state["period"]
        self._counts[:] = [state["matches"].get(name, 0) for name in self._ids]
        self._known[:] = [name in state["matches"] for name in self._ids]
        kept = [[self._places[name] for name in matching if name in self._places] for _, matching in state["window"]]
        self._window_at = np.array([at for at, _ in state["window"]], np.int64)
        self._window_ends = np.cumsum([len(places) for places in kept], dtype=np.int64)
        self._window = np.array([place for places in kept for place in places], np.int64)

    def _positions(self, batch: FilterBatch) -> Integers:
        match self._unit:
            case Unit.MATCHED:
                return self._t + np.arange(len(batch.patterns))
            case Unit.EVENTS:
                return batch.seqs - 1
            case Unit.TIME:
                return batch.times - (self._origin - EPOCH) // _MICROSECOND
