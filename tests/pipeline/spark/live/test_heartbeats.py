"""A process that hangs is noticed and replaced; one that works for long is waited for."""

import os
import signal
import subprocess
import sys
import time
from multiprocessing.connection import Client

import pytest

from rankcast.pipeline.spark.live import hosts
from rankcast.pipeline.spark.live.heartbeats import exchange, process_of
from rankcast.pipeline.spark.live.requests import MatchRequest
from rankcast.store import Store

SLOW = """
import os, sys, time
from multiprocessing.connection import Listener
from rankcast.pipeline.spark.live.heartbeats import Heartbeats

beats = Heartbeats(every=0.05)
with Listener(sys.argv[1] + ".new", family="AF_UNIX") as listener:
    os.rename(sys.argv[1] + ".new", sys.argv[1])  # now it listens
    connection = listener.accept()
    while True:
        message = connection.recv_bytes()
        with beats.on(connection):
            time.sleep(float(message))
        connection.send_bytes(message)
"""


@pytest.fixture
def slow(tmp_path):
    """A process that answers after so many seconds as it is told, and says that it works; and a connection to it."""
    place = str(tmp_path / "s")
    process = subprocess.Popen([sys.executable, "-c", SLOW, place])
    try:
        while not os.path.exists(place):
            time.sleep(0.02)
        with Client(place, family="AF_UNIX") as connection:
            yield process, connection
    finally:
        process.kill()
        process.wait()


def test_a_process_that_works_is_waited_for(slow):
    process, connection = slow
    assert process_of(connection) == process.pid
    assert [exchange(connection, message, silence=1.0) for message in (b"2.5", b"0")] == [b"2.5", b"0"]


def test_a_process_that_is_silent_is_ended(slow):
    process, connection = slow
    os.kill(process.pid, signal.SIGSTOP)
    with pytest.raises(TimeoutError, match=f"process {process.pid} of the pipeline did not answer"):
        exchange(connection, b"0", silence=0.5)
    assert process.wait(10) == -signal.SIGKILL


def test_a_process_that_works_for_too_long_is_ended(slow):
    process, connection = slow
    with pytest.raises(TimeoutError):
        exchange(connection, b"60", longest=0.5)
    assert process.wait(10) == -signal.SIGKILL


def test_another_process_answers_for_one_that_hangs(tmp_path, world, monkeypatch):
    monkeypatch.setattr(hosts, "exchange", lambda connection, message: exchange(connection, message, silence=20.0))
    # The processes of pytest have one parent. What belongs to it would answer tests that run beside this one, too.
    monkeypatch.setitem(hosts._owners, os.getpid(), os.getpid())
    place = tmp_path / "s.db"
    with Store.create(place) as store:
        store.change(put=list(world.records()))
        store.publish(world.events(10))
    request = MatchRequest("run", str(place), 2, 0, 10, looks_ahead=False)
    before = hosts.ask_matches(request, 0)
    hung = process_of(connection_to_matcher())
    os.kill(hung, signal.SIGSTOP)
    assert hosts.ask_matches(request, 0) == before
    other = process_of(connection_to_matcher())
    assert other != hung
    os.kill(other, signal.SIGKILL)


def connection_to_matcher():
    (known,) = (one for name, one in hosts._connections.items() if f"{os.getpid()}-match0" in name)
    return known
