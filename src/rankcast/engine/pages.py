"""The delivery state of many users as pages of a few users each, so that a commit saves only some of them.

A page names events by `seq`. Older events are saved in the page itself, and the caller has the others.
"""

from collections.abc import Collection, Iterable, Iterator, Mapping
from hashlib import blake2b
from typing import Any, NamedTuple

import msgspec
import zstandard

from rankcast.engine.arrays import BatchShard
from rankcast.engine.arrays.crowd_state import folded_of_columns
from rankcast.engine.arrays.folded import fold, unfold
from rankcast.engine.named_events import EventSource, NamedEvents
from rankcast.engine.reference.shard import Shard
from rankcast.engine.states import FORMAT, check_format, inflated, refusing_damage, users_of
from rankcast.language import decode_event
from rankcast.model import Event
from rankcast.plain import State

USERS = 300
"""Intended number of users per page."""

_LEVEL = 1


def page_of(user: str, pages: int) -> int:
    """The page of a user: a hash of the name, independent of the hash that selects the shard.

    >>> [page_of(user, 4) for user in ("addison", "carson", "meredith")]
    [1, 0, 3]
    """
    return int.from_bytes(blake2b(user.encode(), digest_size=8, person=b"page").digest()) % pages


def pages_for(users: int, per_page: int = USERS) -> int:
    """The number of pages for a number of users.

    >>> pages_for(0), pages_for(1_000), pages_for(100_000)
    (1, 4, 512)
    """
    pages = 1
    while pages * per_page < users:
        pages *= 2
    return pages


class UsersByPage:
    """The users of each page of a shard, updated when users come or go.

    Costs about 2 µs per user who is new, and 0.1 µs per user after each change of who is served.
    """

    def __init__(self, pages: int) -> None:
        self.pages = pages
        self._page_of: dict[str, int] = {}
        self._users: list[dict[str, None]] = [{} for _ in range(pages)]
        self._seen: tuple[Shard | BatchShard, int] | None = None

    def users(self, page: int, shard: Shard | BatchShard) -> Collection[str]:
        """The users of a page."""
        if self._seen is None or self._seen[0] is not shard or self._seen[1] != shard.roster_changes:
            self._seen = (shard, shard.roster_changes)
            for user in self._page_of.keys() - shard.users:
                del self._users[self._page_of.pop(user)][user]
            for user in sorted(shard.users - self._page_of.keys()):
                self._page_of[user] = number = page_of(user, self.pages)
                self._users[number][user] = None
        return self._users[page].keys()


class Page(NamedTuple):
    """A saved page, and the first event that it needs from the caller; None if it needs none."""

    content: bytes
    needed: int | None


def write_page(shard: Shard | BatchShard, users: Iterable[str], since: int) -> Page:
    """Save the state of some users of a shard. Events from `since` on are left to the caller.

    A user whose state cannot be saved is set aside.
    """
    users = list(users)
    try:
        return _written(shard, users, since)
    except Exception:  # caused by one user: save the users one by one to find which
        for user in users:
            try:
                _written(shard, [user], since)
            except Exception as error:
                shard.put_out(user, error)
        return _written(shard, users, since)


def _written(shard: Shard | BatchShard, users: list[str], since: int) -> Page:
    if isinstance(shard, Shard):
        return pack_page(shard.states(users), since)
    named = NamedEvents(since)
    folded = shard.folded(users, named)
    return Page(packed([FORMAT, named.texts(), folded]), named.first)


def pack_page(states: Mapping[str, State], since: int) -> Page:
    """Save states in the format of the reference engine. Events from `since` on are left to the caller."""
    named = NamedEvents(since)
    folded = {user: fold(state, named) for user, state in states.items()}
    return Page(packed([FORMAT, named.texts(), {"states": folded, "columns": None}]), named.first)


def join_page(shard: Shard | BatchShard, page: bytes, events: "PageEvents") -> None:
    """Let the users of a page continue from there. The shard must be where the page was written.

    Users that the shard does not serve are ignored.
    """
    folded = _read(page, events)
    if isinstance(shard, BatchShard):
        shard.restore_folded(folded, events)
    else:
        shard.restore_states(_unfolded(folded, events))


def page_states(page: bytes, events: "PageEvents") -> dict[str, State]:
    """The states of the users of a page, in the format of the reference engine."""
    return _unfolded(_read(page, events), events)


def state_in_page(page: bytes, events: "PageEvents", user: str) -> State | None:
    """The state of one user of a page; None if the page has none. Reads only the events that this state names."""
    found = _folded(_read(page, events)).get(user)
    return None if found is None else unfold(found, events)


class PageEvents(EventSource):
    """The events that pages name: those saved in the pages that were read, and those of another source."""

    def __init__(self, source: EventSource) -> None:
        self._source = source
        self._texts: dict[int, str] = {}
        self._known: dict[int, Event] = {}

    def add(self, texts: Iterable[tuple[int, str]]) -> None:
        """Add the events of a page."""
        self._texts.update(texts)

    def __getitem__(self, seq: int) -> Event:
        text = self._texts.get(seq)
        if text is None:
            return self._source[seq]
        known = self._known.get(seq)
        if known is None:
            known = self._known[seq] = decode_event(text, seq=seq)
        return known

    def __iter__(self) -> Iterator[int]:
        return iter(self._texts.keys() | self._source.keys())

    def __len__(self) -> int:
        return len(self._texts.keys() | self._source.keys())


def _read(page: bytes, events: PageEvents) -> State:
    """The folded states of a page, also of the form before; their events are added to `events`."""
    with refusing_damage():
        content = unpacked(page)
        match content:
            case [int(number), list(texts), dict(folded)]:
                check_format(number)
            case [list(texts), dict(folded)]:  # the form before has no number
                pass
            case _:  # a whole shard, as earlier releases saved it
                return {"states": users_of(content), "columns": None}
        events.add(texts)
        return {"states": folded["states"], "columns": folded["columns"]}


def _unfolded(folded: State, events: EventSource) -> dict[str, State]:
    with refusing_damage():
        return unfold(_folded(folded), events)


def _folded(content: State) -> dict[str, State]:
    """The folded states of a page by user."""
    states: dict[str, State] = content["states"]
    columns = content["columns"]
    return states | folded_of_columns(columns) if columns else states


def packed(content: object) -> bytes:
    """Plain data, compressed."""
    return zstandard.ZstdCompressor(level=_LEVEL).compress(msgspec.msgpack.encode(content))


def unpacked(content: bytes) -> Any:
    """The data that `packed` was given."""
    return msgspec.msgpack.decode(inflated(content), strict=False)
