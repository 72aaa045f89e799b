"""Explaining why an event of a store was, or was not, sent to a user. The log of deliveries is always right.

The replay shows how the decision came about. It starts at the beginning of the window or period of the event if the
policy depends on nothing else (`rankcast.engine.explain.needs_history`), and ends with the last decision about the
event.
"""

from bisect import bisect_right
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from itertools import islice

from rankcast.engine.explain import EventOutcome, EventTrace, Explanation, needs_history
from rankcast.engine.trace import UserReplay
from rankcast.errors import CatalogError, RankcastError, did_you_mean
from rankcast.language import decode_event
from rankcast.model import Catalog, Length, Mode, Policy, Unit
from rankcast.pipeline.log_replay import LogReplay, catalogs, choices
from rankcast.pipeline.remembered import Remembered
from rankcast.pipeline.replay_states import ReplayState, ReplayStates
from rankcast.store import LoggedEvent, Store
from rankcast.store.event_log import GRACE
from rankcast.store.schema import datetime_of

MOST_EVENTS = 100_000
"""How many events before the explained one are replayed at most."""

_RECENT = 1_000
"""How many events before its own a period of time looks at, to know whether it ends by the clock."""

_MOST_READ = 1_000
"""How many events are read at once."""

_BLOCK = 5_000
_SMALL_BLOCK = 50
"""A replay remembers the state of the user after blocks of these sizes. Large blocks are served over arrays."""

_NEAR = 1_000
"""A window that began at most this many events before is replayed from its beginning, and needs no state."""

_VISIBLE = 64
"""From this many events between publication and delivery on, those between are served by an engine."""

_SAME_RANK = 1e-6

_states = ReplayStates()
_catalogs = Remembered[tuple[tuple[str, int], str, int], Catalog](
    20_000, lambda catalog: 1 + len(catalog.subscriptions)
)
"""The records of users by store, user and version: together about as many subscriptions."""


def explain_logged(
    store: Store,
    user: str,
    event_id: str,
    *,
    most: int = MOST_EVENTS,
    tell: Callable[[int], None] = lambda events: None,
) -> Explanation:
    """Why an event of the log was or was not sent to a user, with the catalog as it was.

    Cost: reading and matching the events of the window or period. If the policy depends on all history, the user is
    served again from the beginning of the log, but from at most `most` events before. `tell` is called with the
    number of events read.
    """
    logged = store.event(event_id)
    if logged is None:
        raise CatalogError(f"there is no event {event_id!r} in {store.database.place}")
    place = store.database.place, store.created()

    def of_user(version: int) -> Catalog:
        return _catalogs.get((place, user, version), partial(store.user_catalog, user, version))

    if not of_user(logged.catalog_version).subscriptions_of(user):
        near = did_you_mean(user, store.catalog(logged.catalog_version).users())
        raise RankcastError(
            f"there is no user {user!r} who had subscriptions when event {event_id!r} was published{near}"
        )
    return _Explaining(store, place, user, logged, of_user, most, tell).explanation()


def forget_states() -> None:
    """Forget what this process remembers, as a new process remembers nothing."""
    _states.clear()
    _catalogs.clear()
    choices.clear()
    catalogs.clear()


class _Explaining:
    def __init__(
        self,
        store: Store,
        place: tuple[str, int],
        user: str,
        logged: LoggedEvent,
        catalogs: Callable[[int], Catalog],
        most: int,
        tell: Callable[[int], None],
    ) -> None:
        self._store = store
        self._catalogs = catalogs
        self._user = user
        self._logged = logged
        self._most = most
        self._tell = tell
        self._delivery = store.delivery(user, logged.event.id)
        self._reached = store.reached()
        self._is_served = logged.offset <= self._reached
        self._policy = catalogs(logged.catalog_version).policy_of(user)
        self._skipped = 0
        self._held: list[str] = []
        self._trusts_memory = True
        self._is_remembered = False
        self._remembered = place

    def explanation(self) -> Explanation:
        """The explanation, with what the log says."""
        trace = self._retraced()
        if not self._agrees(trace) and self._is_remembered:
            # The way to what is remembered may have missed that a period was ended by hand. Saved states have not.
            self._trusts_memory = False
            again = self._retraced()
            trace = again if self._agrees(again) else trace
        return trace.explanation(
            EventOutcome(
                self._delivery,
                is_served=self._is_served,
                is_retraced=self._agrees(trace),
                error="" if self._delivery is not None else self._error(),
                skipped=self._skipped,
            )
        )

    def _retraced(self) -> EventTrace:
        """Replay the user, again with the ends by hand if there were any."""
        trace = self._traced({})
        if self._policy.mode is Mode.PERIODIC and not (self._agrees(trace) and trace.is_decided):
            # A period may have been ended by hand, which no event shows, but the times of its deliveries do.
            names = self._held if trace.step is None else [one.event.id for one in trace.step.candidates]
            received = {name: self._received(name) for name in names}
            if any(received.values()):
                again = self._traced({name: when for name, when in received.items() if when is not None})
                trace = again if self._agrees(again) else trace
        return trace

    def _traced(self, received: Mapping[str, datetime]) -> EventTrace:
        """Replay the user. `received` says when the candidates of a period were delivered, by their ids."""
        trace, event = EventTrace(self._logged.event), self._logged
        start, holds = self._start()
        end = self._reached if self._is_served else self._store.last_offset()
        is_near = holds and event.offset - start <= _NEAR
        known = None if is_near else self._known_state(start)
        if known is None:
            replay = self._replay(start)
        else:
            replay, start, self._skipped = self._along_log(known.catalog_version), known.offset, 0
            if replay.user_replay is not None and known.state is not None:
                replay.user_replay.restore(known.state)
        if holds:
            for entry in self._entries(start, event.offset - 1):
                self._close_by_hand(replay, trace, entry, received)
                trace.take(replay.update(entry.catalog_version))
                if replay.user_replay is not None:
                    replay.user_replay.hold(entry.event, entry.clock)
        else:
            self._forward(replay, start)
        self._show(replay, trace, event)
        later = iter(()) if self._is_over(trace) else self._later(event.offset, end)
        shown = self._delivery.window if self._delivery is not None and self._policy.mode is Mode.SLIDING else 0
        if shown > event.offset + 1 and holds:
            for entry in islice(later, shown - event.offset - 1):
                trace.take(replay.update(entry.catalog_version))
                if replay.user_replay is not None:
                    replay.user_replay.hold(entry.event, entry.clock)
        elif shown > event.offset + _VISIBLE:
            replay.forward(list(islice(later, shown - event.offset - 1)))
        for entry in later:
            self._close_by_hand(replay, trace, entry, received)
            self._show(replay, trace, entry)
            if trace.is_decided:
                break
        if not trace.is_decided and replay.user_replay is not None:
            self._end(replay, trace, received)
        return trace

    def _show(self, replay: LogReplay, trace: EventTrace, entry: LoggedEvent) -> None:
        """Serve one event with every decision visible."""
        trace.take(replay.update(entry.catalog_version))
        if replay.user_replay is None:
            trace.lose()
        else:
            trace.publish(replay.user_replay, entry.event, entry.clock)

    def _is_over(self, trace: EventTrace) -> bool:
        """Whether later events need no look: the fate is decided, or the log says that no window chose the event."""
        is_left_out = self._policy.mode is Mode.SLIDING and self._is_served and self._delivery is None
        return trace.is_decided or is_left_out

    def _close_by_hand(
        self, replay: LogReplay, trace: EventTrace, entry: LoggedEvent, received: Mapping[str, datetime]
    ) -> None:
        """End the period before an event if candidates of the period had been delivered by then."""
        if received and replay.user_replay is not None:
            held = _waiting(replay.user_replay)
            if any(received.get(name, entry.logged) < entry.logged for name in held):
                trace.take(replay.user_replay.close())

    def _end(self, replay: LogReplay, trace: EventTrace, received: Mapping[str, datetime]) -> None:
        """End the period of an event after the last event of the log, as the clock or `run --close` did."""
        user = replay.user_replay
        assert user is not None
        self._held = _waiting(user)
        if any(name in received for name in self._held) or self._logged.event.id in received:
            trace.take(user.close())
        elif self._is_served and self._store.last_offset() == self._reached:
            steps = user.advance(self._store.database.clock() - GRACE)
            # If nothing of the period is delivered, the pipeline has not noticed yet that the clock has ended it.
            trace.take(step for step in steps if any(self._received(one.event.id) for one in step.sent))

    def _agrees(self, trace: EventTrace) -> bool:
        """Whether the replay makes the decision that the log shows."""
        if not self._is_served:
            return True
        delivery, step = self._delivery, trace.step
        if delivery is None:
            if self._policy.mode is Mode.PERIODIC and step is not None and not step.note:
                return not trace.is_sent and all(self._received(one.event.id) for one in step.sent)
            return not trace.is_sent
        if step is None or not trace.is_sent or step.window != delivery.window:
            return False
        own = next(one for one in step.candidates if one.seq == delivery.seq)
        return abs(own.rank - delivery.rank) <= _SAME_RANK

    def _received(self, event: str) -> datetime | None:
        """When an event was delivered to the user; None if it was not."""
        found = self._store.delivery(self._user, event)
        return None if found is None else found.received or found.forwarded

    def _error(self) -> str:
        """Why the event was set aside, for this user or for everybody; empty if it was not."""
        row = self._store.failure(self._user, self._logged.event.id, self._logged.offset)
        return "" if row is None else row.error

    def _along_log(self, version: int) -> LogReplay:
        return LogReplay(self._store, self._user, version, self._catalogs)

    def _replay(self, start: int) -> LogReplay:
        replay = self._along_log(self._version_after(start))
        if _unit(self._policy) is Unit.TIME and self._policy.mode is Mode.PERIODIC:
            for row in self._store.event_texts(max(0, start - _RECENT), start):
                replay.pass_by(row)
        return replay

    def _known_state(self, start: int) -> ReplayState | None:
        """The last known state of the user between `start` and the event: of this process, or of the store."""
        last = self._logged.offset - 1
        known = _states.nearest(self._remembered, self._user, last) if self._trusts_memory else None
        self._is_remembered = known is not None and known.offset > start
        after = start if known is None else max(start, known.offset)
        if last - after > 2 * _SMALL_BLOCK or not self._trusts_memory:
            from rankcast.pipeline.saved_state import state_before  # loads what only some explanations need

            saved = state_before(self._store, self._user, after, last)
            if saved is not None:
                known = ReplayState(saved[0].offset, saved[0].catalog_version, saved[1])
                _states.put(self._remembered, self._user, known)
        return None if known is None or known.offset <= start else known

    def _forward(self, replay: LogReplay, start: int) -> None:
        """Serve the events between an offset and the event, and remember states on the way."""
        last = self._logged.offset - 1
        while last - start > 2 * _BLOCK:
            replay.forward(list(self._entries(start, start + _BLOCK)))
            start += _BLOCK
            self._remember(replay, start)
        entries = list(self._entries(start, last))
        while start < last:
            up_to = min(last, start - start % _SMALL_BLOCK + _SMALL_BLOCK)
            count = bisect_right(entries, up_to, key=lambda entry: entry.offset)
            replay.forward(entries[:count])
            del entries[:count]
            start = up_to
            self._remember(replay, start)

    def _remember(self, replay: LogReplay, offset: int) -> None:
        if self._skipped == 0 and offset % _SMALL_BLOCK == 0 and replay.user_replay is not None:
            state = replay.user_replay.subscriber.state()
            _states.put(self._remembered, self._user, ReplayState(offset, replay.version, state))

    def _start(self) -> tuple[int, bool]:
        """After which offset the replay starts, and whether decisions before the event do not matter."""
        if not needs_history(self._policy):
            start = self._start_of_window()
            if not any(needs_history(policy) for policy in self._policies_since(start)):
                return start, True
        pipeline = self._store.pipeline()
        began = pipeline.start_offset if pipeline is not None and pipeline.start_version < 0 else 0
        oldest = max(began, self._logged.offset - 1 - self._most)
        kept = next(self._store.event_texts(oldest, self._logged.offset, 1), None)
        oldest = oldest if kept is None else kept.offset - 1
        self._skipped = oldest - began
        return oldest, False

    def _version_after(self, offset: int) -> int:
        """The version of the catalog under which the event after an offset was published."""
        first = next(self._store.event_texts(offset, offset + 1), None)
        return self._logged.catalog_version if first is None else first.catalog_version

    def _policies_since(self, offset: int) -> Iterator[Policy]:
        """The policies of the user from the event after an offset up to the explained event."""
        version, last = self._version_after(offset), self._logged.catalog_version
        if version < last:
            yield self._catalogs(version).policy_of(self._user)
            for change in self._store.changes(version, last):
                if isinstance(change.record, Policy) and change.record.user == self._user:
                    yield change.record

    def _start_of_window(self) -> int:
        """The offset before the first event that can share a window or period with the event."""
        event, offset, policy = self._logged.event, self._logged.offset, self._policy
        length = policy.length
        if policy.mode is Mode.ALL or length is None:
            return offset - 1
        match length:
            case Length(int(amount), Unit.EVENTS):
                return (offset - 1) // amount * amount if policy.mode is Mode.PERIODIC else max(0, offset - 1 - amount)
            case Length(timedelta() as span) if policy.mode is Mode.PERIODIC:
                return self._start_of_period(policy.origin, span)
            case Length(timedelta() as span):
                return min(offset - 1, self._store.offset_before(event.time - span))
            case Length(int(amount)):
                return self._matches_before(amount)
        return offset - 1

    def _start_of_period(self, origin: datetime, span: timedelta) -> int:
        """The offset before the period of time of the event: by the times of events, and by the clock if it counts."""
        event, offset = self._logged.event, self._logged.offset

        def number(time: datetime) -> int:
            return (time - origin) // span

        def begin(period: int) -> datetime:
            return origin + period * span

        start = min(offset - 1, self._store.offset_before(begin(number(event.time))))
        recent = self._store.event_texts(max(0, offset - _RECENT), offset)
        if any(number(row.clock) <= number(row.published) for row in recent):
            present = begin(number(self._logged.clock))
            low, high = 0, offset  # the clock does not run backwards along the log
            while low < high:
                middle = (low + high) // 2
                row = next(self._store.event_texts(middle, offset, 1), None)
                low, high = (low, middle) if row is None or row.clock >= present else (middle + 1, high)
            start = min(start, low)
        return start

    def _matches_before(self, count: int) -> int:
        """The offset before the last `count` matching events."""
        last = self._logged.offset - 1
        oldest = max(0, last - self._most)
        replay = self._along_log(self._logged.catalog_version).user_replay
        assert replay is not None
        size = 2 * count
        while last > oldest:
            begin = max(oldest, last - size)
            for entry in reversed(list(self._store.events(begin, last - begin))):
                matched = replay.matched(entry.event)
                count -= bool(replay.admitted(entry.event, matched))
                if count <= 0:
                    return entry.offset - 1
            last, size = begin, min(2 * size, _MOST_READ)
        return last

    def _later(self, after: int, up_to: int) -> Iterator[LoggedEvent]:
        """The events after an offset, read in growing blocks, because most fates are decided soon."""
        size = _VISIBLE
        while after < up_to:
            yield from self._entries(after, min(after + size, up_to))
            after, size = after + size, min(4 * size, _BLOCK)

    def _entries(self, after: int, up_to: int) -> Iterator[LoggedEvent]:
        for begin in range(after, up_to, _MOST_READ):
            for row in self._store.log_rows(begin, min(begin + _MOST_READ, up_to)):
                self._tell(1)
                event = None
                with suppress(Exception):  # what cannot be read was not served either
                    event = decode_event(row.content, seq=row.offset)
                if event is not None:
                    yield LoggedEvent(row.offset, row.catalog_version, event, datetime_of(row.logged))


def _waiting(user: UserReplay) -> list[str]:
    """The ids of the events that wait for the end of their period."""
    mode = user.subscriber.mode.state()
    return [one["event"]["id"] for one in mode.get("mode", mode).get("candidates", ())]


def _unit(policy: Policy) -> Unit | None:
    return None if policy.length is None else policy.length.unit
