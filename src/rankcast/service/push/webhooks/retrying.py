"""When a message is retried, how long a failing endpoint is paused, and when it is disabled."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b

_DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 8 * 3600, 10 * 3600))


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The retry schedule, the same for all endpoints.

    `delays` are the times between the attempts of one message: eight attempts over about 25 hours. `jitter` lengthens
    a delay by up to this fraction. A hash of endpoint, message and attempt gives the fraction, so that a replay waits
    equally long and messages that failed together are not retried together.

    A failing endpoint is paused, longer after each consecutive failure, up to `longest_pause`. An endpoint that is
    down therefore gets one request in ten minutes, however many messages wait. After `disable_after` of only failures
    it is disabled. `longest_wait` bounds the delay that a receiver may ask for with `Retry-After`.
    """

    delays: tuple[timedelta, ...] = _DELAYS
    jitter: float = 0.1
    first_pause: timedelta = timedelta(seconds=1)
    longest_pause: timedelta = timedelta(minutes=10)
    disable_after: timedelta = timedelta(days=3)
    longest_wait: timedelta = timedelta(days=1)

    @property
    def attempts(self) -> int:
        """The number of attempts before a message becomes a dead letter."""
        return len(self.delays) + 1

    def delay(self, webhook: str, message: str, attempts: int, asked: timedelta | None = None) -> timedelta | None:
        """The delay after this many failed attempts, at least `asked`; None after the last attempt."""
        if attempts >= self.attempts:
            return None
        drawn = self.delays[attempts - 1] * (1 + self.jitter * _share(webhook, message, attempts))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))

    def pause(self, webhook: str, failures: int, asked: timedelta | None = None) -> timedelta:
        """How long an endpoint is paused after this many consecutive failures, whichever message is next."""
        # Thirty doublings exceed any longest pause; more would overflow.
        grown = min(self.first_pause * float(2 ** min(failures - 1, 30)), self.longest_pause)
        drawn = grown * (1 + self.jitter * _share(webhook, "pause", failures))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))


def _share(*stable: object) -> float:
    """A pseudo-random number in 0..1 that depends only on the arguments."""
    digest = blake2b("\0".join(map(str, stable)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
