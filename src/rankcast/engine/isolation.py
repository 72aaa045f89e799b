"""One user's fault is that user's alone: what cannot be served is set aside, and everybody else goes on.

What is set aside, and what follows from it, is in docs/semantics.md ("What cannot be served").
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import TypeAlias

from rankcast.choose import Moment, Step
from rankcast.engine.reference.subscriber import Subscriber, records_of
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, SetAside, Subscription
from rankcast.plain import State

__all__ = [
    "FEW_USERS",
    "MOST_FAILURES",
    "IsolatedSubscriber",
    "Matched",
    "MatcherByUser",
    "RecentMoments",
    "in_order",
    "reason",
    "rows_of_failed_match",
]

Matched: TypeAlias = Sequence[tuple[Subscription, float]]
"""The subscriptions of one user that an event matches, with their degrees."""

MOST_FAILURES = 100
"""So many events may fail for a user; then the user is set aside until a record of theirs changes. It bounds the rows, and
the cost."""

FEW_USERS = 10
"""If an event cannot be matched for more users than this, one row says so for all of them."""

_LONGEST = 300
_TURN = 500
"""So many moments are kept in a journal: a user for whom something fails is served again over these at most."""


def reason(error: Exception) -> str:
    """An error in one line.

    >>> reason(OverflowError("intermediate overflow  in fsum"))
    'OverflowError: intermediate overflow in fsum'
    """
    text = " ".join(str(error).split())
    name = type(error).__name__
    return f"{name}: {text}"[:_LONGEST] if text else name


class RecentMoments:
    """The last moments of a shard, which its users share: to come back to before something failed."""

    def __init__(self) -> None:
        self._moments: list[tuple[Moment, Event | None]] = []

    def __len__(self) -> int:
        return len(self._moments)

    def __getitem__(self, place: int) -> tuple[Moment, Event | None]:
        return self._moments[place]

    def add(self, moment: Moment, event: Event | None) -> int:
        """Note the publication of an event, or without one a moment of the clock; its place."""
        self._moments.append((moment, event))
        return len(self._moments) - 1

    @property
    def is_full(self) -> bool:
        """Whether it is time to begin anew."""
        return len(self._moments) >= _TURN

    def turn(self, users: Collection["IsolatedSubscriber"]) -> None:
        """Begin anew; these are all who count on the journal."""
        self._moments.clear()
        for user in users:
            user.remember()


class IsolatedSubscriber:
    """One user as the oracle serves them, for whom something may fail.

    An event that cannot be served is set aside, counts as not matching, and leaves the user's state as it was before. If
    even that fails, or for the hundredth event, the user is *out*: not served until a record of theirs changes. Costs a copy of
    the user's state for every 500 events, and no other as long as nothing fails.

    Parameters
    ----------
    journal
        That of the shard.
    report
        Takes what is set aside; its version is for others to fill in, and its `seq` is 0 where no event tells it.
    subscriber
        The user as of now, or as of the place `since` of the journal; made anew by default.
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
        """How many events have failed since the user's records last changed."""
        self._journal = journal
        self._report = report
        self._subscriber = subscriber
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
    def is_sound(self) -> bool:
        """Whether nothing has failed since the user's records last changed."""
        return self._subscriber is not None and not self.failed

    @property
    def subscriber(self) -> Subscriber | None:
        """The user as the oracle serves them; None if the user is out."""
        return self._subscriber

    @property
    def due(self) -> datetime | None:
        """When the clock ends a period in which something waits."""
        return None if self._subscriber is None else self._subscriber.due

    def is_current(self, catalog: Catalog) -> bool:
        """Whether this catalog says nothing new about the user."""
        return self._known == records_of(self.user, catalog)

    def update(self, catalog: Catalog) -> list[Step]:
        """Take over the user's part of another catalog; see `Subscriber.update`. If that fails, the user begins anew."""
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
        """Serve the event at a place of the journal; `could_match` is false if matching it failed for this user."""
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
        """Let the clock come to the moment at a place of the journal."""
        self._keep_copy()
        if self._subscriber is None:
            return []
        try:
            return self._subscriber.advance(self._journal[place][0].time)
        except Exception as error:
            self._leave(reason(error))
            return []

    def close(self) -> list[Step]:
        """What the delivery mode still owes at the end of the stream."""
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
        """Go on where `state` was taken; a state that cannot be read puts the user out."""
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
        """Come back to the user as of the end of the journal, or as of a place of it: a copy is made before the next event."""
        self._since, self._matched = len(self._journal) if since is None else since, {}
        self._copy = None

    def leave(self, error: Exception) -> None:
        """Put the user out, because of an error elsewhere."""
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
        except Exception as error:
            self._leave(reason(error))
        self.remember()

    def _go_back(self, place: int) -> None:
        """Become what the user was before the moment at a place of the journal."""
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
        """Serve an event that failed as one that does not match."""
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
    """Matches an event for one user after the other, so that what fails for one fails for that one alone.

    For when the matcher of all has failed; its cost is that of plain evaluation.
    """

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._matchers: dict[str, OracleMatcher] = {}
        self._order = {name: place for place, name in enumerate(catalog.subscriptions)}

    def match(self, event: Event, users: Collection[str]) -> tuple[list[tuple[Subscription, float]], dict[str, str]]:
        """The subscriptions of these users that the event matches, in the order of the catalog; and for whom it failed, and why."""
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
    """What says that an event could not be matched for some users."""
    if len(failures) <= FEW_USERS:
        return [SetAside(user, event.id, event.seq, 0, why) for user, why in failures.items()]
    first = min(failures)
    told = f"could not be matched for {len(failures):,} users; for {first!r}: {failures[first]}"
    return [SetAside(None, event.id, event.seq, 0, told)]


def in_order(rows: Iterable[SetAside]) -> list[SetAside]:
    """What was set aside by event, then by user, however it came about."""
    return sorted(rows, key=lambda row: (row.seq, row.user or "", row.event is None))
