"""The activity of a service over the last minutes: counts, sampled every two seconds while somebody watches."""

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from threading import Lock
from time import monotonic
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from rankcast.store.status import Status, status

if TYPE_CHECKING:
    from rankcast.service.service import Service

__all__ = ["Pulse", "Rate", "pulse_of"]

EVERY = 2.0
KEPT = 150
"""The number of samples that are kept, for five minutes."""


@dataclass(frozen=True, slots=True)
class Rate:
    """Rates per second between two samples, `ago` seconds before the last one, and the number of waiting events."""

    ago: float
    published: float
    served: float
    delivered: float
    waiting: int


class Pulse:
    """The latest samples of a store, shared by all viewers. A sample costs a few single-row reads."""

    def __init__(self, look: Callable[[], Status], clock: Callable[[], float] = monotonic) -> None:
        self._look = look
        self._clock = clock
        self._looks: deque[tuple[float, Status]] = deque(maxlen=KEPT)
        self._lock = Lock()

    def now(self) -> Status:
        """The current counts. They are added to the samples if the last one is old enough."""
        with self._lock:
            at = self._clock()
            if not self._looks or at - self._looks[-1][0] >= EVERY * 0.9:
                self._looks.append((at, self._look()))
                return self._looks[-1][1]
        return self._look()

    def rates(self) -> list[Rate]:
        """The rates between the samples, oldest first."""
        looks = list(self._looks)
        if not looks:
            return []
        last = looks[-1][0]
        return [
            Rate(
                ago=last - end,
                published=(after.published - before.published) / (end - start),
                served=(after.served - before.served) / (end - start),
                delivered=(after.deliveries - before.deliveries) / (end - start),
                waiting=after.lag,
            )
            for (start, before), (end, after) in pairwise(looks)
        ]


_PULSES: "WeakKeyDictionary[Service, Pulse]" = WeakKeyDictionary()


def pulse_of(service: "Service") -> Pulse:
    """The pulse of a service, shared by all pages."""
    return _PULSES.setdefault(service, Pulse(lambda: status(service.store.database)))
