"""The cost of catalog changes, both in the store and in the pipeline.

In the store they block other writers. In the pipeline they delay the next event.
"""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from threading import Lock
from time import monotonic, thread_time
from typing import NamedTuple

from rankcast.model import Advertisement, Record
from rankcast.pipeline.local import CommittedBatch
from rankcast.service.problems import Problem
from rankcast.service.rates import RateLimits

_LEAST = 1e-6
_MANY = 10_000
_FLUSH = 0.005
"""Seconds that a change is charged besides its processor time, because it flushes the disk while other writers wait."""
_IN_STORE = 8.0
"""Size of the budget for the store, as a multiple of the burst. Changes in the store are short."""
_GUESS = 3.0
"""Assumed cost of a change in the pipeline before any was measured, as a multiple of its cost in the store."""
_ACTIVE = 2.0
"""A pipeline that has committed nothing for this many seconds is idle. Changes are then not charged in advance."""


class _Change(NamedTuple):
    """A version of the catalog, the owners of the changed records, and the charge to each owner for the pipeline."""

    version: int
    owners: Collection[str]
    charged: float


class ChangeCosts:
    """Limits the processor time of each owner's changes: `rate` seconds of one core per second, `burst` at once.

    The cost of a change grows with the data of its owner: the store reads all of the owner's records, and the
    pipeline carries over the windows of a user. Both costs are measured. Changes are refused while their owner has no
    time left. The pipeline applies consecutive changes without events between them together, so they are charged
    once.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._in_store = RateLimits(rate, _IN_STORE * burst, clock)
        self._in_pipeline = RateLimits(rate, burst, clock)
        self._changes: deque[_Change] = deque(maxlen=_MANY)
        self._each: dict[str, float] = {}
        """The recent cost of a change in the pipeline, in seconds, by owner."""
        self._last_served = float("-inf")
        self._lock = Lock()

    def run(self, owners: Collection[str], change: Callable[[], int]) -> int:
        """Run a change of these owners' records, charge them for it, and return the new version of the catalog.

        Raises a problem (429) if one of the owners has no time left.
        """
        for owner in owners:
            self._check(owner)
        begun, spent = thread_time(), 0.0
        try:
            version = change()
        finally:
            spent = (thread_time() - begun) / max(1, len(owners))
            for owner in owners:
                self._in_store.charge(owner, spent + _FLUSH / len(owners))
        charged = 0.0
        if self._clock() - self._last_served < _ACTIVE:
            charged = max((self._each.get(owner, _GUESS * spent) for owner in owners), default=0.0)
            for owner in owners:
                self._in_pipeline.charge(owner, charged)
        with self._lock:
            self._changes.append(_Change(version, owners, charged))
        return version

    def served(self, batch: CommittedBatch) -> None:
        """Report a batch that the pipeline has committed. Safe from any thread."""
        counts: Counter[str] = Counter()
        charged: defaultdict[str, float] = defaultdict(float)
        self._last_served = self._clock()
        with self._lock:
            while self._changes and self._changes[0].version <= batch.version:
                change = self._changes.popleft()
                counts.update(change.owners)
                for owner in change.owners:
                    charged[owner] += change.charged
            if len(self._each) > _MANY:
                self._each.clear()
        for owner, count in counts.items():
            each = batch.change_seconds / counts.total()
            self._each[owner] = (self._each.get(owner, each) + each) / 2
            self._in_pipeline.charge(owner, each * count - charged[owner])

    def _check(self, owner: str) -> None:
        for seconds in (self._in_store, self._in_pipeline):
            wait = seconds.take(owner, _LEAST)
            if wait:
                raise Problem(
                    429,
                    "change-cost",
                    f"changes of the records of {owner!r} have used up the time that the service has for them, {seconds.rate:g} s "
                    f"per second; try again in {wait:.1f} s",
                    {"Retry-After": str(max(1, round(wait)))},
                )


def owners_of(records: Sequence[Record]) -> list[str]:
    """The owners of records. Records that everybody shares have no owner."""
    found = [one.publisher if isinstance(one, Advertisement) else one.user for one in records]
    return list(dict.fromkeys(owner for owner in found if owner is not None))
