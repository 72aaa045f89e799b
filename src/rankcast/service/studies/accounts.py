"""The explanation of a delivery: `rankcast.engine.explain` over the relevant part of the log."""

from datetime import timedelta

from rankcast.engine.explain import Explanation, explain
from rankcast.errors import CatalogError
from rankcast.model import Delivery, Policy
from rankcast.store import Store
from rankcast.store.event_log import GRACE

__all__ = ["account_of"]

_EXACT = 300
"""A log with at most this many events is replayed from its beginning."""

_MOST = 600


def account_of(place: str, delivery: Delivery) -> tuple[Explanation, int]:
    """Explain a delivery of the store at `place`, and return the number of skipped events (0: exact).

    With diverse selection, a replay takes milliseconds per event. From a long log, only the last window or period
    before the delivery is therefore replayed. Novelty, which depends on the whole history, is then computed from that
    part only.
    """
    with Store.open(place) as store:
        logged = store.event(delivery.event)
        if logged is None:
            raise CatalogError(f"there is no event {delivery.event!r}")
        catalog = store.catalog(logged.catalog_version)
        skipped = max(0, logged.offset - 1 - _span(catalog.policy_of(delivery.user)))
        skipped = 0 if logged.offset <= _EXACT else skipped
        entries = []
        for entry in store.events(after=skipped, limit=2 * _MOST):
            entries.append(entry)
            if entry.offset > logged.offset and entry.event.time > delivery.forwarded + timedelta(seconds=1):
                break  # it may be the event that ended the period
        until = store.database.clock() - GRACE
    events, clocks = [entry.event for entry in entries], [entry.clock for entry in entries]
    told = explain(catalog, events, delivery.user, delivery.event, finished=False, clocks=clocks, until=until)
    return told, skipped


def _span(policy: Policy) -> int:
    if policy.length is not None and isinstance(policy.length.amount, int):
        return min(2 * policy.length.amount, _MOST)
    return _EXACT
