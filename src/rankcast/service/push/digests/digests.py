"""Keeps quiet hours, and makes digests when they are due."""

import logging
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from http import HTTPStatus
from typing import Protocol

from rankcast.errors import CatalogError
from rankcast.language import show_time
from rankcast.model import EPOCH
from rankcast.plain import JsonObject
from rankcast.service.background import BackgroundTask
from rankcast.service.problems import Problem
from rankcast.service.push.digests.contents import Digest, read_digest
from rankcast.service.push.digests.making import RetracedUser, make, retrace, set_schedule
from rankcast.service.push.digests.retracing import state_of
from rankcast.service.push.digests.schedules import QuietHours, QuietStretch, Schedule
from rankcast.service.trial_pool import TrialPool
from rankcast.store import ClockAdvance, DigestLog, QuietLog, StatePage, Store
from rankcast.store.push.digest_log import KeptDigest, KeptSchedule, LeftOut, PipelineMoment
from rankcast.store.push.quiet_log import KeptQuiet
from rankcast.store.retention.pushes import forget_pushed


@dataclass(frozen=True, slots=True)
class HeldDeliveries:
    """Deliveries after a number are held until a time. They are in the log and on the page, but are not pushed."""

    because: str
    after: int
    until: datetime

    def to_json(self) -> JsonObject:
        """The JSON form."""
        return {"because": self.because, "after": self.after, "until": show_time(self.until)}


_log = logging.getLogger("rankcast.service.push.digests")
_POLL = 1.0
_PATIENCE = 15.0
_TIDYING = timedelta(hours=1)
_FEW = 200
"""Events that are replayed in this process: with the costliest policy they take a second, and mostly some milliseconds."""
_TRIES = 3
"""How often the replay for a digest may take too long before the digest is made without it."""


class DigestHost(Protocol):
    """What `Digests` needs of a service."""

    @property
    def store(self) -> Store:
        """The store, with its clock."""


class Digests(BackgroundTask):
    """Quiet hours and digests of all users of a service. Thread-safe.

    `start` starts a thread that checks every second whether something is due by the clock of the store. All state is
    in the store, so a restart at any moment loses and repeats nothing. Every hour, digests and dead letters of
    webhooks older than `kept` are deleted.

    A user's policy may make the replay of many events take minutes. So it runs in a child process with the limits of
    `trials`, if these are given with the place of the store. A digest whose replay takes too long three times is made
    without it: no event of it is examined.
    """

    def __init__(
        self,
        service: DigestHost,
        kept: timedelta = timedelta(days=90),
        trials: TrialPool | None = None,
        place: str = "",
    ) -> None:
        super().__init__("push.digests", "digests wait")
        self._store = service.store
        self._log = DigestLog(service.store.database)
        self._quiet = QuietLog(service.store.database)
        self._kept = kept
        self._tidied = EPOCH
        self._trials = trials
        self._place = place
        self._too_long: Counter[str] = Counter()
        self.made = 0

    # quiet hours

    def set_quiet_hours(self, user: str, hours: QuietHours) -> None:
        """Set the quiet hours of a user, in which nothing is pushed. Webhooks wait until they end."""
        self._quiet.put(user, hours.to_json())
        self._mark(user)

    def quiet_hours(self, user: str) -> QuietHours | None:
        """The quiet hours of a user."""
        kept = self._quiet.of(user)
        return None if kept is None else QuietHours.of_json(kept.hours)

    def remove_quiet_hours(self, user: str) -> bool:
        """Remove the quiet hours of a user. Returns whether there were any."""
        return self._quiet.remove(user)

    def quiet(self, user: str) -> QuietStretch | None:
        """The current stretch of quiet hours of a user, or None."""
        hours = self.quiet_hours(user)
        return None if hours is None else hours.at(self._store.database.clock())

    def quiet_among(self, users: Collection[str]) -> set[str]:
        """The users among these whose quiet hours are now. Reads the store once for all of them."""
        now = self._store.database.clock()
        kept = [one for one in self._quiet.all() if one.user in users] if users else []
        return {one.user for one in kept if QuietHours.of_json(one.hours).at(now) is not None}

    def held(self, user: str) -> HeldDeliveries | None:
        """The deliveries that are held back from a user now, until the next digest or until the quiet hours end."""
        schedule = self._log.schedule(user)
        if schedule is not None:
            return HeldDeliveries("digest", schedule.reached.delivery, schedule.next)
        quiet = self.quiet(user)
        if quiet is None:
            return None
        kept = self._quiet.of(user)
        if kept is None or kept.began != quiet.began or kept.after is None:
            kept = self._mark(user)
        return None if kept is None or kept.after is None else HeldDeliveries("quiet hours", kept.after, quiet.until)

    # digests

    def set_schedule(self, user: str, schedule: Schedule) -> KeptSchedule:
        """Make digests for a user from now on, or change their schedule."""
        return set_schedule(self._store, user, schedule, self._store.database.clock(), self._state_of)

    def schedule(self, user: str) -> KeptSchedule | None:
        """The digest schedule of a user, and the state after the last digest."""
        return self._log.schedule(user)

    def remove_schedule(self, user: str) -> bool:
        """Stop making digests; remaining deliveries are sent singly. Returns whether there was a schedule."""
        return self._log.remove_schedule(user)

    def make(self, user: str) -> Digest:
        """Make a digest now of the deliveries since the last one; CatalogError if the user has no schedule."""
        schedule = self._log.schedule(user)
        if schedule is None:
            raise CatalogError(f"user {user!r} has no digest schedule")
        number = make(self._store, schedule, self._store.database.clock(), retraced_by=self._retrace)
        # If another process made it at the same moment, return that one.
        return self.digest(user, number or self._log.digests(user, None, 1)[0].number)

    def digests(self, user: str, before: int | None = None, limit: int = 50) -> list[KeptDigest]:
        """The digests of a user, newest first."""
        return self._log.digests(user, before, limit)

    def digest(self, user: str, number: int) -> Digest:
        """A digest with its first deliveries; CatalogError if the user has no such digest."""
        return read_digest(self._store, user, number)

    def left_out(
        self, user: str, number: int, reason: str | None = None, after: int = 0, limit: int = 50
    ) -> list[tuple[int, LeftOut]]:
        """The events that a digest left out, best first, with their positions in the list."""
        read_digest(self._store, user, number, limit=0)
        return self._log.left_out(number, reason, after, limit)

    # the background thread

    def round(self) -> list[int]:
        """Do what is due: record quiet hours that have begun, and make digests. Returns the digest numbers."""
        for kept in self._quiet.all():
            quiet = QuietHours.of_json(kept.hours).at(self._store.database.clock())
            if quiet is not None and kept.began != quiet.began:
                self._quiet.mark(kept.user, quiet.began)
        self.error = None
        made = []
        for schedule in self._log.due(self._store.database.clock()):
            if self.is_stopping():
                break
            number = self._make(schedule)
            made += [] if number is None else [number]
        self.made += len(made)
        self._tidy()
        return made

    def pause(self) -> float:
        """Longer after a failure, for example because another process has locked the store."""
        return _POLL if self.error is None else _PATIENCE

    def health(self) -> JsonObject:
        """Whether the thread runs, how many digests are overdue, and by how many seconds the oldest is."""
        now = self._store.database.clock()
        due = self._log.due(now)
        return {
            "running": self.is_running,
            "error": self.error,
            "schedules": self._log.count(),
            "overdue": len(due),
            "lag": max((now - schedule.next).total_seconds() for schedule in due) if due else 0.0,
        }

    def _mark(self, user: str) -> KeptQuiet | None:
        quiet = self.quiet(user)
        if quiet is not None:
            self._quiet.mark(user, quiet.began)
        return self._quiet.of(user)

    def _make(self, schedule: KeptSchedule) -> int | None:
        """Make a digest. An error is logged, so that it does not prevent other digests."""
        try:
            return make(self._store, schedule, self._store.database.clock(), retraced_by=self._retrace)
        except Exception as error:
            self.error = f"no digest for {schedule.user!r}: {error}"
            _log.warning("no digest for %r, to be tried again: %s", schedule.user, error, exc_info=True)
            return None

    def _retrace(self, start: KeptSchedule, through: PipelineMoment) -> RetracedUser:
        user = start.user
        if self._trials is None or through.offset - start.reached.offset <= _FEW:
            return retrace(self._store, start, through)
        if self._too_long[user] >= _TRIES:
            del self._too_long[user]
            return retrace(self._store, start, through, examined=0)
        try:
            found = self._trials.run(user, _retrace_apart, self._place, start, through)
        except Problem as problem:
            self._too_long[user] += problem.status == HTTPStatus.GATEWAY_TIMEOUT
            raise
        del self._too_long[user]
        return found

    def _state_of(self, user: str, through: PipelineMoment, page: StatePage, advances: Sequence[ClockAdvance]) -> bytes:
        if self._trials is None or through.offset - page.mark.offset <= _FEW:
            return state_of(self._store, user, through, page, advances)
        return self._trials.run(user, _state_apart, self._place, user, through, page, advances)

    def _tidy(self) -> None:
        now = self._store.database.clock()
        if now - self._tidied >= _TIDYING:
            self._tidied = now
            forget_pushed(self._store.database, now - self._kept)


def _retrace_apart(place: str, start: KeptSchedule, through: PipelineMoment) -> RetracedUser:
    with Store.open(place) as store:
        return retrace(store, start, through)


def _state_apart(
    place: str, user: str, through: PipelineMoment, page: StatePage, advances: Sequence[ClockAdvance]
) -> bytes:
    with Store.open(place) as store:
        return state_of(store, user, through, page, advances)
