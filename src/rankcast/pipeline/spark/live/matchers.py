"""The matchers of a process that matches: one for each store's log, and one for each query on another source."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, get_ident

from rankcast.engine.reference.shard import shard_of
from rankcast.pipeline.spark.live.catalogs import MAPPED_FROM, FixedCatalog, MovingCatalog, OpenStores
from rankcast.pipeline.spark.live.hosts import private_folder
from rankcast.pipeline.spark.live.matched import MatchedRange, encode_host_range, encode_range
from rankcast.pipeline.spark.live.matcher import EventMatcher, LogMatcher
from rankcast.pipeline.spark.live.requests import MatchAnswer, MatchRequest, TakeAnswer, TakeRequest, failure_of
from rankcast.pipeline.spark.live.topics import TopicMatcher
from rankcast.pipeline.spark.live.whole import AllSubscriptions, SubscriptionObjects, WholeCatalog
from rankcast.store import Store


class Matchers:
    """The matchers of a process, by store or by query."""

    def __init__(self) -> None:
        self._stores = OpenStores()
        self._logs: dict[str, tuple[str, LogMatcher]] = {}
        self._used = time.monotonic()
        """When a matcher was last used."""
        self._divided: tuple[object, list[MatchedRange]] = (None, [])
        """The last range that processes asked for one by one, and the parts of all shards."""
        self._topics: dict[str, TopicMatcher] = {}
        self._taken: tuple[bytes, list[bytes]] = (b"", [])
        """The last events of another source that were taken, by their key, and the parts of all shards."""
        self._lock = Lock()
        self._waiting: set[int] = set()
        """The threads that are waiting for an answer."""

    def match(self, request: MatchRequest) -> MatchAnswer:
        """Match a range of a log. A failure is reported in the answer."""
        with self._turn():
            try:
                if request.of is None:
                    return MatchAnswer([encode_range(one) for one in self._ranges(request)])
                key = request.run, request.store, request.after, request.up_to
                if self._divided[0] != key:
                    self._divided = key, self._ranges(request)
                ranges, (first, step) = self._divided[1], request.of
                own = range(first, request.shards, step)
                return MatchAnswer([encode_host_range({number: ranges[number] for number in own})])
            except Exception as error:
                self._logs.clear()  # no half-changed matcher stays
                return MatchAnswer(error=failure_of(error))

    def take(self, request: TakeRequest) -> TakeAnswer:
        """Take and match events of another source. A failure is reported in the answer."""
        with self._turn():
            try:
                key, parts = self._taken
                if key != request.key:
                    if request.frames is None:
                        return TakeAnswer(needs_frames=True)
                    parts = self._topic(request).parts(request.frames, request.intake)
                    self._taken = request.key, parts
                return TakeAnswer(part=parts[request.shard])
            except Exception as error:
                self._topics.clear()
                return TakeAnswer(error=failure_of(error))

    def look_ahead(self, request: MatchRequest) -> None:
        """Match in advance until the next request arrives."""
        with self._lock:
            try:
                self._log(request).look_ahead(lambda: not self._waiting)
            except Exception:  # the next request reports it
                self._logs.clear()

    def forget_idle(self, seconds: float) -> None:
        """Drop what was not used for so long, because the queries have stopped."""
        with self._lock:
            if time.monotonic() - self._used > seconds:
                self._logs.clear()
                self._topics.clear()
                self._divided, self._taken = (None, []), (b"", [])

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """Wait for the turn of this thread."""
        self._waiting.add(get_ident())
        with self._lock:
            self._waiting.discard(get_ident())
            self._used = time.monotonic()
            yield

    def _ranges(self, request: MatchRequest) -> list[MatchedRange]:
        return self._log(request).ranges(request.after, request.up_to)

    def _log(self, request: MatchRequest) -> LogMatcher:
        run, known = self._logs.pop(request.store, ("", None))
        if known is None or run != request.run:
            store = self._stores[request.store]
            known = LogMatcher(store, _event_matcher(subscriptions_of(store, request.store), request.shards))
        self._logs[request.store] = request.run, known
        return known

    def _topic(self, request: TakeRequest) -> TopicMatcher:
        settings = request.settings
        known = self._topics.pop(settings.run, None)
        if known is None:
            subscriptions: AllSubscriptions
            if settings.store:
                subscriptions = subscriptions_of(self._stores[settings.store], settings.store)
            else:
                subscriptions = SubscriptionObjects(FixedCatalog.of_lines(request.catalog))
            known = TopicMatcher(_event_matcher(subscriptions, settings.shards), settings)
        self._topics[settings.run] = known
        return known


def subscriptions_of(store: Store, url: str) -> AllSubscriptions:
    """All subscriptions of a store, for a process that matches: as a file if there are many, otherwise as objects."""
    if store.has_records(MAPPED_FROM):
        from rankcast.pipeline.spark.live.mapped import MappedSubscriptions  # with numba, in half a second

        return MappedSubscriptions(store, url, private_folder())
    return SubscriptionObjects(MovingCatalog(store))


def _event_matcher(subscriptions: AllSubscriptions, shards: int) -> EventMatcher:
    def number_of(user: str) -> int:
        return shard_of(user, shards)

    return EventMatcher(WholeCatalog(subscriptions, number_of), shards, number_of)
