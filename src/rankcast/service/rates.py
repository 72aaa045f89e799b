"""How often one may ask: a token bucket for each who asks."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic

__all__ = ["RateLimits"]

_MANY = 20_000
_DEEPEST = 60.0
"""How many seconds a bucket that was charged takes to fill at most, before something can be taken out of it again."""


class RateLimits:
    """Buckets that hold `burst` and fill at `rate` per second; those used least recently are forgotten beyond 20,000.

    >>> now = [0.0]
    >>> rates = RateLimits(rate=2.0, burst=1, clock=lambda: now[0])
    >>> rates.take("ann"), rates.take("ann"), rates.take("bob")
    (0.0, 0.5, 0.0)
    >>> now[0] = 0.5
    >>> rates.take("ann")
    0.0
    """

    def __init__(self, rate: float, burst: float, clock: Callable[[], float] = monotonic) -> None:
        self.rate = rate
        self.burst = float(burst)
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        self._lock = Lock()

    def charge(self, who: str, amount: float) -> None:
        """Take out of a bucket what has been used already, though there may not be enough in it; or put something back."""
        if self.take(who, amount):
            with self._lock:
                level, at = self._buckets[who]
                self._buckets[who] = (max(level - amount, -_DEEPEST * self.rate), at)

    def take(self, who: str, amount: float = 1.0) -> float:
        """Take something out of a bucket; 0, or for how many seconds to wait because there is not enough in it."""
        now = self._clock()
        with self._lock:
            level, at = self._buckets.pop(who, (self.burst, now))
            level = min(self.burst, level + (now - at) * self.rate)
            enough = level >= amount
            self._buckets[who] = (level - amount if enough else level, now)
            if len(self._buckets) > _MANY:
                self._buckets.popitem(last=False)
        return 0.0 if enough else (amount - level) / self.rate
