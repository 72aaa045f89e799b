"""When a message is tried again, how long an endpoint in trouble is left alone, and when it is given up."""

from dataclasses import dataclass
from datetime import timedelta
from hashlib import blake2b

__all__ = ["RetrySchedule"]

_DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 8 * 3600, 10 * 3600))


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The schedule of retries, the same for all endpoints.

    `delays` lie between the attempts of one message: eight attempts over about 25 hours. `jitter` lengthens a delay
    by up to that share, drawn by a hash of the endpoint, the message and the attempt, so that a replay waits as long
    and messages that failed together are not repeated together. An endpoint that fails is left alone for a while,
    longer with each failure in a row, up to `longest_pause`: one that is down gets a request in ten minutes,
    however many messages wait for it. After `disable_after` of nothing but failures it is disabled. `longest_wait`
    bounds what a receiver may ask for with `Retry-After`.
    """

    delays: tuple[timedelta, ...] = _DELAYS
    jitter: float = 0.1
    first_pause: timedelta = timedelta(seconds=1)
    longest_pause: timedelta = timedelta(minutes=10)
    disable_after: timedelta = timedelta(days=3)
    longest_wait: timedelta = timedelta(days=1)

    @property
    def attempts(self) -> int:
        """How often a message is tried before it is a dead letter."""
        return len(self.delays) + 1

    def delay(self, webhook: str, message: str, attempts: int, asked: timedelta | None = None) -> timedelta | None:
        """How long to wait after so many failed attempts; None if that was the last. `asked` is what the receiver
        asked for, and the least then."""
        if attempts >= self.attempts:
            return None
        drawn = self.delays[attempts - 1] * (1 + self.jitter * _share(webhook, message, attempts))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))

    def pause(self, webhook: str, failures: int, asked: timedelta | None = None) -> timedelta:
        """How long an endpoint is left alone after so many failures in a row, whatever message is next."""
        # Doubled so often, any pause is over the longest; more would overflow.
        grown = min(self.first_pause * float(2 ** min(failures - 1, 30)), self.longest_pause)
        drawn = grown * (1 + self.jitter * _share(webhook, "pause", failures))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))


def _share(*stable: object) -> float:
    """A number in 0..1 that looks random and is always the same."""
    digest = blake2b("\0".join(map(str, stable)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64
