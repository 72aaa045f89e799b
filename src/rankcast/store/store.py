"""The store: catalog, event log, deliveries and rejects of one installation, in one database."""

import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import datetime
from types import TracebackType

from rankcast.language import dumps
from rankcast.model import Catalog, Delivery, Event, Record, Reject, SetAside
from rankcast.store.catalog.log import Among, CatalogLog, Change, Check, Decision
from rankcast.store.delivery_log import DeliveryLog, Instants, Progress, StoredDelivery
from rankcast.store.engine import Clock, Database, system_clock
from rankcast.store.event_log import EventLog, LoggedEvent, LoggedText, LogRow, PublishReceipt, Refuse
from rankcast.store.opening import create_database, open_database
from rankcast.store.pipelines import SPARK, BatchCounts, Pipeline, PipelineLog
from rankcast.store.rejects import KeptReject, RejectLog
from rankcast.store.set_aside import KeptSetAside, SetAsideLog
from rankcast.store.sql import Columns
from rankcast.store.staging import StagedDeliveries, prepare_staging, stage
from rankcast.store.state_pages import PageMark, SavedState, StateChanges, StateLog, StatePage
from rankcast.store.stats import Stats, created, stats
from rankcast.store.unreadable import UnreadableRecord


class Store:
    """One database with everything that must survive a restart: a SQLite file, or PostgreSQL given by its URL.

    Changes are on disk when a method returns. The store is safe to use from several threads and processes: any
    number of readers, and one writer at a time. A writer waits up to `wait` seconds for another. Failures raise
    `StoreError`, and changes that the catalog refuses raise `CatalogError`. In both cases, the transaction is
    rolled back.

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
        self._states = StateLog(database)

    @classmethod
    def create(
        cls,
        path_or_url: str | os.PathLike[str],
        exist_ok: bool = False,
        *,
        wait: float = 30.0,
        clock: Clock = system_clock,
        is_served: bool = False,
    ) -> "Store":
        """Create a new store and open it. With `exist_ok`, an existing store is opened; `is_served` is as in `open`."""
        return cls(create_database(path_or_url, exist_ok, wait, clock, is_bulk=False, is_served=is_served))

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str],
        *,
        wait: float = 30.0,
        clock: Clock = system_clock,
        is_bulk: bool = False,
        is_served: bool = False,
    ) -> "Store":
        """Open an existing store of this schema version.

        `is_bulk` suits processes that write at full speed, and `is_served` those of a service, which calls
        `database.checkpoint` from time to time.
        """
        return cls(open_database(path_or_url, wait, clock, is_bulk, is_served))

    @property
    def database(self) -> Database:
        """The underlying database, which also holds data beside the store's own logs."""
        return self._database

    def close(self) -> None:
        """Close the database. The store cannot be used afterwards."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # the catalog

    def change(self, put: Iterable[Record] = (), remove: Iterable[Record] = (), check: Check | None = None) -> int:
        """Change the catalog in one new version, all or nothing. Returns the number of the version.

        The order within `put` and within `remove` does not matter; see `CatalogLog.change`. `check` sees the current
        records of the users concerned, in the same transaction, and raises an error to refuse the change.
        """
        return self._catalog.change(put, remove, check)

    def decide(self, user: str, decide: Callable[[Catalog], Decision]) -> int:
        """Change a user's records based on their current state. `decide` returns what to put and what to remove."""
        return self._catalog.decide(user, decide)

    def version(self) -> int:
        """The number of the newest version of the catalog. Version 0 is the empty catalog."""
        return self._catalog.version()

    def changed_at(self, version: int) -> int | None:
        """When a version of the catalog was made, in microseconds; None if there is no such version any more."""
        return self._catalog.changed_at(version)

    def has_records(self, count: int) -> bool:
        """Whether the newest catalog has at least so many records."""
        return self._catalog.has_records(count)

    def catalog(self, version: int | None = None) -> Catalog:
        """The catalog as of a version, by default the newest. It is shared, so the caller must not change it."""
        return self._catalog.catalog(version)

    def keep_catalog(self, version: int, catalog: Catalog) -> None:
        """Use a catalog that was saved elsewhere as that of a version. Nobody may change it from now on."""
        self._catalog.keep(version, catalog)

    def catalog_part(
        self, serves: Callable[[str], bool], version: int | None = None, among: Among | None = None
    ) -> Catalog:
        """The records of some users and those that concern all, as of a version, by default the newest. A separate
        copy. If `among` picks these users from all, no others' records are read."""
        return self._catalog.part(serves, version, among)

    def user_catalog(self, user: str, version: int) -> Catalog:
        """The records of one user and those that concern all, as of a version. A separate copy."""
        return self._catalog.of_user(user, version)

    def catalog_part_after(self, base: Catalog, after: int, serves: Callable[[str], bool], version: int) -> Catalog:
        """Like `catalog_part`, based on the result for an earlier version. `base` is not changed."""
        return self._catalog.part_after(base, after, serves, version)

    def unreadable(self) -> list[UnreadableRecord]:
        """The records left out of the newest catalog because they cannot be read."""
        return self._catalog.unreadable()

    def remove_unreadable(self, kind: str, *names: str | None, owner: str | None = None) -> bool:
        """Delete an unreadable record, given by its kind and names.

        The names are an id, a user, or the attribute, name and user of a concept. Returns whether the record existed
        and, if an owner is given, belonged to that owner.
        """
        key = names[0] if len(names) == 1 else dumps(list(names))
        return key is not None and self._catalog.remove_unreadable(kind, key, owner)

    def changes(self, after: int, up_to: int | None = None) -> Iterator[Change]:
        """The changes after one version, up to another or to the newest, in order."""
        return self._catalog.changes(after, up_to)

    # the event log

    def publish(
        self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None, is_urgent: bool = False
    ) -> list[PublishReceipt]:
        """Append events to the log, in order, `batch` per transaction. Returns their acknowledgements.

        An event that is already in the log with the same content is not appended again, so it is safe to publish
        again after a crash. An event cannot be logged if its id is taken by other content or if it names an unknown
        concept. It is passed to `refuse`, and the others are logged. Without `refuse` the error is raised, and
        neither its batch nor the later ones are logged. Urgent events come before other writers of this process.
        """
        return list(self._events.publishing(events, batch, refuse, is_urgent))

    def publishing(
        self, events: Iterable[Event], batch: int = 1000, refuse: Refuse | None = None
    ) -> Iterator[PublishReceipt]:
        """Like `publish`, but yields each acknowledgement as soon as its batch is on disk.

        The next batch starts when all acknowledgements of the last one have been consumed.
        """
        return self._events.publishing(events, batch, refuse)

    def events(self, after: int = 0, limit: int | None = None) -> Iterator[LoggedEvent]:
        """The events after an offset, in order, each with the catalog version at its publication."""
        return self._events.events(after, limit)

    def event_texts(self, after: int, up_to: int, limit: int | None = None) -> Iterator[LoggedText]:
        """The stored texts after one offset up to another, not decoded; at most `limit`."""
        return self._events.texts(after, up_to, limit)

    def log_rows(self, after: int, up_to: int) -> list[LogRow]:
        """The rows after one offset up to another, as one list for a micro-batch of a pipeline."""
        return self._events.rows(after, up_to)

    def offset_before(self, time: datetime) -> int:
        """The offset before the first event published at or after a time; the last offset if there is none."""
        return self._events.offset_before(time)

    def time_at_end(self, offset: int) -> datetime | None:
        """The current time if no event follows an offset, else None. Events logged later get later times."""
        return self._events.time_at_end(offset)

    def event(self, event_id: str) -> LoggedEvent | None:
        """The event with this id; None if there is none."""
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
        state: StateChanges,
        expected_offset: int,
        instants: Instants | None = None,
        set_aside: Iterable[SetAside] = (),
        matched: int = 0,
    ) -> int:
        """Write deliveries, progress, changes of the delivery state and set-aside rows in one transaction.

        Returns the number of new deliveries. Deliveries are unique per event and user, set-aside rows per user, event
        and version. The commit is refused if the progress is no longer at `expected_offset`. See
        `DeliveryLog.commit`.
        """
        return self._deliveries.commit(
            deliveries, offset, catalog_version, state, expected_offset, instants, set_aside, matched
        )

    def save_state(self, state: StateChanges, expected_offset: int) -> None:
        """Save pages of the delivery state without a batch; see `DeliveryLog.save`."""
        self._deliveries.save(state, expected_offset)

    def saved_state(self) -> SavedState:
        """The delivery state of the in-process pipeline."""
        return self._states.saved()

    def prepare_staging(self) -> None:
        """Let many processes stage deliveries; see `rankcast.store.staging`."""
        prepare_staging(self._database)

    def stage(self, deliveries: Columns) -> str:
        """Copy deliveries into PostgreSQL for a later `commit_batch`. Returns the name of the part."""
        return stage(self._database, deliveries)

    def past_page(self, find: Callable[[Sequence[PageMark]], PageMark | None]) -> StatePage | None:
        """The page that `find` selects among the earlier forms of the pages of delivery state; None if it selects
        none."""
        return self._states.past(find)

    def commit_batch(
        self,
        pipeline: str,
        deliveries: Columns | StagedDeliveries | int,
        rejects: Sequence[tuple[str, Reject]],
        done: BatchCounts,
        start: int | None,
        offset: int | None,
        catalog_version: int,
        set_aside: Iterable[SetAside] = (),
        due: int | None = None,
    ) -> int:
        """Write the results of a Spark micro-batch; see `DeliveryLog.commit_batch`."""
        return self._deliveries.commit_batch(
            pipeline, deliveries, rejects, done, start, offset, catalog_version, set_aside, due
        )

    def serve_again(
        self,
        deliveries: Iterable[Delivery],
        done: Sequence[int],
        failed: Iterable[SetAside] = (),
        pages: Sequence[StatePage] = (),
        expected_offset: int | None = None,
    ) -> int:
        """Write the deliveries of set-aside events. `done` are their row numbers; see `DeliveryLog.serve_again`."""
        return self._deliveries.serve_again(deliveries, done, failed, pages, expected_offset)

    def replace_state(self, pages: Sequence[StatePage], expected_offset: int) -> None:
        """Replace the whole delivery state as of the current progress. The next pipeline continues with it."""
        self._deliveries.replace_state(pages, expected_offset)

    def pipeline(self) -> Pipeline | None:
        """The pipeline that serves this store, and what it has done; None if there has been none."""
        return self._pipelines.pipeline()

    def due(self) -> int:
        """When the clock ends the next period of the pipeline on Spark; see `PipelineLog.due`."""
        return self._pipelines.due()

    def claim(
        self, name: str, place: str, shards: int, start_offset: int | None = None, engine: str = SPARK
    ) -> Pipeline:
        """Make a new pipeline the one that serves this store; see `PipelineLog.claim`."""
        return self._pipelines.claim(name, engine, place, shards, start_offset)

    def release(self) -> None:
        """Forget which pipeline serves this store. The next one starts with the state in the store."""
        self._pipelines.release()

    def progress(self) -> Progress:
        """How far the event log has been processed."""
        return self._deliveries.progress()

    def reached(self) -> int:
        """The offset up to which the event log has been processed."""
        return self._deliveries.reached()

    def deliveries(
        self, user: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[tuple[int, Delivery]]:
        """Deliveries after a number, of one user or of all, with their numbers, in commit order."""
        return self._deliveries.deliveries(user, after, limit)

    def stored_deliveries(
        self, user: str | None = None, after: int = 0, limit: int | None = None
    ) -> Iterator[StoredDelivery]:
        """Like `deliveries`, but each is decoded only when it is asked for."""
        return self._deliveries.stored(user, after, limit)

    def delivery(self, user: str, event_id: str) -> Delivery | None:
        """The delivery of an event to a user; None if there is none."""
        return self._deliveries.delivery(user, event_id)

    def last_delivery(self) -> int:
        """The number of the last delivery; 0 if there is none."""
        return self._deliveries.last_delivery()

    # the rest

    def reject(self, rejects: Iterable[Reject]) -> None:
        """Store input that could not be used."""
        self._rejects.reject(rejects)

    def rejects(self, limit: int | None = None) -> list[KeptReject]:
        """The rejects, oldest first. With a limit, the most recent ones."""
        return self._rejects.rejects(limit)

    def set_aside(self, user: str | None = None, limit: int | None = None, pending: bool = True) -> list[KeptSetAside]:
        """Events that could not be served, oldest first, of one user or of all. With a limit, the most recent ones.

        `pending` selects only those that were not served again.
        """
        return self._set_aside.rows(user, limit, pending)

    def failure(self, user: str, event_id: str, offset: int) -> KeptSetAside | None:
        """The row that says why the event at an offset was not served for a user; None if there is none."""
        return self._set_aside.failure(user, event_id, offset)

    def set_aside_page(self, user: str | None, after: int, limit: int, pending: bool = True) -> list[KeptSetAside]:
        """Events that could not be served, oldest first: at most `limit` rows after a number."""
        return self._set_aside.page(user, after, limit, pending)

    def created(self) -> int:
        """When the store was created, in microseconds. Copies have the same value, so it identifies a store."""
        return created(self._database)

    def stats(self) -> Stats:
        """Statistics about the content of the store."""
        return stats(self._database)
