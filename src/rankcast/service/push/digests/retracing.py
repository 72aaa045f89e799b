"""Replays one user between two positions of the log, to see what happened to each event that matched."""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from datetime import datetime
from itertools import groupby

import msgspec

from rankcast.choose import Candidate, Step
from rankcast.engine.explain.reasons import Reason, ReasonDetail, why
from rankcast.engine.pages import PageEvents, state_in_page
from rankcast.engine.states import FORMAT, check_format
from rankcast.errors import StoreError
from rankcast.language import label
from rankcast.model import Event
from rankcast.pipeline.log_replay import LogReplay
from rankcast.pipeline.saved_state import LogEvents
from rankcast.plain import JsonObject
from rankcast.store import ClockAdvance, LoggedEvent, StatePage, Store
from rankcast.store.push.digest_log import LeftOut, PipelineMoment

_log = logging.getLogger("rankcast.service.push.digests")


class UserTrace:
    """Replays the delivery decisions for one user, as the shard made them.

    Events are replayed in the order of the log, each under its own version of the catalog. The counts satisfy

        waiting before + matched + reconsidered = sent + left out + waiting after

    where `waiting` are candidates of an unfinished period, and `reconsidered` are candidates that an earlier digest
    reported as left out and that a window sent later. Cost: one match of the user's own subscriptions per event; for an
    event under an advertisement, of all subscriptions.

    Parameters
    ----------
    state
        The state at the beginning, from `state()` or `state_of`; empty for a user who starts there.
    """

    def __init__(self, store: Store, user: str, catalog_version: int, state: bytes = b"") -> None:
        self._store = store
        self._user = user
        self._log = LogReplay(store, user, catalog_version)
        self.matched = 0
        self.reconsidered = 0
        self.exact = True
        """Whether the replay found exactly the deliveries that were made. Known after `settle`."""
        self.sent: set[int] = set()
        self._left: dict[int, LeftOut] = {}
        self._waiting: set[int] = set()
        self._labels: dict[str, str] = {}
        self._see_catalog()
        if state:
            self._restore(state)

    @property
    def waiting(self) -> int:
        """The number of candidates that wait for the end of their period."""
        return len(self._waiting)

    @property
    def reasons(self) -> dict[str, int]:
        """The number of omitted events by reason, in the order of the reasons."""
        counted = Counter(left.reason for left in self._left.values())
        return {reason.value: counted[reason.value] for reason in Reason if counted[reason.value]}

    def left_out(self, limit: int) -> list[LeftOut]:
        """The best omitted events, by rank and then newest first."""
        return sorted(self._left.values(), key=lambda left: (-(left.rank or 0.0), -left.seq))[:limit]

    def labels(self, names: Collection[str]) -> dict[str, str]:
        """The labels of the user's subscriptions with these names, as they last were."""
        return {name: self._labels[name] for name in sorted(names) if name in self._labels}

    def follow(self, logged: Iterable[LoggedEvent]) -> None:
        """Replay the next events of the log."""
        for version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            self._take(self._log.update(version))
            self._see_catalog()
            for entry in group:
                self._publish(entry.event, entry.clock)

    def advance(self, clock: datetime) -> None:
        """Advance the clock without an event."""
        if self._log.user_replay is not None:
            self._take(self._log.user_replay.advance(clock))

    @property
    def is_served(self) -> bool:
        """Whether the user has subscriptions."""
        return self._log.user_replay is not None

    def settle(self, delivered: Collection[int]) -> None:
        """Correct the result by the positions of the deliveries that were actually made.

        They may differ because a period was closed by hand, which no event shows.
        """
        replay = self._log.user_replay
        if replay is not None and self._waiting & set(delivered):
            self._take(replay.close())
        self.exact = self.sent == set(delivered)
        for seq in delivered:
            known = seq in self.sent or seq in self._waiting or seq in self._left
            self.reconsidered += not known
            self._waiting.discard(seq)
            self._left.pop(seq, None)
        self.sent = set(delivered)

    def state(self) -> bytes:
        """The state at the end, for the next digest to start from."""
        replay = self._log.user_replay
        subscriber = replay.subscriber.state() if replay is not None else None
        return _packed(subscriber, sorted(self._waiting))

    def _restore(self, state: bytes) -> None:
        try:
            kept: JsonObject = msgspec.msgpack.decode(state)
            check_format(kept.get("format", 0))
            waiting = set(kept["waiting"])
            if self._log.user_replay is not None and kept["subscriber"] is not None:
                self._log.user_replay.restore(kept["subscriber"])
        except (AttributeError, KeyError, StoreError, TypeError, ValueError) as error:
            # For example from another release. A digest that is inexact, and says so, is better than none.
            _log.warning("the state of %r cannot be used, and is left aside: %r", self._user, error)
            self._log = LogReplay(self._store, self._user, self._log.version)
            return
        self._waiting = waiting

    def _publish(self, event: Event, clock: datetime) -> None:
        replay = self._log.user_replay
        if replay is None:
            return
        point = replay.publish(event, clock)
        if point.matched:
            self.matched += 1
        if point.admitted:
            self._waiting.add(event.seq)
        elif point.matched:
            detail = f"published under {event.advertisement!r} to the best subscriptions only"
            self._leave(event, None, ReasonDetail(Reason.PUBLISHER, detail))
        self._take(point.steps)

    def _take(self, steps: Iterable[Step]) -> None:
        for step in steps:
            chosen = {candidate.seq for candidate in step.chosen}
            for candidate in step.candidates:
                if candidate.seq in self._waiting and candidate.seq not in chosen:
                    self._waiting.discard(candidate.seq)
                    self._leave(candidate.event, candidate, why(step, candidate, self._policy))
            for candidate in step.sent:
                if candidate.seq not in self._waiting and self._left.pop(candidate.seq, None) is None:
                    self.reconsidered += 1
                self._waiting.discard(candidate.seq)
                self.sent.add(candidate.seq)

    def _leave(self, event: Event, candidate: Candidate | None, reason: ReasonDetail) -> None:
        rank = None if candidate is None else candidate.rank
        self._left[event.seq] = LeftOut(event.id, event.seq, rank, reason.reason.value, reason.detail)

    def _see_catalog(self) -> None:
        """Note what the current version of the catalog says about the user."""
        catalog = self._log.catalog
        mine = catalog.subscriptions_of(self._user)
        self._labels |= {subscription.id: label(subscription.where) for subscription in mine}
        self._policy = catalog.policy_of(self._user)
        if not mine:
            self._forget()

    def _forget(self) -> None:
        """Handle a user who has no subscriptions left: the waiting candidates will not be sent."""
        for logged in (entry for seq in sorted(self._waiting) for entry in self._store.events(seq - 1, 1)):
            detail = "the user had no subscriptions any more"
            self._leave(logged.event, None, ReasonDetail(Reason.UNSUBSCRIBED, detail))
        self._waiting.clear()


def state_of(
    store: Store, user: str, through: PipelineMoment, page: StatePage, advances: Sequence[ClockAdvance]
) -> bytes:
    """The state of a user at a position of the pipeline, for `UserTrace` to start from; empty if there is none.

    The user is served alone from the page that contains the user, with the given clock advances. Cost: one match of
    the user's own subscriptions per event since that page was written.
    """
    mark = page.mark
    try:
        subscriber = state_in_page(page.content, PageEvents(LogEvents(store)), user)
    except StoreError:  # of a later release
        return b""
    begun = b""
    if subscriber is not None and not subscriber.get("set_aside"):
        # A filter wraps the mode that holds its candidates.
        mode = subscriber["mode"].get("mode", subscriber["mode"])
        begun = _packed(subscriber, [candidate["seq"] for candidate in mode.get("candidates", ())])
    trace, at = UserTrace(store, user, mark.catalog_version, begun), mark.offset
    for advance in advances:
        trace.follow(store.events(at, advance.offset - at))
        trace.advance(advance.clock)
        at = advance.offset
    trace.follow(store.events(at, through.offset - at))
    return trace.state() if trace.is_served else b""


def _packed(subscriber: JsonObject | None, waiting: Sequence[int]) -> bytes:
    return msgspec.msgpack.encode({"format": FORMAT, "subscriber": subscriber, "waiting": waiting})
