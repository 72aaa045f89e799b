"""Run the revisions that a store lacks."""

from pathlib import Path

from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from alembic.script.base import Script
from sqlalchemy import Connection, update

from rankcast.store import schema


def migrate(connection: Connection, version: int) -> None:
    """Migrate the tables from a version to that of this release, in the caller's transaction, all or nothing."""
    with Operations.context(MigrationContext.configure(connection)):
        for number, script in revisions().items():
            if number > version:
                script.module.upgrade()
    schema.metadata.create_all(connection)
    connection.execute(update(schema.store).values(schema_version=schema.SCHEMA_VERSION))


def revisions() -> dict[int, Script]:
    """The revisions by the schema version that they lead to, in the order to run them."""
    directory = ScriptDirectory(str(Path(__file__).parent))
    return {int(script.revision): script for script in reversed(list(directory.walk_revisions()))}
