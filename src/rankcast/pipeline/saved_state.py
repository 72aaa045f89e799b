"""The saved state of the shards in this process: which pages a commit writes, and how shards are restored.

Each page of users is saved as of its own position in the event log. To restore the shards, the log is served again
from the oldest page on, without delivering again, and the users of each page join where it was written. So a commit
costs in proportion to its events, not to the users. The pages are written in turn, so that restoring costs at most
serving some thousands of events, or some seconds.
"""

from collections import deque
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import groupby, islice
from time import monotonic
from typing import NamedTuple

from rankcast.engine.arrays import BatchShard
from rankcast.engine.choice import shard_for
from rankcast.engine.named_events import EventSource
from rankcast.engine.pages import (
    PageEvents,
    UsersByPage,
    join_page,
    page_of,
    page_states,
    pages_for,
    state_in_page,
    write_page,
)
from rankcast.engine.reference.shard import Shard, shard_of
from rankcast.errors import StoreError
from rankcast.model import Catalog, Event
from rankcast.pipeline.serving import publish_to, read_events
from rankcast.plain import State
from rankcast.store import ClockAdvance, PageMark, SavedState, StateChanges, StatePage, Store

USERS_PER_PAGE = 64
"""Intended number of users per page. A page is written in a few milliseconds."""

_EVENTS = 10_000
_SECONDS = 10.0
"""Each page is written at least once in this many events and in this many seconds of serving. Restoring costs about
as much, so this bounds it."""

_SPAN = 10_000
_RECENT = 600.0
"""A page leaves an event to the log if it is among the last 10,000, and was served in the last ten minutes. Pruning
keeps such events; earlier ones are in the page."""

_IDLE = 60.0
"""A page that is behind is written after this many seconds, so that pruning does not wait for further events."""

_READ = 500
"""The number of events that are read and served together when shards are restored."""


class Position(NamedTuple):
    """Where a pipeline is: after an event and an advance of the clock, with a version of the catalog."""

    offset: int
    catalog_version: int
    clock: int


class LogEvents(EventSource):
    """The events of a log by `seq`, read some hundred at a time."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._known: dict[int, Event] = {}

    def __getitem__(self, seq: int) -> Event:
        if seq not in self._known:
            for entry in read_events(self._store, seq - 1, _READ):
                if entry.event is not None:
                    self._known[entry.offset] = entry.event
        if seq not in self._known:
            raise _incomplete(seq)
        return self._known[seq]

    def __iter__(self) -> Iterator[int]:
        return iter(self._known)

    def __len__(self) -> int:
        return len(self._known)


def restore(
    store: Store, saved: SavedState, make: Callable[[Catalog], list[Shard | BatchShard]]
) -> list[Shard | BatchShard]:
    """Make shards and bring them to the state as of the offset of `saved`.

    They need not be divided as they were. Costs as much as serving the events since the oldest page.
    """
    if not saved.pages:
        return make(store.catalog(saved.catalog_version))
    pages = sorted(saved.pages, key=_position)
    begin = pages[0].mark
    shards = make(store.catalog(begin.catalog_version))
    replay = _Replay(store, shards, Position(begin.offset, begin.catalog_version, begin.clock), saved.advances)
    events = PageEvents(LogEvents(store))
    is_same = len(shards) == saved.shards
    for position, together in groupby(pages, key=_position):
        replay.go_to(position)
        for page in together:
            for shard in [shards[page.mark.shard]] if is_same else shards:
                join_page(shard, page.content, events)
    last = max((advance.number for advance in saved.advances), default=0)
    replay.go_to(Position(saved.offset, saved.catalog_version, max(last, replay.at.clock)))
    for shard in shards:
        shard.take_matches()  # they were counted before
    return shards


def states_of(store: Store, saved: SavedState) -> Iterator[dict[str, State]]:
    """The states of all users as of the offset of `saved`, in the format of the reference engine, in parts."""
    if saved.is_settled:
        events = PageEvents(LogEvents(store))
        for page in saved.pages:
            yield page_states(page.content, events)
        return
    # Events under an advertisement go to the best of all users, so these are restored together.
    for shard in restore(store, saved, lambda catalog: [shard_for(saved.lag, catalog)]):
        yield shard.states(shard.users)


def page_with(user: str, marks: Sequence[PageMark]) -> PageMark | None:
    """The first page that contains the state of a user, among pages of all shards; None if there is none."""
    shard = shard_of(user, len({mark.shard for mark in marks})) if marks else 0
    own = (mark for mark in marks if mark.shard == shard and mark.page == page_of(user, mark.pages))
    return next(own, None)


def state_before(store: Store, user: str, after: int, offset: int) -> tuple[PageMark, State | None] | None:
    """The last state of a user that the store has from between two offsets, and where it was saved.

    The state is None if the user had none there; the whole result is None if there is no such page, or if it cannot
    be used. Cost: one page is read, and the events that the state names.
    """

    def is_usable(mark: PageMark) -> bool:
        return after < mark.offset <= offset and mark.needed > after

    def find(marks: Sequence[PageMark]) -> PageMark | None:
        found = page_with(user, sorted(marks, key=lambda mark: (is_usable(mark), mark.offset), reverse=True))
        return found if found is not None and is_usable(found) else None

    page = store.past_page(find)
    if page is None:
        return None
    try:
        state = state_in_page(page.content, PageEvents(LogEvents(store)), user)
    except StoreError:  # an event that it names is not in the log any more
        return None
    return None if state is not None and state.get("set_aside") else (page.mark, state)


def pages_of(shards: Sequence[Shard | BatchShard], at: Position) -> list[StatePage]:
    """The whole state of some shards. It needs nothing from the log."""
    return PageWriter(shards).everything(shards, at)


class PageWriter:
    """Decides which pages of the shards to write, and writes them.

    Parameters
    ----------
    saved
        The pages that there are. If there are none, the first commit must write all.
    """

    def __init__(self, shards: Sequence[Shard | BatchShard], saved: SavedState | None = None) -> None:
        self._written: dict[tuple[int, int], _Written] = {}
        """The pages by shard and number, the one that was written longest ago first."""
        counts = [0] * len(shards)
        now = monotonic()
        for page in sorted(saved.pages if saved else [], key=_position):
            mark = page.mark
            counts[mark.shard] = mark.pages
            self._written[mark.shard, mark.page] = _Written(mark, len(page.content), now)
        self._users = [UsersByPage(count) for count in counts]
        self._due = 0.0
        self._advances = [advance.number for advance in saved.advances] if saved else []
        self._aged = saved.offset if saved else 0
        """The last event that was served more than ten minutes ago."""
        self._served: deque[tuple[float, int]] = deque()

    def changes(
        self,
        shards: Sequence[Shard | BatchShard],
        at: Position,
        events: int,
        seconds: float,
        advance: ClockAdvance | None = None,
        failed: Collection[str] = (),
    ) -> StateChanges:
        """The pages to write after a number of events that took a time to serve.

        These include the pages of users for whom serving failed, because it may not fail again.
        """
        self._note(at.offset)
        if advance is not None:
            self._advances.append(advance.number)
        spread = [self._spread(number, shard) for number, shard in enumerate(shards)]
        if any(spread):
            return self._changed([self._page(key, shards, at, self._since(at)) for key in self._keys()], advance)
        self._due += len(self._written) * max(events / _EVENTS, seconds / _SECONDS)
        count = min(int(self._due), len(self._written))
        self._due -= int(self._due)
        keys = dict.fromkeys(islice(self._written, count))
        for user in failed:
            shard = shard_of(user, len(shards))
            keys[shard, page_of(user, self._users[shard].pages)] = None
        return self._changed([self._page(key, shards, at, self._since(at)) for key in keys], advance)

    def everything(self, shards: Sequence[Shard | BatchShard], at: Position) -> list[StatePage]:
        """All pages, which then need nothing from the log."""
        for number, shard in enumerate(shards):
            self._spread(number, shard)
        return [self._page(key, shards, at, at.offset + 1) for key in self._keys()]

    def all_changes(self, shards: Sequence[Shard | BatchShard], at: Position) -> StateChanges:
        """All pages as changes, to be committed together."""
        self._note(at.offset)
        return self._changed(self.everything(shards, at))

    def behind(
        self, shards: Sequence[Shard | BatchShard], at: Position, budget: float, is_idle: bool
    ) -> StateChanges | None:
        """Some pages that are behind a position or need the log, for about `budget` seconds; None if there are none.

        With `is_idle`, only those that were written more than a minute ago.
        """
        self._note(at.offset)
        now, pages = monotonic(), list[StatePage]()
        since = self._since(at) if is_idle else at.offset + 1
        for key, written in list(self._written.items()):
            mark = written.mark
            is_behind = Position(mark.offset, mark.catalog_version, mark.clock) != at or mark.needed < since
            if is_behind and (not is_idle or written.at < now - _IDLE):
                pages.append(self._page(key, shards, at, since))
                if monotonic() - now > budget:
                    break
        return self._changed(pages) if pages else None

    @property
    def catalog_version(self) -> int | None:
        """The version of the catalog from which the shards would be restored; None if there are no pages yet."""
        return min((written.mark.catalog_version for written in self._written.values()), default=None)

    def _keys(self) -> list[tuple[int, int]]:
        return [(shard, page) for shard, users in enumerate(self._users) for page in range(users.pages)]

    def _spread(self, number: int, shard: Shard | BatchShard) -> bool:
        """Use more pages if a shard has none, or many more users. Returns whether its pages must all be written."""
        wanted, users = pages_for(len(shard.users), USERS_PER_PAGE), self._users[number]
        if users.pages and wanted < 4 * users.pages:
            return False
        self._users[number] = UsersByPage(wanted)
        return True

    def _page(self, key: tuple[int, int], shards: Sequence[Shard | BatchShard], at: Position, since: int) -> StatePage:
        number, page = key
        users, shard = self._users[number], shards[number]
        content, needed = write_page(shard, users.users(page, shard), since)
        mark = PageMark(number, page, users.pages, *at, at.offset + 1 if needed is None else needed)
        self._written.pop(key, None)  # the page moves to the end
        self._written[key] = _Written(mark, len(content), monotonic())
        return StatePage(mark, content)

    def _changed(self, pages: list[StatePage], advance: ClockAdvance | None = None) -> StateChanges:
        forgotten = 0
        if self._advances:
            oldest = min(written.mark.clock for written in self._written.values())
            forgotten = max((number for number in self._advances if number <= oldest), default=0)
            self._advances = [number for number in self._advances if number > oldest]
        return StateChanges(pages, advance, forgotten, sum(written.size for written in self._written.values()))

    def _note(self, offset: int) -> None:
        now = monotonic()
        if not self._served or self._served[-1][1] < offset:
            self._served.append((now, offset))
        while self._served and self._served[0][0] < now - _RECENT:
            self._aged = self._served.popleft()[1]

    def _since(self, at: Position) -> int:
        """The first event that a page may leave to the log."""
        return max(at.offset - _SPAN, self._aged) + 1


class _Written(NamedTuple):
    """A page as it was last written: its size in bytes, and when that was."""

    mark: PageMark
    size: int
    at: float


class _Replay:
    """Serves a part of the log again. The deliveries and what was set aside are known."""

    def __init__(
        self, store: Store, shards: Sequence[Shard | BatchShard], at: Position, advances: Sequence[ClockAdvance]
    ) -> None:
        self.at = at
        self._store = store
        self._shards = shards
        self._advances = advances

    def go_to(self, position: Position) -> None:
        """Serve everything up to a position."""
        for advance in self._advances:
            if self.at.clock < advance.number <= position.clock:
                self._serve(advance.offset)
                for shard in self._shards:
                    shard.advance(advance.clock)
                    shard.take_set_aside()
                self.at = self.at._replace(clock=advance.number)
        self._serve(position.offset)
        self._update(position.catalog_version)
        self.at = position

    def _serve(self, up_to: int) -> None:
        while self.at.offset < up_to:
            offset = self.at.offset
            entries = read_events(self._store, offset, min(_READ, up_to - offset))
            if not entries:
                raise _incomplete(offset + 1)
            for version, group in groupby(entries, key=lambda entry: entry.catalog_version):
                self._update(version)
                publish_to(self._shards, self._store.catalog(version), list(group))
                for shard in self._shards:
                    shard.take_set_aside()
            self.at = self.at._replace(offset=entries[-1].offset)

    def _update(self, version: int) -> None:
        if version != self.at.catalog_version:
            for shard in self._shards:
                shard.update(self._store.catalog(version))
                shard.take_set_aside()
            self.at = self.at._replace(catalog_version=version)


def _position(page: StatePage) -> Position:
    return Position(page.mark.offset, page.mark.catalog_version, page.mark.clock)


def _incomplete(seq: int) -> StoreError:
    return StoreError(
        f"the delivery state needs the event at offset {seq}, which is not in the log any more or cannot be read; "
        "restore the store from a backup, or make the state anew with: rankcast state rebuild"
    )
