"""A start from a saved catalog gives what a start from the store gives, and a file that does not fit is not used."""

import os
import pickle
import random
import shutil
import struct
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from rankcast.engine.index import files
from rankcast.engine.index.live import LiveIndex
from rankcast.language import decode_record, parse
from rankcast.model import Concept, Event, Filter, FilterKind, Length, Mode, Policy, Preference, Subscription, Trapezoid
from rankcast.pipeline import saved_catalog
from rankcast.pipeline.local import LocalPipeline
from rankcast.store import Store
from rankcast.store.users import delete_user

START = datetime(2026, 1, 1, tzinfo=UTC)
USERS = [f"user{number}" for number in range(9)]
POLICIES = (
    Policy("x", mode=Mode.ALL),
    Policy("x", mode=Mode.SLIDING, k=2, length=Length(6), sigma=0.5),
    Policy("x", mode=Mode.PERIODIC, k=2, length=Length(4)),
    Policy("x", mode=Mode.ALL, filter=Filter(FilterKind.THRESHOLD, rate=0.5, period=4)),
)
TEXTS = ("x > {n}", "x = {n} or y = 1", "y in (0, {n})", "x < {n} and not y = 2", "x is high", "z contains 'a{n}'")


def some_subscription(chance: random.Random) -> Subscription:
    name, user = chance.randint(0, 400), chance.choice(USERS)
    where = parse(chance.choice(TEXTS).format(n=chance.randint(0, 5)))
    return Subscription(f"{user}-{name}", user, where, chance.choice((None, 0.25, 0.5)), chance.choice((1.0, 2.0)))


def filled(path: Path) -> Store:
    store, chance = Store.create(path), random.Random(1)
    store.change(put=[Concept("high", "x", Trapezoid(2, 4, 9, 9))])
    store.change(put={one.id: one for one in (some_subscription(chance) for _ in range(300))}.values())
    store.change(put=[replace(chance.choice(POLICIES), user=user) for user in USERS])
    mine = store.catalog().subscriptions_of(USERS[0])
    store.change(put=[Preference(USERS[0], mine[0].id, mine[1].id)])
    return store


def change(store: Store, chance: random.Random) -> None:
    known = [*store.catalog().subscriptions.values()]
    match chance.randrange(6):
        case 0:
            store.change(remove=[chance.choice(known)])
        case 1:
            store.change(put=[replace(chance.choice(POLICIES), user=chance.choice(USERS))])
        case 2 if chance.random() < 0.3:
            store.change(put=[Concept("high", "x", Trapezoid(chance.randint(0, 3), 4, 9, 9))])
        case 3:
            again = chance.choice(known)
            store.change(remove=[again])
            store.change(put=[again])
        case _:
            store.change(put=[some_subscription(chance)])


def event(number: int) -> Event:
    chance = random.Random(number)
    attributes = {"x": (chance.randint(0, 6),), "y": (number % 3,), "z": (f"a{number % 7}",)}
    return Event(f"e{number}", START + timedelta(minutes=number), attributes)


def save(store: Store, version: int) -> None:
    path = store.database.catalog_file
    assert path is not None
    saved_catalog.write(store.database.place, path, version)


@pytest.mark.parametrize(("seed", "shards"), [(0, 1), (1, 2)])
def test_a_start_from_a_saved_catalog_does_not_show(tmp_path, monkeypatch, seed, shards):
    chance, used, compiled = random.Random(seed), 0, []
    create = LiveIndex.create
    monkeypatch.setattr(LiveIndex, "create", lambda *given, **named: compiled.append(1) or create(*given, **named))
    with filled(tmp_path / "plain.db") as plain, filled(tmp_path / "saved.db") as store:
        for round_ in range(8):
            servers = [LocalPipeline(each, shards, expected=10**6) for each in (plain, store)]
            servers[0].load()
            before = len(compiled)
            servers[1].load()
            used += servers[1].saved_version is not None and len(compiled) == before
            for _ in range(3):
                for each in (plain, store):
                    steps = random.Random(f"{seed} {round_} {each.last_offset()}")
                    for _ in range(steps.randint(0, 3)):
                        change(each, steps)
                    each.publish([event(each.last_offset() + number) for number in range(2)])
                for server in servers:
                    list(server.serve())
            if chance.random() < 0.5:
                servers[1].save()
            if chance.random() < 0.5:
                save(store, servers[1].first_version)
            assert [d for _, d in store.deliveries()] == [d for _, d in plain.deliveries()]
            assert [one.state() for one in servers[0]._shards] == [one.state() for one in servers[1]._shards]
        assert store.catalog() is not plain.catalog()
        assert [*store.catalog().records()] == [*plain.catalog().records()]
        assert store.set_aside(None, 10) == plain.set_aside(None, 10) == []
    assert used >= 2


@pytest.fixture
def saved(tmp_path):
    with filled(tmp_path / "store.db") as store:
        save(store, store.version())
        assert is_used(store)
        yield store


def put(path: Path, content: bytes) -> None:
    """Replace a file. It must not be changed in place, because it is mapped."""
    path.with_suffix(".new").write_bytes(content)
    path.with_suffix(".new").replace(path)


def is_used(store: Store) -> bool:
    server = LocalPipeline(store, expected=10**6)
    server.load()
    return server.saved_version is not None


def test_an_earlier_version_does_not_use_it(saved):
    saved.publish([event(1)])
    list(LocalPipeline(saved, expected=10**6).serve())
    saved.change(put=[some_subscription(random.Random(5))])
    save(saved, saved.version())
    assert not is_used(saved), "the state is of the version before"


def test_a_file_of_another_format_is_not_used(saved, monkeypatch):
    path = saved.database.catalog_file
    whole = path.read_bytes()
    place = struct.calcsize("<16s")
    put(path, whole[:place] + struct.pack("<Q", files.VERSION - 1) + whole[place + 8 :])
    assert not is_used(saved)
    put(path, whole)
    assert is_used(saved)
    monkeypatch.setattr(saved_catalog, "_FORMAT", saved_catalog._FORMAT + 1)
    assert not is_used(saved)


def test_a_file_of_another_store_or_another_owner_is_not_used(saved, tmp_path, monkeypatch):
    with filled(tmp_path / "other.db") as other:
        shutil.copy(saved.database.catalog_file, other.database.catalog_file)
        assert not is_used(other)
    path = saved.database.catalog_file
    path.chmod(0o666)
    assert not is_used(saved), "anybody may have written it"
    path.chmod(0o600)
    assert is_used(saved)
    monkeypatch.setattr(os, "getuid", lambda: path.stat().st_uid + 1)
    assert not is_used(saved)


def test_a_crash_while_it_is_saved_leaves_the_one_before(saved, monkeypatch):
    path, version = saved.database.catalog_file, saved.version()
    whole = path.read_bytes()
    saved.change(put=[some_subscription(random.Random(6))])

    def crash(descriptor: int) -> None:
        raise OSError("no power")

    monkeypatch.setattr(os, "fsync", crash)
    with pytest.raises(OSError, match="no power"):
        save(saved, saved.version())
    assert path.read_bytes() == whole
    server = LocalPipeline(saved, expected=10**6)
    server.load()
    assert server.saved_version == version
    for damaged in (b"", whole[: len(whole) // 2], whole[:-100] + bytes(100), b"x" * len(whole)):
        put(path, damaged)
        assert not is_used(saved)


def test_a_catalog_with_records_that_cannot_be_read_is_not_used(saved):
    with saved.database.writing() as connection:
        connection.exec_driver_sql("update catalog_records set record = '{}' where kind = 'policy' and key = 'user1'")
    save(saved, saved.version())
    assert not is_used(saved)


def test_it_goes_with_a_user_who_is_deleted(saved):
    assert b"user3" in saved.database.catalog_file.read_bytes()
    delete_user(saved.database, "user3")
    assert not saved.database.catalog_file.exists()


def test_the_service_saves_a_large_catalog_and_starts_from_it(tmp_path):
    program = """if True:
        import sys, time
        from rankcast.service import runner
        from rankcast.store import Store
        runner._LARGE, runner.LIVE_BATCH = 100, 10**6
        with Store.open(sys.argv[1], is_served=True) as store:
            one = runner.Runner(store, poll=0.05, owns_process=True)
            one.start()
            one.wait_until_ready(60)
            until = time.monotonic() + 60
            while not store.database.catalog_file.exists() and time.monotonic() < until:
                time.sleep(0.05)
            one.stop()
            mode = store.database.catalog_file.stat().st_mode & 0o777
            print(one._serving.saved_version, one._writer, oct(mode), one.error)
    """
    with filled(tmp_path / "store.db") as store:
        given = [sys.executable, "-c", program, store.database.place]
        for _ in range(2):
            said = subprocess.run(given, capture_output=True, text=True, check=True, timeout=200).stdout
            assert said.split() == [str(store.version()), "None", "0o600", "None"]
        assert is_used(store)


def test_a_subscription_that_is_read_later_is_the_same():
    text = '{"kind": "subscription", "id": "s", "user": "ann", "where": "x > 1", "score": 0.5, "weight": 2}'
    whole, read = decode_record(text), list[int]()

    def later() -> Subscription:
        return Subscription.read_later(["s"], ["ann"], [0.5], lambda place: read.append(place) or whole)[0]

    one = later()
    assert (one.id, one.user, one.score, read) == ("s", "ann", 0.5, [])
    assert one.weight == 2
    assert one.where == parse("x > 1")
    assert read == [0]
    for made in (later(), pickle.loads(pickle.dumps(later())), replace(later(), score=0.5)):
        assert made == whole
        assert hash(made) == hash(whole)
        assert repr(made) == repr(whole)
    with pytest.raises(AttributeError, match="no attribute 'colour'"):
        later().colour  # noqa: B018
