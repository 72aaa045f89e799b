"""A store of the release before is migrated to exactly the tables that a new one has."""

import before
import pytest
from sqlalchemy import inspect

from rankcast.store import Store
from rankcast.store.migrations import revisions
from rankcast.store.schema import OLDEST_VERSION, SCHEMA_VERSION
from rankcast.store.upgrading import upgrade_store

INDEXES = {
    "sqlite": "SELECT tbl_name || ': ' || sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL "
    "UNION ALL SELECT tbl_name || ': ' || name FROM sqlite_master WHERE type = 'index' AND sql IS NULL",
    "postgresql": "SELECT replace(indexdef, current_schema() || '.', '') FROM pg_indexes WHERE schemaname = current_schema()",
}
"""How each database says which indexes there are, also those on expressions and of unique constraints."""


@pytest.fixture(params=[3, 4])
def old(request, place, tmp_path) -> str:
    """A store of each earlier schema version, in either database."""
    name, folder = {3: ("oracle.db", before.FOLDER), 4: ("store.db", before.NEXT)}[request.param]
    if "://" not in place:
        return str(before.put_file(name, tmp_path, folder))
    before.put_postgresql(place, folder)
    return place


def tables(store: Store) -> dict[str, object]:
    """All that the database says of the tables, whatever the order of columns and the names of constraints."""
    found: dict[str, object] = {}
    with store.database.reading() as connection:
        inspector = inspect(connection)
        for name in inspector.get_table_names():
            columns = {
                column["name"]: (str(column["type"]), column["nullable"], column["default"], column.get("comment"))
                for column in inspector.get_columns(name)
            }
            foreign = sorted(
                (key["constrained_columns"], key["referred_table"], key["referred_columns"])
                for key in inspector.get_foreign_keys(name)
            )
            primary = inspector.get_pk_constraint(name)["constrained_columns"]
            found[name] = {"columns": columns, "foreign": foreign, "primary": primary}
        found["indexes"] = sorted(connection.exec_driver_sql(INDEXES[connection.dialect.name]).scalars())
    return found


def test_a_migrated_store_has_the_tables_of_a_new_one(old, tmp_path, request):
    upgrade_store(old, is_backed_up=True)
    if "://" in old:
        with (
            request.getfixturevalue("postgresql").place() as url,
            Store.create(url) as new,
            Store.open(old) as migrated,
        ):
            assert tables(migrated) == tables(new)
    else:
        with Store.create(tmp_path / "new.db") as new, Store.open(old) as migrated:
            assert tables(migrated) == tables(new)


def test_the_comparison_sees_a_column_and_an_index_that_are_lacking(place):
    with Store.create(place) as store:
        whole = tables(store)
        with store.database.writing() as connection:
            connection.exec_driver_sql("DROP INDEX ix_webhooks_user")
        without_index = tables(store)
        with store.database.writing() as connection:
            connection.exec_driver_sql("ALTER TABLE webhooks DROP COLUMN last_failure")
        assert whole != without_index != tables(store)


def test_there_is_a_revision_for_every_schema_version():
    assert list(revisions()) == list(range(OLDEST_VERSION + 1, SCHEMA_VERSION + 1))


def test_a_store_that_lacks_a_table_of_its_own_schema_version_is_migrated_too(old):
    """Tables came within schema version 3; a store that was not used since lacks them."""
    import sqlite3

    import psycopg

    connection = psycopg.connect(old) if "://" in old else sqlite3.connect(old)
    connection.execute("DROP TABLE quiet_hours")
    connection.commit()
    connection.close()
    upgrade_store(old, is_backed_up=True)
    with Store.open(old) as store:
        assert "quiet_hours" in tables(store)
