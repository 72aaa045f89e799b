"""What is particular to PostgreSQL; all other tests of this folder run on it too (see conftest.py)."""

import builtins
import threading
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from postgresql_server import PASSWORD
from sqlalchemy import make_url

from rankcast.errors import StoreError
from rankcast.language import decode_event
from rankcast.store import Store
from rankcast.store.postgresql import connect, explain

ENDING = "SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity WHERE application_name = 'rankcast'"


class DriverError(Exception):
    def __init__(self, sqlstate: str | None) -> None:
        super().__init__("it went wrong")
        self.sqlstate = sqlstate


@pytest.fixture
def url(postgresql):
    with postgresql.place() as url:
        yield url


def event(number: int):
    return decode_event({"id": f"e{number}", "time": "2026-05-01", "attributes": {}})


@pytest.mark.parametrize(
    ("sqlstate", "message"),
    [("55P03", "locked: another process has been writing for over 30 s"), ("42501", "privilege"), ("53100", "space")],
)
def test_errors_are_explained_by_their_state(sqlstate, message):
    explained = explain(DriverError(sqlstate), "postgresql://host/db", 30.0)
    assert message in str(explained)
    assert "'postgresql://host/db'" in str(explained)


@pytest.mark.parametrize("sqlstate", [None, "42P01"])
def test_other_errors_have_no_explanation(sqlstate):
    assert explain(DriverError(sqlstate), "postgresql://host/db", 30.0) is None


def test_a_missing_driver_says_what_to_install(monkeypatch):
    plain_import = builtins.__import__

    def without_driver(name, *args, **kwargs):
        if name == "psycopg":
            raise ModuleNotFoundError("No module named 'psycopg'", name="psycopg")
        return plain_import(name, *args, **kwargs)

    monkeypatch.setattr(builtins, "__import__", without_driver)
    with pytest.raises(StoreError, match="'psycopg'; install it with: pip install psycopg"):
        connect(make_url("postgresql+psycopg://host/db"), wait=30.0)


def test_an_unknown_driver_is_refused():
    with pytest.raises(StoreError, match=r"'postgresql\+none://host/db' is no URL of a database"):
        connect(make_url("postgresql+none://host/db"), wait=30.0)


@pytest.mark.parametrize(
    ("right", "wrong", "reason"),
    [
        ("127.0.0.1:{port}", "127.0.0.1:1", "Connection refused"),
        ("127.0.0.1:", "nowhere.invalid:", "failed to resolve host 'nowhere.invalid'"),
        (PASSWORD, "guessed", "password authentication failed"),
        ("/postgres", "/none", 'database "none" does not exist'),
    ],
)
def test_a_server_that_cannot_be_reached_is_one_line_without_the_password(postgresql, right, wrong, reason):
    url = postgresql.url().replace(right.format(port=postgresql.port), wrong)
    with pytest.raises(StoreError) as caught:
        Store.open(url)
    message = str(caught.value)
    assert message.startswith("no connection to the store 'postgresql://rankcast:***@")
    assert reason in message
    assert "\n" not in message
    assert PASSWORD not in message
    assert "guessed" not in message


@pytest.mark.parametrize("driver", ["postgresql", "postgresql+psycopg"])
def test_the_url_may_leave_out_the_driver(url, driver):
    with Store.create(url.replace("postgresql:", f"{driver}:", 1)) as store:
        assert store.publish([event(1)])[0].offset == 1


def test_a_writer_waits_for_another_and_then_says_so(url):
    with Store.create(url) as store, Store.open(url, wait=0.2) as other, store.database.writing():
        with pytest.raises(StoreError, match=r"locked: another process has been writing for over 0\.2 s"):
            other.publish([event(1)])
        assert other.last_offset() == 0


def test_a_reader_does_not_wait_for_a_writer(url):
    with Store.create(url) as store:
        store.publish([event(1)])
        with Store.open(url, wait=0.2) as other, store.database.writing() as connection:
            connection.exec_driver_sql("UPDATE progress SET event_offset = 1")
            assert other.last_offset() == 1
            assert other.progress().offset == 0


def test_connections_that_the_server_ended_are_replaced(url, postgresql):
    with Store.create(url) as store:
        store.publish([event(1)])
        with psycopg.connect(postgresql.url(), autocommit=True) as server:
            server.execute(ENDING)
        assert store.publish([event(1), event(2)])[1].offset == 2


def test_a_transaction_whose_connection_is_ended_leaves_nothing(url, postgresql):
    with Store.create(url) as store:

        def write() -> None:
            with store.database.writing() as connection:
                connection.exec_driver_sql("UPDATE progress SET event_offset = 7")
                with psycopg.connect(postgresql.url(), autocommit=True) as server:
                    server.execute(ENDING)
                connection.exec_driver_sql("SELECT 1")

        with pytest.raises(StoreError, match="nothing of the last change was kept"):
            write()
        assert store.progress().offset == 0


def test_several_may_create_the_store_at_once(url):
    ready = threading.Barrier(4)

    def create(_: int) -> None:
        ready.wait()
        Store.create(url, exist_ok=True).close()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(create, range(4)))
    with Store.open(url) as store:
        assert store.version() == 0
