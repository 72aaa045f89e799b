"""The work of a trial in its child process: read recent history from the store, and serve or match it again."""

from dataclasses import dataclass

from rankcast.engine.explain import Explanation
from rankcast.lab.evenness import Evenness, evenness
from rankcast.lab.statistics import UserStats, user_places, user_stats
from rankcast.lab.vague_comparison import compare_thresholds
from rankcast.matching import matches
from rankcast.model import Catalog, Delivery, Event, Expression, Policy
from rankcast.model.actors import Actor, acting
from rankcast.pipeline.explaining import explain_logged
from rankcast.pipeline.serve_again import ServedAgain, serve_again
from rankcast.service import trials
from rankcast.service.trials import ExpressionTrial, Funnel
from rankcast.store import LoggedEvent, Store
from rankcast.store.blocks import start_of_newest

_BLOCK = 64


@dataclass(frozen=True, slots=True)
class TrialHistory:
    """The last events of a store's log, limited in number and in bytes."""

    store: str
    events: int
    bytes: int

    def read(self) -> list[Event]:
        """The events, in publication order."""
        with Store.open(self.store) as store:
            return recent_events(store, self.events, self.bytes)


def recent_events(store: Store, limit: int, most_bytes: int) -> list[Event]:
    """The last events of the log in publication order: at most `limit`, and at most `most_bytes` in total."""
    return [entry.event for entry in recent_entries(store, limit, most_bytes)]


def recent_entries(store: Store, limit: int, most_bytes: int) -> list[LoggedEvent]:
    """Like `recent_events`, but with the log entries of the events."""
    last = store.last_offset()
    start, first, left = last, max(0, last - limit), most_bytes
    while start > first and left > 0:
        block = list(store.event_texts(max(first, start - _BLOCK), start))
        if not block:
            break
        for logged in reversed(block):
            left -= len(logged.content)
            if left < 0:
                break
            start = logged.offset - 1
    return list(store.events(after=start, limit=last - start)) if last > start else []


def try_on_history(
    history: TrialHistory, where: Expression, catalog: Catalog, user: str | None, shown: int
) -> ExpressionTrial:
    """What an expression would have matched, with the newest `shown` matches, newest first."""
    meaning = catalog.meaning_of(user)
    events = history.read()[::-1]
    matched = [event for event in events if matches(where, event, meaning, catalog.membership)]
    return ExpressionTrial(
        len(matched), len(events), matched[:shown], by_thresholds=compare_thresholds(catalog, user, where, events)
    )


def backtest_history(history: TrialHistory, user: str, policy: Policy, catalog: Catalog) -> tuple[int, list[Delivery]]:
    """The number of events, and what a policy would have delivered from them."""
    events = history.read()
    return len(events), trials.backtest(user, policy, catalog, events)


def funnel_history(history: TrialHistory, user: str, catalog: Catalog) -> Funnel:
    """How many of the events were published, matched the user, were ranked, and were delivered."""
    events = history.read()
    with Store.open(history.store) as store:
        first = events[0].seq if events else 0
        delivered = sum(delivery.seq >= first for delivery in newest_deliveries(store, user, history.events))
    return trials.funnel(user, catalog, events, delivered)


def measure_user(history: TrialHistory, user: str, catalog: Catalog, most: int) -> tuple[UserStats, Funnel]:
    """How evenly a user was served over the last `most` deliveries, and the funnel of the last events."""
    with Store.open(history.store) as store:
        measured = user_stats(user, user_places(catalog, user), newest_deliveries(store, user, most))
    return measured, funnel_history(history, user, catalog)


def even_history(history: TrialHistory, user: str, policy: Policy, catalog: Catalog) -> Evenness:
    """How evenly the user could be served with the last events under a policy."""
    return evenness(catalog.alone(user, policy), user, history.read())


def explain_event(place: str, most: int, user: str, event_id: str) -> Explanation:
    """Why an event was or was not sent to a user, with the catalog as it was. Replays at most `most` earlier events."""
    with Store.open(place) as store:
        return explain_logged(store, user, event_id, most=most)


def explain_or_say_why(place: str, most: int, user: str, event_id: str) -> Explanation | str:
    """Like `explain_event`, or the reason why there is nothing to explain."""
    with Store.open(place) as store:
        logged = store.event(event_id)
        if logged is None:
            return f"there is no event {event_id!r}"
        if not store.user_catalog(user, logged.catalog_version).subscriptions_of(user):
            return f"user {user!r} had no subscriptions when the event was published"
        return explain_logged(store, user, event_id, most=most)


def serve_set_aside(place: str, user: str | None, actor: Actor) -> ServedAgain:
    """Serve again what was set aside, for one user or for all, as an action of an administrator."""
    with acting(actor), Store.open(place) as store:
        return serve_again(store, user)


def newest_deliveries(store: Store, user: str, most: int) -> list[Delivery]:
    """The last deliveries of a user, oldest first."""
    start = start_of_newest(store.database, user, None, most)
    return [] if start is None else [delivery for _, delivery in store.deliveries(user, start - 1, most)]
