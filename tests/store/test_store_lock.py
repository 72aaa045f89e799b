"""A store has one pipeline; the second is refused when it starts, and the lock ends with its process."""

import os
import signal
import subprocess
import sys

import psycopg
import pytest

from rankcast.errors import StoreError
from rankcast.store import Store
from rankcast.store.store_lock import StoreLock

HOLDING = """
import sys, time
from rankcast.store import Store
from rankcast.store.store_lock import StoreLock
lock = StoreLock(Store.open(sys.argv[1]))
lock.take()
print("held", flush=True)
time.sleep(60)
"""


def test_the_second_is_refused_at_its_start(store, place):
    with Store.open(place) as other, StoreLock(store):
        with pytest.raises(StoreError, match="served by another process already; end that one first"):
            StoreLock(other).take()
        assert store.last_offset() == 0  # the lock keeps nobody from reading or writing
        other.reject([])
    with Store.open(place) as other, StoreLock(other):
        pass


def test_taking_it_again_keeps_it(store, place):
    lock = StoreLock(store)
    lock.take()
    lock.take()
    lock.give_back()
    lock.give_back()
    with Store.open(place) as other:
        StoreLock(other).take()


def test_it_ends_with_its_process_however_that_ends(store, place):
    holder = subprocess.Popen([sys.executable, "-c", HOLDING, place], stdout=subprocess.PIPE, text=True)
    assert holder.stdout is not None
    assert holder.stdout.readline() == "held\n"
    with pytest.raises(StoreError, match="served by another process already"):
        StoreLock(store).take()
    os.kill(holder.pid, signal.SIGKILL)
    holder.wait()
    holder.stdout.close()
    with StoreLock(store) as lock:
        lock.take(patience=10)


def test_a_lock_that_the_server_has_forgotten_is_taken_again(postgresql):
    with postgresql.place() as url, Store.create(url) as store, Store.open(url) as other:
        lock = StoreLock(store)
        lock.take()
        with psycopg.connect(postgresql.url(), autocommit=True) as server:
            server.execute("SELECT pg_terminate_backend(pid, 10000) FROM pg_locks WHERE locktype = 'advisory'")
        lock.take()
        with pytest.raises(StoreError, match="served by another process already"):
            StoreLock(other).take()
        lock.give_back()
