"""How long a publication is under way, for Figures 7 and 8: the time that the brokers on its way spend on it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from time import thread_time

from experiments.covering_common import chain

from rankcast.model import Event
from rankcast.overlay import (
    AncestorCoverK,
    AncestorFairK,
    Overlay,
    RegularCover,
    RegularK,
    Standing,
    Strategy,
)
from rankcast.overlay.broker import LOCAL

STRATEGIES: dict[str, Callable[[], Strategy]] = {
    "RegularCover": RegularCover,
    "RegularK": RegularK,
    "AncestorCoverK": lambda: AncestorCoverK(Standing.COVER),
    "AncestorFairK": AncestorFairK,
}
REPEATS = 5


@dataclass(frozen=True)
class Latency:
    """Means per delivery: milliseconds, and how many subscriptions the brokers on the way knew and how many matched."""

    milliseconds: float
    known: float
    matched: float


@cache
def latency(name: str, k: int, subscribers: int, publications: int) -> Latency:
    """From the publisher's broker to the subscriber's, each broker matching and choosing anew, as the paper's do.

    The time is CPU time of our brokers in one process, the best of a few runs; the network is not in it.
    """
    given = chain(subscribers, publications)
    overlay = given.overlay(STRATEGIES[name](), k)
    totals = [0.0, 0.0, 0.0]
    deliveries = 0
    for event in given.events:
        pending = [("publisher", k, 0.0, 0.0, 0.0)]
        while pending:
            at, count, seconds, known, matched = pending.pop()
            took, chosen = _timed(overlay, event, at, count)
            broker = overlay.broker("a1", at)
            seconds, known = seconds + took, known + len(broker.known())
            matched += len(broker.match(event))
            for neighbour, ids in chosen.items():
                if neighbour == LOCAL:
                    deliveries += len(ids)
                    for number, value in enumerate((seconds, known, matched)):
                        totals[number] += value * len(ids)
                else:
                    pending.append((neighbour, len(ids), seconds, known, matched))
    means = [total / deliveries for total in totals]
    return Latency(1000 * means[0], means[1], means[2])


def _timed(overlay: Overlay, event: Event, at: str, count: int) -> tuple[float, dict[str, list[str]]]:
    broker = overlay.broker("a1", at)
    best = float("inf")
    for _ in range(REPEATS):
        start = thread_time()
        chosen = broker.choose(event, count)
        best = min(best, thread_time() - start)
    return best, chosen
