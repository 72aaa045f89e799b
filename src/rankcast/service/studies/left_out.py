"""What was left out of the feed and why, and how many recent events matched."""

from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from time import process_time
from typing import NamedTuple

from rankcast.engine.explain import Explanation
from rankcast.language.event_words import title_of
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event
from rankcast.pipeline.explaining import explain_logged
from rankcast.service.outcome_words import outcome_words
from rankcast.service.trial_tasks import TrialHistory, newest_deliveries, recent_entries
from rankcast.store import Store

_COMPARISONS = 200_000
"""The most comparisons of an event with a subscription. Users with many subscriptions get fewer events."""

_VERSIONS = 20
"""The most catalog versions that are examined, because older ones have to be reconstructed."""


class EventCounts(NamedTuple):
    """The number of recent events, of those that matched, and of those that were delivered."""

    published: int
    matched: int
    delivered: int

    @property
    def left_out(self) -> int:
        """The number of events that matched but were not delivered, or not yet."""
        return max(0, self.matched - self.delivered)


def count_recent(history: TrialHistory, user: str) -> EventCounts:
    """Count the last events, each under the catalog version at its publication.

    Only matches the events, without ranking or selection. Cost: a scan of the catalog, decoding only the user's part.
    """
    with Store.open(history.store) as store:
        looked_at, matched, sent = _look(store, history, user)
    return EventCounts(len(looked_at), len(matched | sent), len(sent))


def left_out_events(store: Store, history: TrialHistory, user: str) -> list[Event]:
    """The recent events that matched and were not delivered, or not yet, newest first. Cost as of `count_recent`."""
    looked_at, matched, sent = _look(store, history, user)
    return [event for name, event in reversed(looked_at.items()) if name in matched - sent]


def _look(store: Store, history: TrialHistory, user: str) -> tuple[dict[str, Event], set[str], set[str]]:
    """The recent events by id, in order, and the ids of those that matched and of those that were delivered."""
    newest = store.catalog_part(user.__eq__)
    limit = min(history.events, max(50, _COMPARISONS // max(1, len(newest.subscriptions_of(user)))))
    logged = recent_entries(store, limit, history.bytes)
    groups = [(version, list(part)) for version, part in groupby(logged, key=lambda entry: entry.catalog_version)]
    looked_at: dict[str, Event] = {}
    matched: set[str] = set()
    part, at = None, 0
    for version, entries in groups[-_VERSIONS:]:
        part = store.catalog_part(user.__eq__, version) if part is None else _later(store, part, at, user, version)
        at = version
        events = [entry.event for entry in entries]
        looked_at.update((event.id, event) for event in events)
        matched |= _matching(part, user, events)
    sent = {delivery.event for delivery in newest_deliveries(store, user, limit)} & looked_at.keys()
    return looked_at, matched, sent


def _later(store: Store, part: Catalog, after: int, user: str, version: int) -> Catalog:
    return store.catalog_part_after(part, after, user.__eq__, version)


def _matching(catalog: Catalog, user: str, events: Iterable[Event]) -> set[str]:
    """The ids of the events that match a user."""
    matcher = OracleMatcher.of(catalog, catalog.subscriptions_of(user))
    return {event.id for event in events if any(True for _ in matcher.match(event))}


_SECONDS = 5.0
"""The processor time for the reasons of one page. Events after that come without a reason."""

_EXPLAINED = 12


class LeftOutEvent(NamedTuple):
    """An event that matched and was not delivered, its rank, the subscriptions that matched, and the reason."""

    event: Event
    rank: float | None
    subscriptions: tuple[str, ...]
    because: str


class LeftOutPage(NamedTuple):
    """Some events, newest first, and whether there are older ones."""

    events: list[LeftOutEvent]
    has_more: bool


class Publication(NamedTuple):
    """What became of an event: who got it, who did not and why, and how many users it did not match."""

    sent: list[str]
    left_out: dict[str, str]
    more_left_out: int
    unmatched: int


def recently_left_out(
    history: TrialHistory, user: str, most: int, before: int | None = None, limit: int = _EXPLAINED
) -> LeftOutPage:
    """The recent events that matched a user and were not delivered, each with the reason.

    `before` is the position of the last event of the page before, and `most` the number of events that an explanation
    replays at most. Cost: an explanation for each event.
    """
    with Store.open(history.store) as store:
        found = [event for event in left_out_events(store, history, user) if before is None or event.seq < before]
        started = process_time()
        made = []
        for event in found[:limit]:
            late = process_time() - started > _SECONDS
            explanation = None if late else explain_logged(store, user, event.id, most=most)
            if explanation is None:
                made.append(LeftOutEvent(event, None, (), ""))
                continue
            matched = [one.subscription.id for one in explanation.interests if one.matches]
            made.append(LeftOutEvent(event, explanation.rank, tuple(matched), _because(store, explanation)))
        return LeftOutPage(made, len(found) > limit)


def publication_of(place: str, most: int, event_id: str) -> Publication:
    """What became of one event for all users. Explains at most twelve users who did not get it."""
    with Store.open(place) as store:
        logged = store.event(event_id)
        assert logged is not None, f"no event {event_id!r}"
        catalog = store.catalog(logged.catalog_version)
        matched: dict[str, list[str]] = defaultdict(list)
        for subscription, _ in OracleMatcher.of(catalog).match(logged.event):
            matched[subscription.user].append(subscription.id)
        sent = [user for user in matched if store.delivery(user, event_id) is not None]
        others = sorted(set(matched) - set(sent))
        reasons = {
            user: _because(store, explain_logged(store, user, event_id, most=most)) for user in others[:_EXPLAINED]
        }
        users = set(catalog.users())
        return Publication(sorted(sent), reasons, len(others) - len(reasons), len(users - set(matched)))


def _because(store: Store, explanation: Explanation) -> str:
    rivals = explanation.decision.rivals if explanation.decision else ()
    logged = [store.event(rival.event) for rival in rivals]
    return outcome_words(explanation, {one.event.id: title_of(one.event) for one in logged if one is not None})
