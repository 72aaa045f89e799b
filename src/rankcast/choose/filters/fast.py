"""The filters over arrays: the same decisions as those of `of_policy`, a batch of one user's events at a time."""

from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.choose.filters.budget import Budget
from rankcast.choose.filters.chance import event_key, user_key
from rankcast.model import Filter, FilterKind, Rates, Scoring, Update

__all__ = ["ArrayFilter", "ArrayThreshold", "Batch", "Keys", "array_filter", "draws", "event_keys"]

Integers: TypeAlias = NDArray[np.int64]
Reals: TypeAlias = NDArray[np.float64]
Keys: TypeAlias = NDArray[np.uint64]

_NOTHING = np.empty(0, np.int64)
_NO_REALS = np.empty(0)


class Batch(NamedTuple):
    """The next events that match one user, in order.

    `patterns` numbers the set of subscriptions that each event matches; those of set p are
    ``places[starts[p]:starts[p + 1]]``, as places in the user's list. `ranks` are needed for scoring by score only, `keys`
    (`event_keys`) where chance decides.
    """

    patterns: Integers
    starts: Integers
    places: Integers
    ranks: Reals = _NO_REALS
    keys: Keys = np.empty(0, np.uint64)


class ArrayFilter(Protocol):
    """One user's filter, fed with every event that matches the user."""

    def admit(self, batch: Batch) -> NDArray[np.bool_]:
        """Which of the next events pass."""

    def state(self) -> dict[str, Any]:
        """The state of the filter that this one stands for."""

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a state, of this or of the filter that it stands for, was taken."""


def array_filter(user: str, settings: Filter, ids: Sequence[str]) -> ArrayFilter | None:
    """A fresh filter over arrays for a user with these subscriptions; None if only the plain one can do it.

    Those are the decaying novelty, sampling by score, and eager sampling by the rates of a window.
    """
    match settings.novelty:
        case FilterKind.RANDOM:
            return _Random(user, settings)
        case FilterKind.SAMPLING:
            plain = settings.update is Update.EAGER and settings.rates is Rates.PERIOD
            if plain or settings.scoring not in (Scoring.RATE, Scoring.INTERVAL):
                return None
            return _Sampling(user, settings, ids)
        case FilterKind.THRESHOLD | FilterKind.MINIMUM:
            return None if settings.scoring is Scoring.DECAY else ArrayThreshold(settings, ids)


def event_keys(event_ids: Iterable[str]) -> Keys:
    """What stands for each event when chance decides; the same for all users, so computed once per batch."""
    return np.fromiter(map(event_key, event_ids), np.uint64)


def draws(keys: Keys, user: int) -> Reals:
    """The numbers that `chance` draws for a user (a `user_key`) and each of the events."""
    mixed = keys ^ np.uint64(user)
    mixed = (mixed ^ (mixed >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    mixed = (mixed ^ (mixed >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((mixed ^ (mixed >> np.uint64(31))) >> np.uint64(11)).astype(np.float64) / 2**53


class _Random:
    def __init__(self, user: str, settings: Filter) -> None:
        self._key = user_key(settings.seed, user)
        self._rate = settings.rate

    def admit(self, batch: Batch) -> NDArray[np.bool_]:
        return draws(batch.keys, self._key) < self._rate

    def state(self) -> dict[str, Any]:
        return {}

    def restore(self, state: dict[str, Any]) -> None:
        """Nothing to restore."""


class _Budgeted:
    """What both filters with a budget keep: whole numbers, and the positions of what passed."""

    def __init__(self, settings: Filter, ids: Sequence[str]) -> None:
        self._settings = settings
        self._ids = list(ids)
        self._places = {name: place for place, name in enumerate(self._ids)}
        self._eager = settings.update is Update.EAGER
        self._k = Budget(settings.rate, settings.period, settings.update).k
        self._whole = np.zeros(9, np.int64)
        self._ring = np.zeros(self._k, np.int64)

    def _budget(self) -> dict[str, Any]:
        from rankcast.choose.filters import kernels

        head, passed = int(self._whole[kernels.HEAD]), int(self._whole[kernels.PASSED])
        positions = [int(self._ring[(head + number) % self._k]) for number in range(passed)]
        return {"t": int(self._whole[kernels.T]), "passed": positions}

    def _restore_budget(self, state: dict[str, Any]) -> None:
        from rankcast.choose.filters import kernels

        self._whole[:] = 0
        self._whole[kernels.T] = state["t"]
        self._whole[kernels.PASSED] = len(state["passed"])
        self._ring[: len(state["passed"])] = state["passed"]

    def _named(self, values: NDArray[Any], known: NDArray[np.bool_]) -> dict[str, Any]:
        return {name: values[place].item() for place, name in enumerate(self._ids) if known[place]}

    def _fill(self, values: NDArray[Any], default: float, named: dict[str, Any]) -> None:
        values[:] = default
        for name, value in named.items():
            if name in self._places:
                values[self._places[name]] = value


class ArrayThreshold(_Budgeted):
    """The threshold filter over arrays, also that with a fixed minimum."""

    def __init__(self, settings: Filter, ids: Sequence[str]) -> None:
        super().__init__(settings, ids)
        count, period = len(ids), settings.period
        fixed = settings.novelty is FilterKind.MINIMUM
        self._bar = np.full(1, settings.minimum if fixed else 0.0)
        self._delivered = np.zeros(count, np.int64)
        self._last = np.zeros(count, np.int64)
        self._previous = np.full(count, np.nan)
        room = 0 if fixed else period
        self._scores = np.zeros(room)
        self._above = np.zeros(min(self._k, room), np.int64)
        self._below = np.zeros(room + 1 if self._eager else 0, np.int64)
        self._at = np.zeros(room, np.int64)
        self._is_above = np.zeros(room if self._eager else 0, np.bool_)

    @property
    def threshold(self) -> float:
        """The least score with which the next event may pass."""
        return float(self._bar[0])

    @property
    def _kind(self) -> int:
        from rankcast.choose.filters import kernels

        if self._settings.novelty is FilterKind.MINIMUM:
            return kernels.FIXED
        return kernels.EAGER if self._eager else kernels.LAZY

    def admit(self, batch: Batch) -> NDArray[np.bool_]:
        """Which of the next events pass."""
        from rankcast.choose.filters import kernels

        scorings = {Scoring.RATE: kernels.RATE, Scoring.INTERVAL: kernels.INTERVAL, Scoring.SCORE: kernels.GIVEN}
        given = _NO_REALS
        if self._settings.scoring is Scoring.SCORE:
            distinct, which = np.unique(batch.ranks, return_inverse=True)
            given = np.array([round(rank, 12) for rank in distinct.tolist()])[which]
        out = np.zeros(len(batch.patterns), np.bool_)
        kernels.threshold(
            batch.patterns,
            batch.starts,
            batch.places,
            given,
            scorings[self._settings.scoring],
            float(self._settings.aging),
            self._kind,
            self._eager,
            self._k,
            self._settings.period,
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

    def state(self) -> dict[str, Any]:
        """As that of `Threshold`."""
        from rankcast.choose.filters import kernels

        score: dict[str, Any] = {}
        if self._settings.scoring is not Scoring.SCORE:
            score = {
                "t": int(self._whole[kernels.T]),
                "delivered": self._named(self._delivered, self._delivered > 0),
                "last": self._named(self._last, self._last > 0),
                "previous": self._named(self._previous, ~np.isnan(self._previous)),
            }
        bar: dict[str, Any] = {}
        if self._kind == kernels.EAGER:
            arrived, length = int(self._whole[kernels.ARRIVED]), len(self._scores)
            slots = [number % length for number in range(max(0, arrived - length), arrived)]
            bar = {"window": self._scores[slots].tolist()}
        elif self._kind == kernels.LAZY:
            highest = self._scores[self._above[: self._whole[kernels.ABOVE]]]
            seen = int(self._whole[kernels.SEEN])
            bar = {"value": float(self._bar[0]), "seen": seen, "highest": sorted(highest.tolist())}
        return {"score": score, "budget": self._budget(), "bar": bar}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on where a state, of this or of `Threshold`, was taken."""
        from rankcast.choose.filters import kernels

        self._restore_budget(state["budget"])
        score, bar = state["score"], state["bar"]
        self._fill(self._delivered, 0, score.get("delivered", {}))
        self._fill(self._last, 0, score.get("last", {}))
        self._fill(self._previous, np.nan, score.get("previous", {}))
        if self._kind == kernels.LAZY:
            self._bar[0] = bar["value"]
            self._whole[kernels.SEEN] = bar["seen"]
            self._whole[kernels.ABOVE] = len(bar["highest"])
            # The other scores of the period cannot matter any more; the highest take the first slots.
            for slot, kept in enumerate(sorted(bar["highest"])):
                self._scores[slot] = kept
                self._above[slot] = slot
                self._at[slot] = slot
        elif self._kind == kernels.EAGER:
            self._bar[0] = 0.0
            for known in bar["window"]:
                kernels._slide(
                    known,
                    self._k,
                    self._whole,
                    self._scores,
                    self._above,
                    self._below,
                    self._at,
                    self._is_above,
                )
            if self._whole[kernels.ABOVE] == self._k:
                self._bar[0] = self._scores[self._above[0]]


class _Sampling(_Budgeted):
    def __init__(self, user: str, settings: Filter, ids: Sequence[str]) -> None:
        super().__init__(settings, ids)
        self._key = user_key(settings.seed, user)
        self._probability = np.full(len(ids), np.nan)
        self._counts = np.zeros(len(ids), np.int64)
        self._first = np.zeros(len(ids), np.int64)
        self._last = np.zeros(len(ids), np.int64)

    def admit(self, batch: Batch) -> NDArray[np.bool_]:
        from rankcast.choose.filters import kernels

        settings = self._settings
        out = np.zeros(len(batch.patterns), np.bool_)
        kernels.sample(
            batch.patterns,
            batch.starts,
            batch.places,
            draws(batch.keys, self._key),
            settings.scoring is Scoring.INTERVAL,
            float(settings.aging),
            self._eager,
            settings.rates is Rates.PERIOD,
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

    def state(self) -> dict[str, Any]:
        from rankcast.choose.filters import kernels

        known = {
            name: [int(self._counts[place]), int(self._first[place]), int(self._last[place])]
            for place, name in enumerate(self._ids)
            if self._counts[place]
        }
        matches = {"t": int(self._whole[kernels.T]), "start": int(self._whole[kernels.START]), "known": known}
        active = self._named(self._probability, ~np.isnan(self._probability))
        return {"budget": self._budget(), "active": active, "matches": matches}

    def restore(self, state: dict[str, Any]) -> None:
        from rankcast.choose.filters import kernels

        self._restore_budget(state["budget"])
        self._fill(self._probability, np.nan, state["active"])
        self._whole[kernels.ACTIVE] = np.count_nonzero(~np.isnan(self._probability))
        self._whole[kernels.START] = state["matches"]["start"]
        known = state["matches"]["known"]
        for column, values in enumerate((self._counts, self._first, self._last)):
            self._fill(values, 0, {name: numbers[column] for name, numbers in known.items()})
