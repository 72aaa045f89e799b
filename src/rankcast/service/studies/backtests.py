"""Backtests of policies: what they would have sent from recent events, with quality measures."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta
from itertools import combinations
from statistics import fmean

from rankcast.choose import Distance
from rankcast.engine.choice import shard_for
from rankcast.model import Catalog, Delivery, Event, Policy
from rankcast.service.trial_tasks import TrialHistory

SAMPLE = 300
"""The number of recent events on which the page tries every policy, so that results can be compared. The reference
engine serves so few, at up to 10 ms an event; the kernels would have to load first, or even to be compiled."""

_ROW = 10
"""Diversity is measured within groups of this many consecutive deliveries."""


@dataclass(frozen=True, slots=True)
class Backtest:
    """The deliveries in order, with their mean rank, mean distance within ten consecutive deliveries, and mean wait.

    A measure is None if there is nothing to compute it from.
    """

    sent: tuple[Delivery, ...]
    rank: float | None
    diversity: float | None
    wait: timedelta | None


def compare(
    history: TrialHistory, user: str, saved: Policy, policy: Policy, catalog: Catalog
) -> tuple[Backtest, Backtest, list[Event]]:
    """Backtest the saved policy and another one, and return the events too. Runs in a child process."""
    events = history.read()
    distance = Distance.of(policy)
    now = backtest(user, saved, catalog, events, distance)
    return now, now if policy == saved else backtest(user, policy, catalog, events, distance), events


def backtest(user: str, policy: Policy, catalog: Catalog, events: Sequence[Event], distance: Distance) -> Backtest:
    """Serve only this user, from a fresh start, and close the last period.

    `distance` is used to measure diversity, so that two policies can be compared by the same measure.
    """
    own = catalog.alone(user, policy)
    shard = shard_for(len(events), own)
    sent = sorted([*shard.publish(events), *shard.close()], key=lambda delivery: delivery.order)
    by_id = {event.id: event for event in events}
    rows = [sent[start : start + _ROW] for start in range(0, len(sent), _ROW)]
    apart = [distance(by_id[a.event], by_id[b.event]) for row in rows for a, b in combinations(row, 2)]
    return Backtest(
        tuple(sent),
        fmean(one.rank for one in sent) if sent else None,
        fmean(apart) if apart else None,
        sum((max(one.freshness, timedelta(0)) for one in sent), timedelta(0)) / len(sent) if sent else None,
    )
