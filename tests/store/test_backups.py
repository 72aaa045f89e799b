"""A backup is one file, taken while the store is in use; what is restored goes on as if nothing had happened."""

import io
import json
import shutil
import tarfile
from threading import Event as Flag
from threading import Thread

import before
import pytest
import zstandard

from rankcast.errors import EnvironmentProblem, StoreError
from rankcast.language import decode_event, decode_record
from rankcast.pipeline.local import serve_pending
from rankcast.store import Store, backups
from rankcast.store.backups import back_up, restore


def event(number: int):
    return decode_event({"id": f"e{number}", "time": "2026-01-01", "attributes": {"x": number}})


@pytest.fixture
def served(store) -> Store:
    subscription = {"kind": "subscription", "id": "s", "user": "ann", "where": "x > 0"}
    policy = {"kind": "policy", "user": "ann", "mode": "periodic", "k": 1, "length": 3}
    store.change(put=[decode_record(subscription), decode_record(policy)])
    store.publish([event(number) for number in range(1, 6)])
    list(serve_pending(store))
    return store


def go_on(store: Store) -> list[str]:
    store.publish([event(number) for number in range(6, 10)])
    list(serve_pending(store, close=True))
    return [delivery.event for _, delivery in store.deliveries()]


def test_a_restored_store_goes_on_with_the_same_deliveries(served, place, tmp_path):
    archive = tmp_path / "store.backup"
    made = back_up(place, archive, "1.0")
    assert made.served == 5
    assert archive.stat().st_mode & 0o077 == 0
    undisturbed = go_on(served)
    served.close()
    with pytest.raises(StoreError, match=r"there is a store at .*--force"):
        restore(archive, place)
    restore(archive, place, is_forced=True)
    with Store.open(place) as store:
        assert store.last_offset() == 5
        assert go_on(store) == undisturbed


def test_one_that_is_taken_while_serving_goes_on_with_the_same_deliveries(place, tmp_path):
    most, enough = 20_000, Flag()
    Store.create(place).close()
    with Store.open(place) as store:
        where = {"kind": "subscription", "id": "s", "user": "ann", "where": "x > 0"}
        policy = {"kind": "policy", "user": "ann", "mode": "sliding", "k": 2, "length": 7}
        store.change(put=[decode_record(where), decode_record(policy)])

        def serve() -> None:
            for number in range(1, most + 1):
                if enough.is_set():
                    return
                store.publish([event(number)])
                if number % 3 == 0:
                    list(serve_pending(store, batch=2))

        serving = Thread(target=serve)
        serving.start()
        archives = []
        try:
            while len(archives) < 3:
                before = store.last_offset()
                archive = tmp_path / f"{len(archives)}.backup"
                served = back_up(place, archive, "1.0").served
                if 0 < before < served or (archives and served > archives[-1][1]):
                    archives.append((archive, served))
                assert serving.is_alive(), f"the backups took longer than the serving: {archives}"
        finally:
            enough.set()
            serving.join()
        last = store.last_offset()
        list(serve_pending(store, close=True))
        undisturbed = [delivery.event for _, delivery in store.deliveries()]
    for archive, served in archives:
        restore(archive, place, is_forced=True)
        with Store.open(place) as again:
            assert again.progress().offset == served
            again.publish([event(number) for number in range(again.last_offset() + 1, last + 1)])
            list(serve_pending(again, close=True))
            assert [delivery.event for _, delivery in again.deliveries()] == undisturbed


def test_a_damaged_or_foreign_archive_replaces_nothing(served, place, tmp_path):
    archive = tmp_path / "store.backup"
    back_up(place, archive, "1.0")
    whole = archive.read_bytes()
    for content in (b"", b"no archive", whole[: len(whole) // 2]):
        archive.write_bytes(content)
        with pytest.raises(StoreError, match=r"no backup of Rankcast|damaged"):
            restore(archive, place, is_forced=True)
    assert served.last_offset() == 5


def test_a_changed_file_and_a_later_release_are_noticed(served, place, tmp_path, monkeypatch):
    archive = tmp_path / "store.backup"
    with monkeypatch.context() as changed:
        changed.setattr(backups, "_digest", lambda path: "0" * 64)
        back_up(place, archive, "1.0")
    with pytest.raises(StoreError, match="is not as it was written; use another backup"):
        restore(archive, place, is_forced=True)
    with monkeypatch.context() as changed:
        changed.setattr(backups, "FORMAT", 99)
        back_up(place, archive, "9.9")
    with pytest.raises(StoreError, match=r"made by a later Rankcast, 9\.9; upgrade Rankcast"):
        restore(archive, place, is_forced=True)


def test_the_checkpoint_is_in_it_as_of_its_last_finished_batch(tmp_path):
    from rankcast.store.upgrading import upgrade_store

    place, checkpoint = before.put_file("spark.db", tmp_path), before.put_checkpoint(tmp_path)
    upgrade_store(place, is_backed_up=True)
    with Store.open(place) as store, store.database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE pipeline SET place = '{checkpoint}'")
    (checkpoint / "offsets" / "4").write_text("begun, not finished")
    archive = tmp_path / "store.backup"
    assert back_up(str(place), archive, "1.0").checkpoint == str(checkpoint)
    content = zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read()
    with tarfile.open(fileobj=io.BytesIO(content)) as tar:
        manifest = json.loads(tar.extractfile("manifest.json").read())
    assert "checkpoint/offsets/3" in manifest["files"]
    assert "checkpoint/offsets/4" not in manifest["files"]
    with pytest.raises(StoreError, match=r"there is a checkpoint at .*--checkpoint"):
        restore(archive, str(tmp_path / "new.db"))
    restore(archive, str(tmp_path / "new.db"), checkpoint=str(tmp_path / "new.checkpoint"))
    with Store.open(tmp_path / "new.db") as store:
        assert store.pipeline().place == str(tmp_path / "new.checkpoint")
    metadata = (tmp_path / "new.checkpoint" / "state" / "0" / "_metadata" / "v2" / "0").read_text()
    assert f"file:{tmp_path}/new.checkpoint/state/0/_stateSchema" in metadata


def test_the_state_of_a_first_batch_that_is_not_finished_is_left_out(tmp_path):
    from rankcast.store.upgrading import upgrade_store

    place, checkpoint = before.put_file("spark.db", tmp_path), before.put_checkpoint(tmp_path)
    upgrade_store(place, is_backed_up=True)
    with Store.open(place) as store, store.database.writing() as connection:
        connection.exec_driver_sql(f"UPDATE pipeline SET place = '{checkpoint}'")
    for one in (checkpoint / "commits").glob("[0-9]*"):
        one.unlink()
    archive, there = tmp_path / "store.backup", tmp_path / "new.checkpoint"
    back_up(str(place), archive, "1.0")
    restore(archive, str(tmp_path / "new.db"), checkpoint=str(there))
    assert not (there / "state").exists(), "Spark refuses to start its first batch over state"
    assert not list((there / "offsets").glob("[0-9]*"))


def test_postgresql_needs_its_programs(served, place, tmp_path, monkeypatch):
    if "://" in place:
        monkeypatch.setenv("PATH", str(tmp_path))
        with pytest.raises(Exception, match="pg_dump is not installed"):
            back_up(place, tmp_path / "store.backup", "1.0")


def rewritten(archive, manifest=None, more=(), **changed):
    """An archive as somebody else would write it: with another manifest, or with members besides its own."""
    content = zstandard.ZstdDecompressor().stream_reader(archive.read_bytes()).read()
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=out, mode="w|") as new:
        for entry in old:
            body = old.extractfile(entry).read()
            if entry.name == "manifest.json":
                body = json.dumps(json.loads(body) | changed if manifest is None else manifest).encode()
                entry.size = len(body)
            new.addfile(entry, io.BytesIO(body))
        for entry in more:
            new.addfile(entry, io.BytesIO(bytes(entry.size)))
    archive.write_bytes(zstandard.compress(out.getvalue()))


def member(name, size=0, **of):
    made = tarfile.TarInfo(name)
    made.size = size
    for field, value in of.items():
        setattr(made, field, value)
    return made


@pytest.mark.parametrize(
    "change",
    [
        {"manifest": []},
        {"manifest": "x"},
        {"manifest": {"format": 1, "schema": 1}},
        {"files": ["store.db"]},
        {"files": {"store.db": 7}},
        {"schema": "9"},
        {"format": None},
        {"checkpoint": 5},
        {"served": "many"},
        {"files": {"../outside": "0" * 64}},
        {"more": [member("../outside", 3)]},
        {"more": [member("/outside", 3)]},
        {"more": [member("checkpoint/metadata", 3)]},
        {"more": [member("link", type=tarfile.SYMTYPE, linkname="/etc")]},
        {"more": [member("link", type=tarfile.LNKTYPE, linkname="store.db")]},
        {"more": [member("pipe", type=tarfile.FIFOTYPE)]},
    ],
    ids=lambda change: str(change if "more" not in change else [(one.name, one.type) for one in change["more"]]),
)
def test_a_crafted_archive_replaces_nothing(tmp_path, change):
    """Nothing but the files that the manifest names is unpacked, and only into the folder meant for them."""
    store, archive = tmp_path / "s.db", tmp_path / "store.backup"
    Store.create(store).close()
    back_up(str(store), archive, "1.0")
    before = store.read_bytes()
    rewritten(archive, **change)
    with pytest.raises(StoreError, match=r"no backup of Rankcast|is damaged"):
        restore(archive, str(store), is_forced=True)
    assert store.read_bytes() == before
    assert {path.name for path in tmp_path.iterdir()} <= {"s.db", "s.db-wal", "s.db-shm", "store.backup", "s.db.lock"}


def test_an_archive_that_is_larger_than_the_disk_is_refused_before_it_is_written(tmp_path, monkeypatch):
    store, archive = tmp_path / "s.db", tmp_path / "store.backup"
    Store.create(store).close()
    back_up(str(store), archive, "1.0")
    monkeypatch.setattr(backups.shutil, "disk_usage", lambda path: shutil._ntuple_diskusage(10, 9, 1))
    with pytest.raises(EnvironmentProblem, match=r"needs [0-9,]+ bytes for 'store\.db'.*1 free"):
        restore(archive, str(tmp_path / "t.db"))


@pytest.mark.parametrize("is_link", [False, True])
def test_an_archive_cannot_have_a_folder_deleted_that_is_no_checkpoint(tmp_path, is_link):
    """The archive names the folder, so --force replaces there only what a pipeline wrote."""
    store, archive, mine = tmp_path / "s.db", tmp_path / "store.backup", tmp_path / "home"
    Store.create(store).close()
    back_up(str(store), archive, "1.0")
    mine.mkdir()
    (mine / "letters").write_text("dear")
    place = tmp_path / "link" if is_link else mine
    if is_link:
        place.symlink_to(mine)
    rewritten(archive, checkpoint=str(place))
    with pytest.raises(StoreError, match=r"is no checkpoint.*--checkpoint"):
        restore(archive, str(store), is_forced=True)
    assert (mine / "letters").read_text() == "dear"
    (mine / "letters").unlink()
    restore(archive, str(store), checkpoint=str(mine), is_forced=True)
    for name in ("offsets", "commits"):
        (mine / name).mkdir()
    restore(archive, str(store), checkpoint=str(mine), is_forced=True)
    assert not (mine / "offsets").exists()
