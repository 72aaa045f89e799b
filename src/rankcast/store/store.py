"""The store: catalog, event log, deliveries and rejects of one installation, in one database."""

import os

from rankcast.store.catalog.log import CatalogLog
from rankcast.store.delivery_log import DeliveryLog
from rankcast.store.engine import Clock, Database, system_clock
from rankcast.store.event_log import EventLog
from rankcast.store.opening import USUAL, ConnectionSettings, create_database, open_database
from rankcast.store.pipelines import PipelineLog
from rankcast.store.rejects import RejectLog
from rankcast.store.set_aside import SetAsideLog
from rankcast.store.staging import StagingLog
from rankcast.store.state_pages import StateLog
from rankcast.store.status import StatusLog


class Store(CatalogLog, EventLog, DeliveryLog, RejectLog, SetAsideLog, PipelineLog, StateLog, StagingLog, StatusLog):
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

    @classmethod
    def create(
        cls,
        path_or_url: str | os.PathLike[str],
        exist_ok: bool = False,
        *,
        wait: float = USUAL.wait,
        clock: Clock = system_clock,
        is_served: bool = False,
    ) -> "Store":
        """Create a new store and open it. With `exist_ok`, an existing store is opened; `is_served` is as in `open`."""
        return cls(create_database(path_or_url, exist_ok, ConnectionSettings(wait, clock, is_served=is_served)))

    @classmethod
    def open(
        cls,
        path_or_url: str | os.PathLike[str],
        *,
        wait: float = USUAL.wait,
        clock: Clock = system_clock,
        is_bulk: bool = False,
        is_served: bool = False,
    ) -> "Store":
        """Open an existing store of this schema version.

        `is_bulk` suits processes that write at full speed, and `is_served` those of a service, which calls
        `database.checkpoint` from time to time.
        """
        return cls(open_database(path_or_url, ConnectionSettings(wait, clock, is_bulk, is_served)))

    @property
    def database(self) -> Database:
        """The underlying database, which also holds data beside the store's own logs."""
        return self._database

    def close(self) -> None:
        """Close the database. The store cannot be used afterwards."""
        self._database.close()

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()
