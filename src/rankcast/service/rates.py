"""Rate limits: a token bucket for each caller."""

from collections import OrderedDict
from collections.abc import Callable
from threading import Lock
from time import monotonic

_MANY = 20_000
_DEEPEST = 60.0
"""The longest time, in seconds, that a charged bucket takes to refill before something can be taken from it again."""


class RateLimits:
    """Token buckets that hold `burst` and refill at `rate` per second. Keeps the 20,000 most recently used buckets.

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
        """Charge a bucket for something already used, even if it holds too little. A negative amount is a refund."""
        if self.take(who, amount):
            with self._lock:
                level, at = self._buckets[who]
                self._buckets[who] = (max(level - amount, -_DEEPEST * self.rate), at)

    def take(self, who: str, amount: float = 1.0) -> float:
        """Take an amount from a bucket. Returns 0, or how many seconds to wait if the bucket does not hold enough."""
        now = self._clock()
        with self._lock:
            level, at = self._buckets.pop(who, (self.burst, now))
            level = min(self.burst, level + (now - at) * self.rate)
            enough = level >= amount
            self._buckets[who] = (level - amount if enough else level, now)
            if len(self._buckets) > _MANY:
                self._buckets.popitem(last=False)
        return 0.0 if enough else (amount - level) / self.rate
