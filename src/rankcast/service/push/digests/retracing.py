"""Replays one user between two positions of the log, to see what happened to each event that matched."""

import logging
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from itertools import groupby

import msgspec

from rankcast.choose import Candidate, Step
from rankcast.engine.reference.shard import shard_of
from rankcast.engine.states import FORMAT, check_format, unpack_states
from rankcast.engine.trace import UserReplay
from rankcast.errors import StoreError
from rankcast.language import label
from rankcast.model import Advertisement, Catalog, Concept, Event, Record
from rankcast.plain import JsonObject
from rankcast.service.push.digests.reasons import Reason, ReasonDetail, why
from rankcast.store import LoggedEvent, Store
from rankcast.store.push.digest_log import LeftOut

__all__ = ["UserTrace", "state_of"]

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
        self._version = catalog_version
        self.matched = 0
        self.reconsidered = 0
        self.exact = True
        """Whether the replay found exactly the deliveries that were made. Known after `settle`."""
        self.sent: set[int] = set()
        self._left: dict[int, LeftOut] = {}
        self._waiting: set[int] = set()
        self._replay: UserReplay | None = None
        self._labels: dict[str, str] = {}
        self._use(store.catalog(catalog_version))
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
            if version != self._version:
                self._update(version)
            for entry in group:
                self._publish(entry.event, entry.clock)

    def settle(self, delivered: Collection[int]) -> None:
        """Correct the result by the positions of the deliveries that were actually made.

        They may differ because a period was closed by hand, which no event shows.
        """
        if self._replay is not None and self._waiting & set(delivered):
            self._take(self._replay.close())
        self.exact = self.sent == set(delivered)
        for seq in delivered:
            known = seq in self.sent or seq in self._waiting or seq in self._left
            self.reconsidered += not known
            self._waiting.discard(seq)
            self._left.pop(seq, None)
        self.sent = set(delivered)

    def state(self) -> bytes:
        """The state at the end, for the next digest to start from."""
        subscriber = self._replay.subscriber.state() if self._replay is not None else None
        return _packed(subscriber, sorted(self._waiting))

    def _restore(self, state: bytes) -> None:
        try:
            kept: JsonObject = msgspec.msgpack.decode(state)
            check_format(kept.get("format", 0))
            waiting = set(kept["waiting"])
            if self._replay is not None and kept["subscriber"] is not None:
                self._replay.subscriber.restore(kept["subscriber"])
        except (AttributeError, KeyError, StoreError, TypeError, ValueError) as error:
            # For example from another release. A digest that is inexact, and says so, is better than none.
            _log.warning("the state of %r cannot be used, and is left aside: %r", self._user, error)
            self._replay = UserReplay(self._catalog, self._user)
            return
        self._waiting = waiting

    def _publish(self, event: Event, clock: datetime) -> None:
        if self._replay is None:
            return
        point = self._replay.publish(event, clock)
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

    def _update(self, version: int) -> None:
        changes = self._store.changes(self._version, version)
        self._version = version
        if any(change.record is None or self._concerns(change.record) for change in changes):
            self._use(self._store.catalog(version))

    def _concerns(self, record: Record) -> bool:
        """Whether a change of this record may affect the user: the user's own records and shared ones."""
        return isinstance(record, Advertisement | Concept) or record.user == self._user or bool(self._shares)

    def _use(self, catalog: Catalog) -> None:
        self._catalog = catalog
        # Under an advertisement users compete, so everybody's subscriptions matter.
        self._shares = catalog.advertisements
        mine = catalog.subscriptions_of(self._user)
        self._labels |= {subscription.id: label(subscription.where) for subscription in mine}
        if not mine:
            self._forget()
        elif self._replay is None:
            self._replay = UserReplay(catalog, self._user)
        else:
            self._take(self._replay.update(catalog))
        self._policy = catalog.policy_of(self._user)

    def _forget(self) -> None:
        """Handle a user who has no subscriptions left: the waiting candidates will not be sent."""
        self._replay = None
        for logged in (entry for seq in sorted(self._waiting) for entry in self._store.events(seq - 1, 1)):
            detail = "the user had no subscriptions any more"
            self._leave(logged.event, None, ReasonDetail(Reason.UNSUBSCRIBED, detail))
        self._waiting.clear()


def state_of(user: str, states: Mapping[int, bytes]) -> bytes:
    """The state of a user in the shard states, for `UserTrace` to start from; empty if they do not contain it."""
    if not states:
        return b""
    try:
        subscriber = unpack_states(states[shard_of(user, len(states))]).get(user)
    except (KeyError, StoreError):  # a pipeline with a different state format
        return b""
    if subscriber is None:
        return b""
    # A filter wraps the mode that holds its candidates.
    mode = subscriber["mode"].get("mode", subscriber["mode"])
    waiting = [candidate["seq"] for candidate in mode.get("candidates", ())]
    return _packed(subscriber, waiting)


def _packed(subscriber: JsonObject | None, waiting: Sequence[int]) -> bytes:
    return msgspec.msgpack.encode({"format": FORMAT, "subscriber": subscriber, "waiting": waiting})
