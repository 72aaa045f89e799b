"""What changes of the catalog cost: in the store, while nobody else can write, and in the pipeline, before the next event."""

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Collection, Sequence
from threading import Lock
from time import monotonic, thread_time
from typing import NamedTuple

from rankcast.model import Advertisement, Record
from rankcast.pipeline.local import CommittedBatch
from rankcast.service.problems import Problem
from rankcast.service.rates import RateLimits

__all__ = ["ChangeCosts", "owners_of"]

_LEAST = 1e-6
_MANY = 10_000
_IN_STORE = 8.0
"""How many times the burst may be spent in the store, where a change is short."""
_GUESS = 3.0
"""What a change is taken to cost in the pipeline before that was measured, as a multiple of what it cost in the store."""
_ACTIVE = 2.0
"""A pipeline that has committed nothing for so many seconds has nothing to do: the changes until then it takes over at once."""


class _Change(NamedTuple):
    """A version of the catalog, whose records it changed, and what each of them was charged for the pipeline."""

    version: int
    owners: Collection[str]
    charged: float


class ChangeCosts:
    """Lets each owner of records change them as often as costs `rate` seconds of one core per second, and `burst` at once.

    A change costs what the owner has: all of it is read by the store, and the windows of a user are handed over by the pipeline. Both
    are measured. While an owner has no time left, changes are refused. Changes without events in between cost the pipeline
    once, and are not charged for it.
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self._clock = clock
        self._in_store = RateLimits(rate, _IN_STORE * burst, clock)
        self._in_pipeline = RateLimits(rate, burst, clock)
        self._changes: deque[_Change] = deque(maxlen=_MANY)
        self._each: dict[str, float] = {}
        """What a change of an owner's records has cost the pipeline of late."""
        self._last_served = float("-inf")
        self._lock = Lock()

    def run(self, owners: Collection[str], change: Callable[[], int]) -> int:
        """Make a change of records of these owners, which returns the version of the catalog; a problem if one of them has no time
        left."""
        for owner in owners:
            self._check(owner)
        begun, spent = thread_time(), 0.0
        try:
            version = change()
        finally:
            spent = (thread_time() - begun) / max(1, len(owners))
            for owner in owners:
                self._in_store.charge(owner, spent)
        charged = 0.0
        if self._clock() - self._last_served < _ACTIVE:
            charged = max((self._each.get(owner, _GUESS * spent) for owner in owners), default=0.0)
            for owner in owners:
                self._in_pipeline.charge(owner, charged)
        with self._lock:
            self._changes.append(_Change(version, owners, charged))
        return version

    def served(self, batch: CommittedBatch) -> None:
        """Say what the pipeline has committed; from any thread."""
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
    """Whose records they are; none of what concerns all."""
    found = [one.publisher if isinstance(one, Advertisement) else one.user for one in records]
    return list(dict.fromkeys(owner for owner in found if owner is not None))
