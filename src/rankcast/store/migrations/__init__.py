"""Migrations from earlier schemas: one Alembic revision per schema version, in `versions/`.

The revision that leads to schema version n is named n. A store keeps its version only in its table `rankcast_store`.
A new store is created from `schema.metadata` and has the newest version from the start.

To change the schema, change the tables where they are declared, and raise `schema.SCHEMA_VERSION` if the current
version was released. A revision changes the existing tables, for both databases. Missing tables are then created as
declared. A test compares a migrated store with a new one, column by column and index by index.
"""

from rankcast.store.migrations.migrating import migrate, revisions

__all__ = ["migrate", "revisions"]
