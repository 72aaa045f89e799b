"""Isolation of failures: an event or user that cannot be served is set aside, and everybody else is served.

What is set aside, and what follows from it, is defined elsewhere (semantics: What cannot be served).
"""

from bisect import bisect_right
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from rankcast.choose import Moment, Step
from rankcast.engine.reference.subscriber import Subscriber, records_of
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, SetAside, Subscription
from rankcast.plain import State

Matched: TypeAlias = Sequence[tuple[Subscription, float]]
"""The subscriptions of one user that an event matches, with their degrees."""

MOST_FAILURES = 100
"""After this many failed events, the user is set aside until one of their records changes. This bounds the number of
rows and the cost."""

FEW_USERS = 10
"""If an event cannot be matched for more users than this, one row reports it for all of them."""

_LONGEST = 300
_TURN = 500
"""Maximum number of moments in a journal. After a failure, at most this many are replayed for the user."""


def reason(error: Exception) -> str:
    """An error in one line.

    >>> reason(OverflowError("intermediate overflow  in fsum"))
    'OverflowError: intermediate overflow in fsum'
    """
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:_LONGEST] if text else name


class RecentMoments:
    """The last moments of a shard, shared by its users, for replaying a user up to the moment before a failure."""

    def __init__(self) -> None:
        self._parts: list[Sequence[tuple[Moment, Event | None]]] = []
        self._firsts: list[int] = []
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __getitem__(self, place: int) -> tuple[Moment, Event | None]:
        part = bisect_right(self._firsts, place) - 1
        return self._parts[part][place - self._firsts[part]]

    def add(self, moment: Moment, event: Event | None) -> int:
        """Record the publication of an event, or without one, an advance of the clock; returns its place."""
        return self.extend([(moment, event)])

    def extend(self, moments: Sequence[tuple[Moment, Event | None]]) -> int:
        """Record moments, which are read only after a failure; returns the place of the first."""
        self._parts.append(moments)
        self._firsts.append(self._length)
        self._length += len(moments)
        return self._firsts[-1]

    @property
    def is_full(self) -> bool:
        """Whether the journal should start over."""
        return self._length >= _TURN

    def turn(self, users: Collection["IsolatedSubscriber"]) -> None:
        """Start over; `users` are all that rely on the journal."""
        self._parts, self._firsts, self._length = [], [], 0
        for user in users:
            user.remember()


class IsolatedSubscriber:
    """One user served by the reference engine, with failures isolated.

    An event that cannot be served is set aside. It counts as not matching and leaves the user's state unchanged. If
    even that fails, or with the hundredth failed event, the user is *out*: not served until one of their records
    changes. The only cost without failures is one copy of the user's state every 500 events.

    Parameters
    ----------
    journal
        The journal of the shard.
    report
        Receives what is set aside. The caller fills in the version; `seq` is 0 if no event determines it.
    subscriber
        The user's current state, or the state at place `since` of the journal; by default a new one.
    """

    def __init__(
        self,
        user: str,
        catalog: Catalog,
        journal: RecentMoments,
        report: Callable[[SetAside], None],
        subscriber: Subscriber | None = None,
        since: int | None = None,
    ) -> None:
        self.user = user
        self.failed = 0
        """The number of failed events since the user's records last changed."""
        self._journal = journal
        self._report = report
        self._subscriber = subscriber
        self._has_begun = True
        self._copy: Subscriber | None = None
        self._since = 0
        self._matched: dict[int, Matched] = {}
        if subscriber is None:
            self._begin(catalog)
        else:
            self._known = records_of(user, catalog)
            self.remember(since)

    @property
    def is_out(self) -> bool:
        """Whether the user is not served at all."""
        return self._subscriber is None

    @property
    def has_begun(self) -> bool:
        """Whether the user's records could be read, so that any failure came later."""
        return self._has_begun

    @property
    def is_sound(self) -> bool:
        """Whether nothing has failed since the user's records last changed."""
        return self._subscriber is not None and not self.failed

    @property
    def subscriber(self) -> Subscriber | None:
        """The user in the reference engine; None if the user is out."""
        return self._subscriber

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period with events to deliver; None if there is none."""
        return None if self._subscriber is None else self._subscriber.due

    def is_current(self, catalog: Catalog) -> bool:
        """Whether this catalog contains nothing new about the user."""
        return self._known == records_of(self.user, catalog)

    def update(self, catalog: Catalog) -> list[Step]:
        """Switch to the user's records in another catalog; see `Subscriber.update`.

        If that fails, the user starts over.
        """
        if self.is_current(catalog):
            return []
        owed: list[Step] = []
        try:
            if self._subscriber is not None:
                owed = self._subscriber.update(catalog)
                self._known = records_of(self.user, catalog)
                self.remember()
            else:
                self._begin(catalog)
        except Exception as error:
            self._report(SetAside(self.user, None, 0, 0, f"{reason(error)}; what was kept for the user is lost"))
            self._begin(catalog)
        self.failed = 0
        return owed

    def publish(self, place: int, matched: Matched, could_match: bool = True) -> list[Step]:
        """Serve the event at a place of the journal; `could_match` is False if matching failed for this user."""
        self._keep_copy()
        if self._subscriber is None:
            return []
        moment, event = self._journal[place]
        assert event is not None
        if could_match:
            if matched:
                self._matched[place] = matched
            try:
                return self._subscriber.publish(moment, event, matched)
            except Exception as error:
                self._matched.pop(place, None)
                if not matched:
                    self._leave(reason(error), event.seq)
                    return []
                self._report(SetAside(self.user, event.id, event.seq, 0, reason(error)))
                self._go_back(place)
        return self._pass_over(moment, event)

    def advance(self, place: int) -> list[Step]:
        """Advance the clock to the moment at a place of the journal."""
        self._keep_copy()
        if self._subscriber is None:
            return []
        try:
            return self._subscriber.advance(self._journal[place][0].time)
        except Exception as error:
            self._leave(reason(error))
            return []

    def close(self) -> list[Step]:
        """The steps that the delivery mode still owes at the end of the stream."""
        if self._subscriber is None:
            return []
        try:
            owed = self._subscriber.close()
        except Exception as error:
            self._leave(reason(error))
            return []
        self.remember()
        return owed

    def state(self) -> State:
        """Plain data for `restore`."""
        if self._subscriber is None:
            return {"set_aside": True}
        state = self._subscriber.state()
        return {**state, "failed": self.failed} if self.failed else state

    def restore(self, state: State) -> None:
        """Continue from a saved `state`. If it cannot be read, the user is out."""
        if self._subscriber is None:
            return
        if state.get("set_aside"):
            self._put_out()
            return
        try:
            self._subscriber.restore(state)
            self.failed = state.get("failed", 0)
            self.remember()
        except Exception as error:
            self._leave(reason(error))

    def remember(self, since: int | None = None) -> None:
        """Set the point to return to after a failure: the end of the journal, or a place in it.

        The copy of the state is made before the next event.
        """
        self._since, self._matched = len(self._journal) if since is None else since, {}
        self._copy = None

    def leave(self, error: Exception) -> None:
        """Put the user out because of an error elsewhere."""
        self._leave(reason(error))

    def _keep_copy(self) -> None:
        if self._subscriber is None or self._copy is not None:
            return
        try:
            self._copy = self._subscriber.copy()
        except Exception as error:
            self._leave(reason(error))

    def _begin(self, catalog: Catalog) -> None:
        self._known = records_of(self.user, catalog)
        try:
            self._subscriber = Subscriber(self.user, catalog)
            self._has_begun = True
        except Exception as error:
            self._has_begun = False
            self._leave(reason(error))
        self.remember()

    def _go_back(self, place: int) -> None:
        """Return the user to the state before the moment at a place of the journal."""
        assert self._copy is not None
        try:
            subscriber = self._copy
            for earlier in range(self._since, place):
                moment, event = self._journal[earlier]
                if event is None:
                    subscriber.advance(moment.time)
                else:
                    subscriber.publish(moment, event, self._matched.get(earlier, ()))
            self._subscriber = subscriber
            self.remember(place)
        except Exception as error:
            self._leave(reason(error))

    def _pass_over(self, moment: Moment, event: Event) -> list[Step]:
        """Serve a failed event as one that does not match."""
        if self._subscriber is None:
            return []
        self.failed += 1
        if self.failed >= MOST_FAILURES:
            self._leave(f"{self.failed} events have failed since a record of the user changed", event.seq)
            return []
        try:
            return self._subscriber.publish(moment, event, ())
        except Exception as error:
            self._leave(reason(error), event.seq)
            return []

    def _leave(self, why: str, seq: int = 0) -> None:
        self._put_out()
        self._report(
            SetAside(self.user, None, seq, 0, f"{why}; the user is set aside until a record of theirs changes")
        )

    def _put_out(self) -> None:
        self._subscriber = self._copy = None
        self._matched = {}


class MatcherByUser:
    """Matches an event for one user after the other, so that a failure affects only one user.

    Used after the shared matcher has failed. It costs as much as plain evaluation.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._matchers: dict[str, OracleMatcher] = {}
        self._order = {name: place for place, name in enumerate(catalog.subscriptions)}

    def match(self, event: Event, users: Collection[str]) -> tuple[list[tuple[Subscription, float]], dict[str, str]]:
        """The matching subscriptions of these users, in catalog order.

        Also returns the users for whom matching failed, with the reason.
        """
        found: list[tuple[Subscription, float]] = []
        failures: dict[str, str] = {}
        for user in users:
            try:
                found += self._matcher(user).match(event)
            except Exception as error:
                failures[user] = reason(error)
        return sorted(found, key=lambda pair: self._order[pair[0].id]), failures

    def _matcher(self, user: str) -> OracleMatcher:
        if user not in self._matchers:
            self._matchers[user] = OracleMatcher.of(self._catalog, self._catalog.subscriptions_of(user))
        return self._matchers[user]


def rows_of_failed_match(event: Event, failures: Mapping[str, str]) -> list[SetAside]:
    """The rows that report that an event could not be matched for some users."""
    if len(failures) <= FEW_USERS:
        return [SetAside(user, event.id, event.seq, 0, why) for user, why in failures.items()]
    first = min(failures)
    told = f"could not be matched for {len(failures):,} users; for {first!r}: {failures[first]}"
    return [SetAside(None, event.id, event.seq, 0, told)]


def in_order(rows: Iterable[SetAside]) -> list[SetAside]:
    """The rows sorted by event and then by user."""
    return sorted(rows, key=lambda row: (row.seq, row.user or "", row.event is None))
