"""What is particular to PostgreSQL; all other tests of this folder run on it too (see conftest.py)."""

import asyncio
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import psycopg
import pytest
from postgresql_server import PASSWORD
from sqlalchemy import make_url

from rankcast.errors import MissingExtra, StoreError
from rankcast.language import decode_event
from rankcast.store import Store
from rankcast.store.postgresql import Timeouts, connect, explain, timeouts

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
    monkeypatch.setattr("rankcast.extras.is_installed", lambda name: False)
    with pytest.raises(
        MissingExtra, match=r'PostgreSQL driver is not installed; run: pip install "rankcast\[postgres\]"'
    ):
        connect(make_url("postgresql+psycopg://host/db"), Timeouts())


def test_an_unknown_driver_is_refused():
    with pytest.raises(StoreError, match=r"'postgresql\+none://host/db' is no URL of a database"):
        connect(make_url("postgresql+none://host/db"), Timeouts())


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


@pytest.mark.parametrize("off", ["off", "local"])
def test_what_is_acknowledged_is_on_disk_whatever_the_server_says(url, postgresql, off):
    with psycopg.connect(postgresql.url(), autocommit=True) as server:
        server.execute(f"ALTER ROLE rankcast SET synchronous_commit = {off}")
    try:
        with Store.create(url) as store, store.database.writing() as connection:
            assert connection.exec_driver_sql("SHOW synchronous_commit").scalar() == "on"
    finally:
        with psycopg.connect(postgresql.url(), autocommit=True) as server:
            server.execute("ALTER ROLE rankcast RESET synchronous_commit")


def test_timeouts_can_be_set_in_the_url(url):
    with Store.create(f"{url}&statement_timeout=0.5&lock_timeout=0.1&connect_timeout=4") as store:
        with pytest.raises(StoreError, match="has cancelled a statement"), store.database.reading() as connection:
            connection.exec_driver_sql("SELECT pg_sleep(5)")
        with (
            Store.open(f"{url}&lock_timeout=0.1") as other,
            store.database.writing(),
            pytest.raises(StoreError, match=r"writing for over 0\.1 s"),
        ):
            other.publish([event(1)])


@pytest.mark.parametrize("given", ["-1", "soon", "1e9", "nan"])
def test_a_timeout_is_seconds(given):
    with pytest.raises(StoreError, match=r"lock_timeout in the URL of the store is .*; it must be seconds from 0 to"):
        timeouts(make_url(f"postgresql://host/db?lock_timeout={given}"), 30.0)


def test_a_server_that_hangs_is_given_up(url, postgresql):
    """The server cannot enforce its own limit then, and its machine still acknowledges what it is sent."""
    with Store.create(f"{url}&statement_timeout=1&connect_timeout=2") as store:
        store.publish([event(1)])
        begun = time.monotonic()
        with (
            postgresql.paused(),
            pytest.raises(StoreError, match=r"no connection to the store .*(did not answer|timeout)"),
        ):
            store.last_offset()
        assert time.monotonic() - begun < 8
        assert store.publish([event(1), event(2)])[1].offset == 2


def test_an_event_loop_does_not_wait_for_a_server_that_hangs(url, postgresql):
    async def asked_twice(store: Store) -> list[float]:
        taken = []
        for _ in range(2):
            begun = time.monotonic()
            with pytest.raises(StoreError):
                store.last_offset()
            taken.append(time.monotonic() - begun)
        return taken

    with Store.create(url) as store:
        store.publish([event(1)])
        with postgresql.paused():
            first, second = asyncio.run(asked_twice(store))
        assert first < 5
        assert second < 0.5
        assert store.last_offset() == 1
