"""How a store of an earlier schema becomes one of this: a revision of Alembic for each schema version, in `versions/`.

The revision that leads to schema version n is called n. The version of a store is in its table `rankcast_store` and nowhere else: a
new store is made from `schema.metadata` and has the newest version from its first moment.

To change the schema, change the tables where they are declared, and raise `schema.SCHEMA_VERSION` if that version was released. A
revision changes the tables that were there before, for both databases; tables that are lacking afterwards are made as they are
declared. A test compares a migrated store with a new one, column by column and index by index.
"""

from rankcast.store.migrations.migrating import migrate, revisions

__all__ = ["migrate", "revisions"]
