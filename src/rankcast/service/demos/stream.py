"""Streams the events of a demo dataset into the store in order, at a chosen speed, continuing where the log ends."""

from collections.abc import Callable, Sequence
from enum import Enum
from threading import Event as Flag
from threading import Lock, Thread
from time import monotonic
from typing import Protocol, assert_never
from weakref import WeakKeyDictionary

from rankcast.errors import RankcastError, did_you_mean
from rankcast.model import Advertisement, Catalog, Concept, Event, Policy, Preference, Record, Subscription
from rankcast.service.demos.market import MARKET
from rankcast.service.demos.movies import MOVIES
from rankcast.service.demos.world import World
from rankcast.store import Store
from rankcast.store.status import status

SPEEDS = (1, 5, 20, 100, 500)
"""The speeds that the page offers, in events per second."""

_TICK = 0.2
_BATCH = 500

BEHIND = 2000
"""A stream pauses while more events than this wait for the pipeline, so that the deliveries shown are recent."""


class Playable(Protocol):
    """What a stream needs of a service."""

    @property
    def store(self) -> Store:
        """The store of the service."""

    def catalog(self) -> Catalog:
        """The newest catalog."""

    def put(self, *records: Record) -> int:
        """Put records into the catalog."""

    def publish(self, events: Sequence[Event]) -> object:
        """Append events to the log, each once."""

    def event(self, event_id: str) -> Event | None:
        """The event of the log with that id."""


class StreamState(Enum):
    """The state of a stream."""

    CLOSED = "closed"
    LOADING = "loading"
    PLAYING = "playing"
    PAUSED = "paused"
    ENDED = "ended"
    FAILED = "failed"


class DemoStream:
    """Streams one demo dataset into a service, in its own thread.

    The position is not stored. It is found in the log by the ids of the events, with about twenty look-ups. So a
    restart continues where the stream stopped. Since an event is logged only once, nothing is repeated, even with
    several streams.
    """

    def __init__(self, world: World, service: Playable, clock: Callable[[], float] = monotonic) -> None:
        self.world = world
        self.speed: float = SPEEDS[2]
        self.state = StreamState.CLOSED
        self.error: str | None = None
        self.is_waiting = False
        self._service = service
        self._clock = clock
        self._reached = 0
        self._known = 0
        self._lock = Lock()
        self._stopping = Flag()
        self._thread: Thread | None = None

    @property
    def position(self) -> int:
        """The number of events published so far."""
        return self._reached

    @property
    def total(self) -> int:
        """The total number of events; 0 until the dataset is loaded."""
        return self._known

    def open(self, speed: float | None = None) -> None:
        """Add the missing records of the dataset's users to the catalog, and continue the stream."""
        missing = _missing(self.world.catalog(), self._service.catalog())
        if missing:
            self._service.put(*missing)
        self.play(speed)

    def play(self, speed: float | None = None) -> None:
        """Continue, at a new speed if one is given. Returns at once."""
        with self._lock:
            self.speed = speed or self.speed
            if self._thread is not None and self._thread.is_alive() and not self._stopping.is_set():
                return
        self.pause()
        with self._lock:
            self._stopping.clear()
            self.error = None
            self.state = StreamState.PLAYING if self._known else StreamState.LOADING
            self._thread = Thread(target=self._run, name=f"rankcast-world-{self.world.name}", daemon=True)
            self._thread.start()

    def pause(self) -> None:
        """Stop after the current batch."""
        self._stopping.set()
        thread = self._thread
        if thread is not None:
            thread.join()
        if self.state in (StreamState.PLAYING, StreamState.LOADING):
            self.state = StreamState.PAUSED

    def find(self) -> None:
        """Load the dataset and find the position in the log, without publishing. Slow (seconds) the first time."""
        script = self.world.script
        self._known = len(script)
        self._reached = self._first_unpublished()
        if self.state is StreamState.CLOSED and self._reached:
            self.state = StreamState.ENDED if self._reached == self._known else StreamState.PAUSED

    def _run(self) -> None:
        try:
            self.find()
            if not self._stopping.is_set():
                self.state = StreamState.PLAYING
            if self._reached < self.world.start:
                self._publish(self.world.start)
            before, due = self._clock(), 0.0
            while self._reached < self._known and not self._stopping.wait(max(_TICK, 1 / self.speed)):
                now = self._clock()
                # After sleep or on a slow machine, do not publish the whole backlog at once.
                due = min(due + (now - before) * self.speed, max(2 * self.speed, 1.0))
                before = now
                self._publish(self._reached + int(due))
                due -= int(due)
            if self._reached == self._known:
                self.state = StreamState.ENDED
        except Exception as error:  # a thread reports its errors to nobody, so keep it for the page
            self.error, self.state = str(error) or type(error).__name__, StreamState.FAILED

    def _publish(self, up_to: int) -> None:
        up_to = min(up_to, self._known)
        while self._reached < up_to and not self._stopping.is_set():
            self.is_waiting = status(self._service.store.database).lag > BEHIND
            if self.is_waiting:
                return
            events = self.world.script[self._reached : min(up_to, self._reached + _BATCH)]
            self._service.publish(events)
            self._reached += len(events)

    def _first_unpublished(self) -> int:
        """The position of the first unpublished event. Doubles, then bisects, to load few rows."""
        low, high = 0, 1
        while high <= self._known and self._is_published(high - 1):
            low, high = high, 2 * high
        high = min(high - 1, self._known)
        while low < high:
            middle = (low + high) // 2
            if self._is_published(middle):
                low = middle + 1
            else:
                high = middle
        return low

    def _is_published(self, place: int) -> bool:
        return self._service.event(self.world.script[place].id) is not None


def _missing(world: Catalog, catalog: Catalog) -> list[Record]:
    """The records that opening a dataset adds. Existing users keep their records, which they may have changed."""
    present = set(catalog.users())
    return [record for record in world.records() if not _is_there(record, catalog, present)]


def _is_there(record: Record, catalog: Catalog, present: set[str]) -> bool:
    match record:
        case Concept():
            shared = (record.attribute, record.name, None)
            return shared in catalog.concepts if record.user is None else record.user in present
        case Advertisement():
            return record.id in catalog.advertisements
        case Subscription() | Preference() | Policy():
            return record.user in present
        case other:
            assert_never(other)


WORLDS = {world.name: world for world in (MOVIES, MARKET)}
"""The demo datasets by name."""

_STREAMS: "WeakKeyDictionary[Playable, dict[str, DemoStream]]" = WeakKeyDictionary()


def world(name: str) -> World:
    """The demo dataset of that name.

    >>> world("movies").title
    'Films'
    """
    if name not in WORLDS:
        near = did_you_mean(name, WORLDS) or f"; there are {', '.join(WORLDS)}"
        raise RankcastError(f"there is no world {name!r}{near}")
    return WORLDS[name]


def stream_of(service: Playable, name: str) -> DemoStream:
    """The stream of a demo dataset into a service. All callers share the same one."""
    return _STREAMS.setdefault(service, {}).setdefault(name, DemoStream(world(name), service))
