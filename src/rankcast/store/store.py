"""The store: catalog, event log, deliveries and rejects of one installation, in one database."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from types import TracebackType

from rankcast.language import dumps
from rankcast.model import Catalog, Delivery, Event, Record, Reject, SetAside
from rankcast.store.catalog_log import CatalogLog, Change, Check, Decision
from rankcast.store.delivery_log import DeliveryLog, Instants, Progress
from rankcast.store.engine import Clock, Database, system_clock
from rankcast.store.event_log import EventLog, LoggedEvent, LoggedText, LogRow, PublishReceipt, Refuse
from rankcast.store.opening import create_database, open_database
from rankcast.store.pipelines import SPARK, BatchCounts, Pipeline, PipelineLog
from rankcast.store.rejects import KeptReject, RejectLog
from rankcast.store.set_aside import KeptSetAside, SetAsideLog
from rankcast.store.sql import Columns
from rankcast.store.stats import Stats, created, stats
from rankcast.store.unreadable import UnreadableRecord

__all__ = ["Store"]


class Store:
    """One database with everything that must survive: a file of SQLite, or PostgreSQL by its URL.

    What a method has returned is on disk. Safe from several threads and processes: any number read while one
    at a time writes; `wait` is for how many seconds a writer waits for another. All failures are `StoreError`,
    a change that the catalog refuses is `CatalogError`; in both cases nothing of the transaction is kept.

    >>> from tempfile import TemporaryDirectory
    >>> from rankcast.language import decode_event, decode_record
    >>> folder = TemporaryDirectory()
    >>> with Store.create(f"{folder.name}/movies.db") as store:
    ...     likes = decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'drama'"})
    ...     version = store.change(put=[likes])
    ...     event = decode_event({"id": "e1", "time": "2004-02-13", "attributes": {"genre": "drama"}})
    ...     store.publish([event, event])
    ...     store.stats()
    [PublishReceipt(id='e1', offset=1, duplicate=False), PublishReceipt(id='e1', offset=1, duplicate=True)]
    Stats(users=1, subscriptions=1, versions=1, events=1, processed=0, deliveries=0, rejects=0)
    >>> folder.cleanup()
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._catalog = CatalogLog(database)
        self._events = EventLog(database)
        self._deliveries = DeliveryLog(database)
        self._rejects = RejectLog(database)
        self._set_aside = SetAsideLog(database)
        self._pipelines = PipelineLog(database)

    @classmethod
    def create(
        cls,
        path_or_url: str | os.PathLike[str],
        exist_ok: bool = False,
        *,
        wait: float = 30.0,
        clock: Clock = system_clock,
    ) -> "Store":
        """Make a new store and open it; with `exist_ok`, open the one that is there."""
        return cls(create_database(path_or_url, exist_ok, wait, clock, is_bulk=False))

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str],
        *,
        wait: float = 30.0,
        clock: Clock = system_clock,
        is_bulk: bool = False,
    ) -> "Store":
        """Open a store that exists, of this schema version; `is_bulk` for who writes to a file as fast as it can be done."""
        return cls(open_database(path_or_url, wait, clock, is_bulk))

    @property
    def database(self) -> Database:
        """The database below, for what else is kept in it beside the store's own logs."""
        return self._database

    def close(self) -> None:
        """Let go of the database; the store cannot be used any more."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # the catalog

    def change(self, put: Iterable[Record] = (), remove: Iterable[Record] = (), check: Check | None = None) -> int:
        """Change the catalog in one new version, all or nothing; its number.

        See `CatalogLog.change` for the order: neither that within `put` nor that within `remove` matters. `check` sees what
        the catalog holds of the records and their users in the same transaction, and refuses the change by an error.
        """
        return self._catalog.change(put, remove, check)

    def decide(self, user: str, decide: Callable[[Catalog], Decision]) -> int:
        """Change a user's records by what they are at this moment: `decide` says what to put and what to remove."""
        return self._catalog.decide(user, decide)

    def version(self) -> int:
        """The number of the newest version of the catalog; 0 is the empty catalog."""
        return self._catalog.version()

    def catalog(self, version: int | None = None) -> Catalog:
        """The catalog as of a version, or the newest; shared, so not to be changed."""
        return self._catalog.catalog(version)

    def catalog_part(self, serves: Callable[[str], bool], version: int | None = None) -> Catalog:
        """The records of some users and those that concern all, as of a version or the newest; not shared."""
        return self._catalog.part(serves, version)

    def catalog_part_after(self, base: Catalog, after: int, serves: Callable[[str], bool], version: int) -> Catalog:
        """As `catalog_part` of a version, made out of that of an earlier one, which stays as it is."""
        return self._catalog.part_after(base, after, serves, version)

    def unreadable(self) -> list[UnreadableRecord]:
        """The records that are left out of the newest catalog because they cannot be read."""
        return self._catalog.unreadable()

    def remove_unreadable(self, kind: str, *names: str | None, owner: str | None = None) -> bool:
        """Delete such a record by its kind and what identifies it (an id; a user; attribute, name and user of a concept); whether it
        was there, and the owner's if one is given."""
        key = names[0] if len(names) == 1 else dumps(list(names))
        return key is not None and self._catalog.remove_unreadable(kind, key, owner)

    def changes(self, after: int, up_to: int | None = None) -> Iterator[Change]:
        """What changed after one version, up to another or to the newest, in order."""
        return self._catalog.changes(after, up_to)

    # the event log

    def publish(self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None) -> list[PublishReceipt]:
        """Append events to the log, in order, `batch` to a transaction; their acknowledgements.

        An event that is in the log already with the same content is not appended again, so that publishing again
        after a crash is safe. One that cannot be logged (its id is taken by other content, it names an unknown
        concept) is given to `refuse` and the others go on; without `refuse` the error is raised, and nothing of
        its batch and of those after it is logged.
        """
        return list(self.publishing(events, batch, refuse))

    def publishing(
        self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None
    ) -> Iterator[PublishReceipt]:
        """As `publish`, but each acknowledgement comes as soon as its batch is on disk, and the next batch is
        taken when those of the last have been."""
        return self._events.publishing(events, batch, refuse)

    def events(self, after: int = 0, limit: int | None = None) -> Iterator[LoggedEvent]:
        """The log after an offset, in order, each event with the catalog version current at its publication."""
        return self._events.events(after, limit)

    def event_texts(self, after: int, up_to: int) -> Iterator[LoggedText]:
        """The log after an offset up to another as it is kept, not decoded."""
        return self._events.texts(after, up_to)

    def log_rows(self, after: int, up_to: int) -> list[LogRow]:
        """The log after an offset up to another, for a pipeline: as much as one micro-batch holds."""
        return self._events.rows(after, up_to)

    def offset_before(self, time: datetime) -> int:
        """The offset before the first event that was published at that time or later; the last if there is none."""
        return self._events.offset_before(time)

    def time_at_end(self, offset: int) -> datetime | None:
        """The time now if nothing is logged after an offset, else None. Whatever is logged later is logged after that time."""
        return self._events.time_at_end(offset)

    def event(self, event_id: str) -> LoggedEvent | None:
        """The event with that id."""
        return self._events.event(event_id)

    def last_offset(self) -> int:
        """The offset of the last event; 0 if there is none."""
        return self._events.last_offset()

    # the deliveries

    def commit(
        self,
        deliveries: Iterable[Delivery],
        offset: int,
        catalog_version: int,
        states: Mapping[int, bytes],
        expected_offset: int,
        instants: Instants | None = None,
        set_aside: Iterable[SetAside] = (),
        at_end: bool = False,
    ) -> int:
        """Write deliveries (each event once per user), progress, states of shards and what was set aside (each user, event and
        version once) in one transaction; how many deliveries were new. Refused if the progress is no longer at
        `expected_offset`, or with `at_end` if there are events after `offset`."""
        return self._deliveries.commit(
            deliveries, offset, catalog_version, states, expected_offset, instants, set_aside, at_end
        )

    def commit_batch(
        self,
        pipeline: str,
        deliveries: Columns,
        rejects: Sequence[tuple[str, Reject]],
        done: BatchCounts,
        start: int | None,
        offset: int | None,
        catalog_version: int,
        set_aside: Iterable[SetAside] = (),
        due: int | None = None,
    ) -> int:
        """Write what a micro-batch of a pipeline on Spark made; see `DeliveryLog.commit_batch`."""
        return self._deliveries.commit_batch(
            pipeline, deliveries, rejects, done, start, offset, catalog_version, set_aside, due
        )

    def serve_again(
        self,
        deliveries: Iterable[Delivery],
        done: Sequence[int],
        failed: Iterable[SetAside] = (),
        states: Mapping[int, bytes] | None = None,
        expected_offset: int | None = None,
    ) -> int:
        """Write deliveries of what had been set aside; `done` are the numbers of its rows. See `DeliveryLog.serve_again`."""
        return self._deliveries.serve_again(deliveries, done, failed, states or {}, expected_offset)

    def put_states(self, states: Mapping[int, bytes], expected_offset: int) -> None:
        """Replace the states of all shards as of the progress; whoever serves the store next goes on with these."""
        self._deliveries.put_states(states, expected_offset)

    def pipeline(self) -> Pipeline | None:
        """Which pipeline serves this store, and what it has done; None if none has yet."""
        return self._pipelines.pipeline()

    def due(self) -> int:
        """When the clock ends the next period of the pipeline on Spark; see `PipelineLog.due`."""
        return self._pipelines.due()

    def claim(
        self, name: str, place: str, shards: int, start_offset: int | None = None, engine: str = SPARK
    ) -> Pipeline:
        """Let a new pipeline serve this store from now on; see `PipelineLog.claim`."""
        return self._pipelines.claim(name, engine, place, shards, start_offset)

    def release(self) -> None:
        """Forget which pipeline serves this store; the next starts with the state that is in the store."""
        self._pipelines.release()

    def progress(self) -> Progress:
        """How far the event log has been worked off."""
        return self._deliveries.progress()

    def reached(self) -> int:
        """Up to which offset the event log has been worked off; `progress` without the states."""
        return self._deliveries.reached()

    def deliveries(
        self, user: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[tuple[int, Delivery]]:
        """Deliveries, of one user or all, with their numbers, after a number, in the order of their commits."""
        return self._deliveries.deliveries(user, after, limit)

    def last_delivery(self) -> int:
        """The number of the last delivery; 0 if there is none."""
        return self._deliveries.last_delivery()

    # the rest

    def reject(self, rejects: Iterable[Reject]) -> None:
        """Keep input that could not be used."""
        self._rejects.reject(rejects)

    def rejects(self, limit: int | None = None) -> list[KeptReject]:
        """The rejects, oldest first; with a limit, the last so many."""
        return self._rejects.rejects(limit)

    def set_aside(self, user: str | None = None, limit: int | None = None, pending: bool = True) -> list[KeptSetAside]:
        """What could not be served, oldest first: of one user or all, only what was not served again since, or all; with a
        limit, the last so many."""
        return self._set_aside.rows(user, limit, pending)

    def set_aside_page(self, user: str | None, after: int, limit: int, pending: bool = True) -> list[KeptSetAside]:
        """What could not be served, oldest first: at most `limit` rows after a number."""
        return self._set_aside.page(user, after, limit, pending)

    def created(self) -> int:
        """When the store was made, in microseconds. A copy of it says the same, so this tells stores apart."""
        return created(self._database)

    def stats(self) -> Stats:
        """How much the store holds."""
        return stats(self._database)
