"""Upgrading a store of the release before: a copy first, all or nothing, and what comes after it is what would have come."""

import fcntl
import os
import signal
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime

import before
import pytest

from rankcast.errors import OutdatedStore, StoreError
from rankcast.store import Store
from rankcast.store.schema import SCHEMA_VERSION
from rankcast.store.upgrading import store_version, upgrade_store

NOW = datetime(2026, 5, 4, 12, 30, tzinfo=UTC)

KILLED_AFTER_MIGRATING = """
import os, signal, sys
from rankcast.store import migrations, upgrading
whole = migrations.migrate
def migrate(connection, version):
    whole(connection, version)
    os.kill(os.getpid(), signal.SIGKILL)
migrations.migrate = migrate
upgrading.upgrade_store(sys.argv[1], is_backed_up=True)
"""


@pytest.fixture
def old(place, tmp_path) -> str:
    """A store of schema version 3, in either database."""
    if "://" not in place:
        return str(before.put_file("oracle.db", tmp_path))
    before.put_postgresql(place)
    return place


def test_an_old_store_says_how_to_upgrade_it(old):
    with pytest.raises(OutdatedStore, match="rankcast upgrade --store") as caught:
        Store.open(old)
    assert caught.value.store == old
    assert "not-to-be-shown" not in str(caught.value)
    assert store_version(old) == 3


def test_what_was_in_the_store_is_in_it_afterwards(old):
    upgrade_store(old, is_backed_up=True)
    with Store.open(old) as store:
        assert store_version(old) == SCHEMA_VERSION
        assert (store.last_offset(), store.progress().offset) == (150, 100)
        assert [reject.reason for reject in store.rejects()][:1] == ["no id"]
    assert upgrade_store(old).before == SCHEMA_VERSION


def test_the_file_is_copied_first(tmp_path):
    place = before.put_file("oracle.db", tmp_path)
    done = upgrade_store(place, clock=lambda: NOW)
    assert (done.before, done.version) == (3, SCHEMA_VERSION)
    assert done.backup == tmp_path / "oracle.db.schema3-20260504T123000Z.backup"
    assert store_version(done.backup) == 3
    assert done.backup.stat().st_mode & 0o077 == 0
    copy, original = sqlite3.connect(done.backup), sqlite3.connect(before.put_file("arrays.db", tmp_path))
    for table in ("events", "deliveries", "catalog_changes"):
        count = f"SELECT count(*) FROM {table}"
        assert copy.execute(count).fetchone() == original.execute(count).fetchone()


def test_a_database_on_a_server_is_to_be_backed_up_by_hand(postgresql):
    with postgresql.place() as url:
        before.put_postgresql(url)
        with pytest.raises(StoreError, match=r"with: pg_dump .*; then run: rankcast upgrade --no-backup") as caught:
            upgrade_store(url)
        assert "not-to-be-shown" not in str(caught.value)
        assert store_version(url) == 3


def test_killed_in_the_middle_it_is_as_it_was(old):
    killed = subprocess.run([sys.executable, "-c", KILLED_AFTER_MIGRATING, old], capture_output=True, timeout=60)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert store_version(old) == 3
    upgrade_store(old, is_backed_up=True)
    assert store_version(old) == SCHEMA_VERSION


def test_a_store_that_is_being_served_is_left_alone(tmp_path):
    place = before.put_file("oracle.db", tmp_path)
    held = os.open(f"{place}-serving", os.O_RDWR | os.O_CREAT)
    fcntl.flock(held, fcntl.LOCK_EX)
    with pytest.raises(StoreError, match="is being served; end the service first"):
        upgrade_store(place)
    os.close(held)
    assert upgrade_store(place).version == SCHEMA_VERSION


def test_no_room_for_a_copy_no_upgrade(tmp_path, monkeypatch):
    place = before.put_file("oracle.db", tmp_path)
    monkeypatch.setattr(os, "replace", lambda *_: (_ for _ in ()).throw(OSError(28, "No space left on device")))
    with pytest.raises(StoreError, match=r"cannot copy the store .* No space left"):
        upgrade_store(place)
    assert store_version(place) == 3
    assert [path.name for path in tmp_path.glob("*.part")] == []
