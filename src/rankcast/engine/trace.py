"""Serving one user alone, event by event, with every decision visible.

Explanations, digests, the funnel and the threshold curve use this.
"""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import NamedTuple

from rankcast.choose import Moment, Step
from rankcast.engine.reference.subscriber import Subscriber
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event
from rankcast.overlay import Admission, Matched
from rankcast.plain import State


class TracePoint(NamedTuple):
    """What one event did for the user.

    `matched` are the user's matching subscriptions, `admitted` those that the event's publisher lets through, and
    `steps` the decisions that the event caused, which may concern earlier events.
    """

    event: Event
    matched: list[Matched]
    admitted: list[Matched]
    steps: list[Step]


class UserReplay:
    """Serves one user alone, with the same results as in a shard with others.

    An event costs one match of the user's own subscriptions. An event under an advertisement costs a match of all
    subscriptions, because they compete for it, unless `chosen` knows which subscriptions were chosen. If the catalog
    is only the part of it that concerns the user, `everybody` reads the whole for this.
    """

    def __init__(
        self,
        catalog: Catalog,
        user: str,
        chosen: Callable[[Event], frozenset[str] | None] = lambda event: None,
        everybody: Callable[[], Catalog] | None = None,
    ) -> None:
        self.user = user
        self._chosen = chosen
        self._everybody = everybody or (lambda: self.catalog)
        self._competing: tuple[OracleMatcher, Admission] | None = None
        self._everyone: OracleMatcher | None = None
        self.subscriber = Subscriber(user, catalog)
        self._use(catalog)

    def publish(self, event: Event, clock: datetime | None = None) -> TracePoint:
        """Serve the next event; `clock` is the time at which a live pipeline received it."""
        matched = self.matched(event)
        admitted = self.admitted(event, matched)
        steps = self.subscriber.publish(Moment(event.seq, event.time, clock), event, admitted)
        return TracePoint(event, matched, admitted, list(steps))

    def hold(self, event: Event, clock: datetime | None = None) -> None:
        """Serve the next event without a choice in a sliding window; see `Subscriber.hold`."""
        admitted = self.admitted(event, self.matched(event))
        self.subscriber.hold(Moment(event.seq, event.time, clock), event, admitted)

    def restore(self, state: State) -> None:
        """Continue from a saved state of the user."""
        self.subscriber = self.subscriber.renewed()
        self.subscriber.restore(state)

    def update(self, catalog: Catalog) -> list[Step]:
        """Switch to another version of the catalog; returns the decisions that this causes."""
        self._use(catalog)
        return list(self.subscriber.update(catalog))

    def advance(self, clock: datetime) -> list[Step]:
        """Advance the clock to a time; returns the decisions of the periods that this ends."""
        return list(self.subscriber.advance(clock))

    def close(self) -> list[Step]:
        """End the last period; returns the decisions that this causes."""
        return list(self.subscriber.close())

    def matched(self, event: Event) -> list[Matched]:
        """The user's subscriptions that match an event, with their degrees."""
        return list(self._own.match(event))

    def admitted(self, event: Event, matched: list[Matched]) -> list[Matched]:
        """The matching subscriptions that the event reaches.

        An advertisement that no longer exists in this version of the catalog lets everything through.
        """
        if not matched or event.advertisement is None:
            return matched
        chosen = self._chosen(event)
        if chosen is None and event.advertisement in self.catalog.advertisements:
            chosen = self.recipients(event)
        return matched if chosen is None else [pair for pair in matched if pair[0].id in chosen]

    def recipients(self, event: Event) -> frozenset[str]:
        """The subscriptions of all users that an event under an advertisement of the catalog reaches."""
        return frozenset(one.id for one, _ in self._competition[1].admitted(event, self.competing(event)))

    def compete_anew(self) -> None:
        """Note that records of others have changed, who compete for events under an advertisement."""
        self._competing = None

    def competing(self, event: Event) -> list[Matched]:
        """All subscriptions in the catalog that match an event.

        They compete for it if it is under an advertisement.
        """
        return list(self._competition[0].match(event))

    @property
    def _competition(self) -> tuple[OracleMatcher, Admission]:
        """All subscriptions, and who of them gets an event under an advertisement."""
        if self._competing is None:
            catalog = self._everybody()
            self._everyone = OracleMatcher.of(catalog, before=self._everyone)
            self._competing = self._everyone, Admission(catalog)
        return self._competing

    def _use(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self._own = OracleMatcher.of(catalog, catalog.subscriptions_of(self.user))
        self._competing = None


def trace(catalog: Catalog, user: str, events: Iterable[Event]) -> Iterator[TracePoint]:
    """Serve the user alone from a fresh start; yields what each event, in publication order, did for them."""
    replay = UserReplay(catalog, user)
    for event in events:
        yield replay.publish(event)
