import os
import sqlite3
import stat
from collections.abc import Callable
from pathlib import Path

import pytest

from rankcast.errors import StoreError
from rankcast.model import Reject
from rankcast.store import Store
from rankcast.store.schema import SCHEMA_VERSION


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def set_version(store: Store, version: int) -> None:
    with store._database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE rankcast_store SET schema_version = {version}")


def test_a_missing_store_says_how_to_create_it(here):
    with pytest.raises(StoreError) as caught:
        Store.open("x.db")
    assert str(caught.value) == "no store at 'x.db'; create one with: rankcast init x.db"
    with pytest.raises(StoreError, match=r"rankcast init 'my store.db'$"):
        Store.open("my store.db")
    assert list(here.iterdir()) == []


def test_a_store_opens_where_it_was_created(place):
    Store.create(place).close()
    with Store.open(place) as store:
        assert store.version() == 0
        assert store.last_offset() == 0


def test_a_database_without_tables_is_no_store_yet(place):
    if "://" not in place:
        Path(place).touch()
    with pytest.raises(StoreError, match="no store at"):
        Store.open(place)
    Store.create(place).close()
    Store.open(place).close()


def test_creating_over_a_store_is_refused_unless_it_may_exist(place):
    with Store.create(place) as store:
        store.change()
    with pytest.raises(StoreError, match=r"there is a store at .* already"):
        Store.create(place)
    Store.create(place, exist_ok=True).close()


@pytest.mark.parametrize(
    ("version", "advice"),
    [
        (SCHEMA_VERSION + 1, "newer .*; upgrade Rankcast"),
        (SCHEMA_VERSION - 1, "older .*; upgrade it with: rankcast upgrade --store"),
        (2, "older .*; use the Rankcast that"),
    ],
)
def test_another_schema_version_is_refused(place, version, advice):
    with Store.create(place) as store:
        set_version(store, version)
    with pytest.raises(StoreError, match=f"schema version {version}, {advice}"):
        Store.open(place)
    with pytest.raises(StoreError, match=advice):
        Store.create(place, exist_ok=True)


def test_a_process_that_had_the_store_open_writes_no_more_after_an_upgrade(place):
    with Store.create(place) as store:
        set_version(store, SCHEMA_VERSION + 1)
        with pytest.raises(StoreError, match=f"has schema version {SCHEMA_VERSION + 1} now, not {SCHEMA_VERSION}"):
            store.reject([Reject("file", 1, "reason", "raw")])


def test_a_store_that_lost_its_version_is_damaged(place):
    with Store.create(place) as store, store._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM rankcast_store")
    with pytest.raises(StoreError):
        Store.open(place)


@pytest.mark.parametrize("name", ["a b.db", "100%.db", "what?.db", "hash#1.db", "größe.db", "'quoted'.db", "a:b.db"])
def test_any_file_name_will_do(here, name):
    Store.create(name).close()
    assert [path.name for path in here.iterdir()] == [name]
    Store.open(here / name).close()


@pytest.mark.parametrize("url", ["sqlite:///x.db", "sqlite+pysqlite:///x.db"])
def test_a_url_of_sqlite_names_the_same_file_as_its_path(here, url):
    Store.create(url).close()
    Store.open("x.db").close()
    Store.open(f"sqlite:///{here}/x.db").close()


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("nowhere/x.db", "no folder 'nowhere'; create it first"),
        (".", "'.' is a folder; give the path of a file in it"),
        ("", "a store in memory cannot be shared; give the path of a file"),
        (":memory:", "a store in memory cannot be shared; give the path of a file"),
        ("sqlite://", "a store in memory cannot be shared; give the path of a file"),
        ("mysql://host/db", "no store in 'mysql'; use a path, or a URL of sqlite or postgresql"),
        ("://", "'://' is neither a path nor the URL of a database"),
    ],
)
def test_places_where_no_store_can_be(here, place, message):
    with pytest.raises(StoreError) as caught:
        Store.create(place)
    assert str(caught.value) == message


def test_a_password_is_not_shown():
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://ann:secret@127.0.0.1:1/none")
    assert "secret" not in str(caught.value)


def test_a_store_with_a_missing_table_fails_with_its_name(here):
    with Store.create("x.db") as store:
        other = sqlite3.connect("x.db")
        other.execute("DROP TABLE rejects")
        other.close()
        with pytest.raises(StoreError, match=r"the store 'x\.db' failed: no such table: rejects"):
            store.rejects()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_may_not_be_written(here):
    here.chmod(0o500)
    with pytest.raises(StoreError, match=r"cannot create a store at 'x\.db'"):
        Store.create("x.db")


@pytest.mark.parametrize("opened", [Store.open, lambda place: Store.create(place, exist_ok=True)])
def test_tables_that_a_later_release_added_are_made(tmp_path: Path, opened: Callable[[Path], Store]) -> None:
    Store.create(tmp_path / "events.db").close()
    with sqlite3.connect(tmp_path / "events.db") as connection:
        connection.execute("drop table rejects")
    with opened(tmp_path / "events.db") as store:
        assert store.rejects() == []


def test_a_new_file_is_its_owner_s_alone(tmp_path):
    before = os.umask(0o022)
    try:
        with Store.create(tmp_path / "store.db") as store:
            store.version()
            modes = {path.name: stat.S_IMODE(path.stat().st_mode) for path in tmp_path.iterdir()}
    finally:
        os.umask(before)
    assert modes == dict.fromkeys(("store.db", "store.db-wal", "store.db-shm", "store.db-turns"), 384)


def test_a_url_that_cannot_be_parsed_is_shown_without_its_password():
    with pytest.raises(StoreError) as caught:
        Store.open("postgresql://ann:s3c/r@et@host:none/db")
    assert str(caught.value) == "'postgresql://ann:***@host:none/db' is neither a path nor the URL of a database"
