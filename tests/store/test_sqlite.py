import os
import random
import shutil
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime

import pytest

from rankcast.errors import StoreError
from rankcast.language import decode_record
from rankcast.model import Delivery, Event, Reject
from rankcast.store import PageMark, StateChanges, StatePage, Store
from rankcast.store.sqlite import explain

TIME = datetime(2026, 5, 1, tzinfo=UTC)


def event(number: int) -> Event:
    return Event(f"e{number}", TIME, {"genre": ("drama",), "number": (number,)})


def likes(number: int):
    return decode_record(
        {"kind": "subscription", "id": f"s{number}", "user": f"u{number}", "where": f"number > {number}"}
    )


def read_all(path) -> None:
    with Store.open(path) as store:
        store.stats()
        store.catalog()
        list(store.changes(0))
        list(store.events())
        list(store.deliveries())
        store.rejects()
        store.progress()


@pytest.fixture
def filled(tmp_path):
    """A closed store of about 40 pages."""
    path = tmp_path / "store.db"
    with Store.create(path) as store:
        store.change(put=[likes(number) for number in range(100)])
        store.publish(map(event, range(1, 401)))
        sent = [Delivery(f"u{n % 7}", f"e{n}", n, 0.5, ("s1",), TIME, TIME, n) for n in range(1, 201)]
        store.commit(
            sent, 200, 1, StateChanges([StatePage(PageMark(0, 0, 1, 200, 1, 0, 201), b"x" * 9000)]), expected_offset=0
        )
        store.reject([Reject("file", n, "reason", "raw" * 30) for n in range(50)])
    read_all(path)
    return path


def test_a_commit_is_flushed_and_readers_do_not_wait_for_the_writer(tmp_path):
    with Store.create(tmp_path / "store.db") as store:
        with store._database.writing() as connection:
            assert connection.exec_driver_sql("PRAGMA journal_mode").scalar() == "wal"
            assert connection.exec_driver_sql("PRAGMA synchronous").scalar() == 2
            assert connection.exec_driver_sql("PRAGMA foreign_keys").scalar() == 1
            assert store.last_offset() == 0
        assert sorted(path.name for path in tmp_path.iterdir())[0] == "store.db"


def test_looking_at_the_database_of_something_else_leaves_it_as_it_is(tmp_path):
    path = tmp_path / "other.db"
    other = sqlite3.connect(path)
    other.execute("CREATE TABLE songs (title TEXT)")
    other.close()
    before = path.read_bytes()
    for use in (Store.open, Store.create):
        with pytest.raises(StoreError, match=r"other\.db' is not a Rankcast store: it holds other tables.*'songs'"):
            use(path)
    assert path.read_bytes() == before
    assert [file.name for file in tmp_path.iterdir()] == ["other.db"]


@pytest.mark.parametrize("size", [2, 100, 512, 5000, 100_000])
def test_random_bytes_are_not_a_store(tmp_path, size):
    path = tmp_path / "noise.db"
    path.write_bytes(random.Random(size).randbytes(size))
    for use in (Store.open, Store.create, lambda path: Store.create(path, exist_ok=True)):
        with pytest.raises(StoreError, match="not a Rankcast store"):
            use(path)


@pytest.mark.parametrize("share", [0.999, 0.9, 0.5, 0.1, 0.01])
def test_a_truncated_file_is_damaged(filled, share):
    whole = filled.read_bytes()
    filled.write_bytes(whole[: int(len(whole) * share)])
    with pytest.raises(StoreError, match=r"damaged|not a Rankcast store"):
        read_all(filled)


def test_an_emptied_file_is_no_store_any_more(filled):
    filled.write_bytes(b"")
    with pytest.raises(StoreError, match="no store at"):
        read_all(filled)


def test_a_record_that_is_no_text_any_more_is_left_out(tmp_path):
    with Store.create(tmp_path / "store.db") as store:
        store.change(put=[likes(1), likes(2)])
        with store.database.writing() as connection:
            for table in ("catalog_records", "catalog_changes"):
                connection.exec_driver_sql(f"UPDATE {table} SET record = x'0001' WHERE record LIKE '%%s1%%'")
    with Store.open(tmp_path / "store.db") as store:
        assert list(store.catalog().subscriptions) == ["s2"]


def test_whatever_is_overwritten_only_store_errors_come_out(filled, tmp_path):
    generator = random.Random(7)
    size = filled.stat().st_size
    refused = 0
    for attempt in range(40):
        copy = tmp_path / f"copy{attempt}.db"
        shutil.copy(filled, copy)
        with copy.open("r+b") as file:
            for _ in range(4):
                file.seek(generator.randrange(size - 300))
                file.write(generator.randbytes(generator.choice([1, 16, 300])))
        try:
            read_all(copy)
        except StoreError:
            refused += 1
        copy.unlink()
    assert refused > 10


def test_a_writer_that_waits_too_long_says_that_the_store_is_locked(tmp_path):
    path = tmp_path / "store.db"
    Store.create(path).close()
    other = sqlite3.connect(path, isolation_level=None)
    other.execute("BEGIN IMMEDIATE")
    with Store.open(path, wait=0.1) as store:
        assert store.last_offset() == 0
        with pytest.raises(StoreError, match=r"locked: another process has been writing for over 0\.1 s; try again"):
            store.publish([event(1)])
        other.execute("ROLLBACK")
        other.close()
        store.publish([event(1)])


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("SQLITE_FULL", "no space is left"),
        ("SQLITE_IOERR_WRITE", "the disk failed"),
        ("SQLITE_READONLY_DIRECTORY", "may not be written"),
        ("SQLITE_CORRUPT_INDEX", "damaged"),
        ("SQLITE_CANTOPEN", "cannot open"),
        ("SQLITE_LOCKED", "locked"),
        ("SQLITE_PERM", "permissions"),
    ],
)
def test_varieties_of_an_error_are_explained_as_their_kind(name, message):
    error = sqlite3.OperationalError("it went wrong")
    error.sqlite_errorcode = getattr(sqlite3, name)
    explained = explain(error, "x.db", 30.0)
    assert message in str(explained)
    assert "'x.db'" in str(explained)


def test_other_errors_have_no_explanation():
    assert explain(sqlite3.OperationalError("no such table"), "x.db", 30.0) is None


def test_a_child_that_was_forked_and_its_parent_both_go_on(tmp_path):
    with Store.create(tmp_path / "store.db") as store:
        store.publish([event(1)])
        child = os.fork()
        if child == 0:
            store.publish([event(2)])
            store.close()
            os._exit(0)
        assert os.waitpid(child, 0)[1] == 0
        store.publish([event(3)])
        assert [logged.event.id for logged in store.events()] == ["e1", "e2", "e3"]


def test_several_processes_may_create_the_store_at_once(tmp_path):
    code = "import sys; from rankcast.store import PageMark, StateChanges, StatePage, Store; Store.create(sys.argv[1], exist_ok=True).close()"
    path = tmp_path / "store.db"
    children = [subprocess.Popen([sys.executable, "-c", code, str(path)]) for _ in range(2)]
    assert [child.wait(60) for child in children] == [0, 0]
    assert read_all(path) is None
