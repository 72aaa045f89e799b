"""Serving a store gives what a replay gives, whatever the batches, the shards and the restarts."""

import itertools
import random
from datetime import UTC, datetime, timedelta

import pytest

from rankcast.engine.arrays import BatchShard
from rankcast.engine.reference.shard import Shard
from rankcast.errors import CatalogError, StoreError
from rankcast.language import parse
from rankcast.model import Advertisement, Always, Event, Length, Mode, Policy, ScorerName, Subscription
from rankcast.overlay import Admission
from rankcast.pipeline import local
from rankcast.pipeline.local import LocalPipeline, serve_pending
from rankcast.pipeline.serving import publish_to
from rankcast.pipeline.state_changes import rebuild, repartition
from rankcast.store import Store

START = datetime(2026, 1, 1, tzinfo=UTC)


def records():
    for number, mode in enumerate([Mode.ALL, Mode.PERIODIC, Mode.SLIDING, Mode.HISTORY]):
        yield Subscription(f"s{number}", f"user{number}", parse(f"x > {number}"), 0.5)
        yield Subscription(f"t{number}", f"user{number}", parse("x = 5"), 0.9)
        yield Policy(f"user{number}", mode=mode, k=2, length=Length(5), sigma=0.5)


def events(count):
    chance = random.Random(3)
    return [
        Event(f"e{n}", START + timedelta(minutes=n), {"x": (chance.randint(0, 6),), "y": (n % 3,)})
        for n in range(count)
    ]


def delivered(store):
    return sorted((d.user, d.event, d.window, d.rank) for _, d in store.deliveries())


@pytest.fixture
def stores(tmp_path):
    opened = []

    def make(name):
        store = Store.create(tmp_path / f"{name}.db")
        store.change(put=list(records()))
        opened.append(store)
        return store

    yield make
    for store in opened:
        store.close()


@pytest.mark.parametrize("expected", [0, 100_000], ids=["reference", "arrays"])
def test_matches_are_counted(stores, expected):
    store = stores("counted")
    shard = Shard(store.catalog())
    store.publish(events(40))
    shard.publish([entry.event for entry in store.events()])
    list(LocalPipeline(store, 2, batch=7, expected=expected).serve())
    store.publish([Event("later", START + timedelta(days=1), {"x": (0,)})])
    list(serve_pending(store, shards=2))
    assert store.pipeline().matched == shard.matches > 40


@pytest.mark.parametrize(("shards", "batch"), [(1, 7), (3, 1), (2, 100)])
def test_batches_and_shards_do_not_show(stores, shards, batch):
    plain, cut = stores("plain"), stores("cut")
    for store in (plain, cut):
        store.publish(events(40))
    shard = Shard(plain.catalog())
    wanted = [*shard.publish([entry.event for entry in plain.events()]), *shard.close()]
    list(serve_pending(cut, shards=shards, batch=batch, close=True))
    assert delivered(cut) == sorted((d.user, d.event, d.window, d.rank) for d in wanted)
    assert cut.progress().offset == 40
    assert list(serve_pending(cut, shards=shards)) == []


@pytest.mark.parametrize(("shards", "slice_seconds", "expected"), [(1, 1e-9, 0), (2, 0.002, 0), (1, 1e-9, 1_000_000)])
def test_slices_of_time_do_not_show(stores, shards, slice_seconds, expected):
    plain, cut = stores("plain"), stores("cut")
    for store in (plain, cut):
        for begin in range(0, 120, 30):
            store.publish(events(120)[begin : begin + 30])
            store.change(put=[Subscription("more", "user2", parse(f"y = {begin % 4}"), 0.7)])
    list(serve_pending(plain))
    serving, batches = LocalPipeline(cut, shards, expected=expected, slice_seconds=slice_seconds), []
    for batch in serving.serve():
        batches.append(batch)
        serving._commit_seconds = (
            0.0  # a slice is at least as long as the commit before, which may be long on a busy machine
        )
    assert delivered(cut) == delivered(plain)
    assert batches[-1].offset == 120
    assert sum(batch.events for batch in batches) == 120
    assert batches[-1].version == 4
    assert all(batch.seconds > 0 for batch in batches)
    if slice_seconds < 1e-6:
        assert len(batches) > 5
        assert min(batch.events for batch in batches) <= 2


def test_if_arrays_fail_in_the_middle_of_a_slice_the_oracle_serves_all_of_it(stores, monkeypatch):
    plain, cut = stores("plain"), stores("cut")
    for store in (plain, cut):
        store.publish(events(60))
    list(serve_pending(plain))
    publish, calls = BatchShard.publish, itertools.count()

    def fail(*given):
        if next(calls) == 1:
            raise RuntimeError("arrays fail")
        return publish(*given)

    monkeypatch.setattr(BatchShard, "publish", fail)
    list(LocalPipeline(cut, expected=1_000_000, slice_seconds=60.0).serve())
    assert next(calls) > 1
    assert delivered(cut) == delivered(plain)


def test_a_batch_ends_with_an_urgent_event(stores):
    plain, store = stores("plain"), stores("urgent")
    for each in (plain, store):
        each.publish(events(100))
    known = [20, 21, 60]
    server = LocalPipeline(
        store, slice_seconds=60.0, urgent=lambda after: next((one for one in known if one > after), None)
    )
    assert [batch.offset for batch in server.serve()] == [20, 21, 60, 100]
    list(serve_pending(plain))
    assert delivered(store) == delivered(plain)


def test_costly_events_are_served_few_at_a_time_even_if_few_wait(stores, monkeypatch):
    store, now, sizes = stores("costly"), itertools.count(0.0, 0.001), list[int]()
    monkeypatch.setattr(local, "monotonic", lambda: next(now))

    def publish_slowly(shards, catalog, entries):
        sizes.append(len(entries))
        for _ in range(20 * len(entries)):  # 20 ms each
            next(now)
        return publish_to(shards, catalog, entries)

    monkeypatch.setattr(local, "publish_to", publish_slowly)
    server = LocalPipeline(store, slice_seconds=0.03)
    for first in (0, 6, 12):
        store.publish(events(18)[first : first + 6])
        list(server.serve())
    assert sizes[0] == 6, "nothing is known yet"
    assert set(sizes[1:]) == {1}


@pytest.mark.parametrize(("is_urgent", "first"), [(True, 24), (False, 21)])
def test_the_first_slice_is_short_unless_an_urgent_event_is_pending(stores, monkeypatch, is_urgent, first):
    store, now = stores("urgent"), itertools.count(0.0, 0.0001)
    monkeypatch.setattr(local, "monotonic", lambda: next(now))

    def publish_slowly(shards, catalog, entries):
        for _ in range(40 * len(entries)):  # 4 ms each
            next(now)
        return publish_to(shards, catalog, entries)

    monkeypatch.setattr(local, "publish_to", publish_slowly)
    server = LocalPipeline(store, slice_seconds=0.03, urgent=lambda after: 24 if is_urgent and after < 24 else None)
    store.publish(events(16))
    list(server.serve())  # what an event costs is known then
    store.publish(events(26)[16:])
    assert next(server.serve()).offset == first


def test_time_that_others_take_is_not_charged(stores, monkeypatch):
    store, now = stores("charged"), itertools.count(0.0, 1_000.0)
    monkeypatch.setattr(local, "monotonic", lambda: next(now))  # as if the process had to wait all the time
    store.publish(events(10))
    store.change(put=[Policy("user0", k=3)])
    store.publish(events(20)[10:])
    (batch,) = LocalPipeline(store).serve()
    assert 0 < batch.seconds < 1_000
    assert 0 < batch.change_seconds < 1_000


def test_a_batch_that_has_passed_an_urgent_event_ends_at_once(stores):
    store = stores("urgent")
    store.publish(events(100))
    told = iter([None, 5])  # it comes while the first part of 16 is being served
    server = LocalPipeline(store, slice_seconds=60.0, urgent=lambda after: next(told, None))
    assert [batch.offset for batch in server.serve()] == [16, 100]


def test_an_urgent_event_that_is_logged_meanwhile_joins_the_batch(stores, monkeypatch):
    store, known = stores("urgent"), list[int]()

    def publish_while_one_is_logged(shards, catalog, entries):
        if not known:
            store.publish(events(11)[10:])
            known.append(11)
        return publish_to(shards, catalog, entries)

    monkeypatch.setattr(local, "publish_to", publish_while_one_is_logged)
    store.publish(events(10))
    server = LocalPipeline(
        store, slice_seconds=60.0, urgent=lambda after: next((one for one in known if one > after), None)
    )
    assert [batch.offset for batch in server.serve()] == [11]


def test_catalog_changes_hold_from_their_place_in_the_log(stores):
    published = events(40)
    results = []
    for name in ("at once", "in between"):
        store = stores(name)
        done = 0
        for upto in (20, 40):
            store.publish(published[done:upto])
            if upto == 20:
                store.change(
                    put=[Policy("user1", mode=Mode.PERIODIC, k=1, length=Length(3))],
                    remove=[store.catalog().subscriptions["t2"]],
                )
            done = upto
            if name == "in between":
                list(serve_pending(store, shards=2, batch=7))
        list(serve_pending(store, shards=2, close=True))
        results.append(delivered(store))
    assert results[0] == results[1]


def test_two_runners_cannot_both_serve_a_batch(stores):
    store = stores("both")
    store.publish(events(10))
    slow = serve_pending(store, batch=5)
    assert next(slow).offset == 5
    assert [batch.offset for batch in serve_pending(store)] == [10]
    with pytest.raises(StoreError):
        next(slow)
    assert len(delivered(store)) == len(set(delivered(store)))


def test_an_advertised_event_goes_to_the_best_of_all_shards(stores):
    store = stores("advertised")
    store.change(put=[Advertisement("a1", "shop", Always(), k=2, score=ScorerName.WEIGHT)])
    store.change(put=[Subscription(f"w{n}", f"reader{n}", Always(), weight=float(n)) for n in range(1, 9)])
    store.publish([Event("ad", START, {"z": (1,)}, advertisement="a1")])
    list(serve_pending(store, shards=4, close=True))
    assert [(user, event) for user, event, *_ in delivered(store)] == [("reader7", "ad"), ("reader8", "ad")]


def test_an_event_whose_recipients_cannot_be_chosen_is_set_aside(stores, monkeypatch):
    store = stores("unchosen")
    store.change(put=[Advertisement("a1", "shop", Always(), k=2)])
    store.publish([Event("ad", START, {"x": (5,)}, advertisement="a1"), Event("plain", START, {"x": (5,)})])
    monkeypatch.setattr(Admission, "admitted", lambda self, event, matches: 1 / 0)
    (batch,) = serve_pending(store, shards=2, close=True)
    assert (batch.offset, batch.set_aside) == (2, 1)
    assert [(row.user, row.event, row.error) for row in store.set_aside()] == [
        (None, "ad", "ZeroDivisionError: division by zero")
    ]
    assert {event for _, event, *_ in delivered(store)} == {"plain"}


def test_another_number_of_shards_is_refused(stores):
    store = stores("shards")
    store.publish(events(4))
    list(serve_pending(store, shards=2))
    store.publish([Event("later", START, {"x": (5,)})])
    with pytest.raises(StoreError, match="in 2 shards, not 3"):
        list(serve_pending(store, shards=3))


def test_a_publication_that_its_advertisement_does_not_allow_never_gets_into_the_log(stores):
    store = stores("refused")
    store.change(put=[Advertisement("a1", "shop", parse("x > 3"), k=2)])
    with pytest.raises(CatalogError, match="outside the space"):
        store.publish([Event("ad", START, {"x": (1,)}, advertisement="a1")])
    with pytest.raises(CatalogError, match="no advertisement 'a2'"):
        store.publish([Event("ad", START, {"x": (5,)}, advertisement="a2")])
    assert store.last_offset() == 0


@pytest.mark.parametrize("make", ["repartition", "rebuild"])
def test_the_state_can_be_divided_anew_or_made_anew(stores, make):
    plain, moved = stores("plain"), stores("moved")
    for store in (plain, moved):
        store.publish(events(25))
    list(serve_pending(moved, shards=2, batch=10))
    before = delivered(moved)
    if make == "repartition":
        assert repartition(moved, 3) == 2
    else:
        assert list(rebuild(moved, 3, batch=10)) == [10, 20, 25]
    assert moved.progress().shards == 3
    assert moved.pipeline() is None
    assert delivered(moved) == before
    for store in (plain, moved):
        store.publish(events(40)[25:])
        list(serve_pending(store, shards=3 if store is moved else 1, close=True))
    assert delivered(moved) == delivered(plain)


def test_a_server_keeps_its_shards_and_notices_when_another_has_served(stores):
    plain, store = stores("plain"), stores("kept")
    server = LocalPipeline(store, shards=2)
    for upto in (10, 20, 30):
        store.publish(events(upto))
        if upto == 20:
            list(serve_pending(store, shards=2))
        assert sum(batch.events for batch in server.serve()) == (0 if upto == 20 else 10)
    plain.publish(events(30))
    list(serve_pending(plain))
    assert delivered(store) == delivered(plain)


@pytest.mark.parametrize("grows", ["the catalog", "the backlog"])
def test_shards_are_chosen_anew_for_much_more(stores, monkeypatch, grows):
    monkeypatch.setattr(
        "rankcast.engine.choice.FEW_PAIRS", 200
    )  # pairs: 8 subscriptions and 10 expected events are fewer
    monkeypatch.setattr("rankcast.pipeline.local.FAR_BEHIND", 50)
    more = [Subscription(f"u{number}", f"more{number}", parse(f"y = {number % 3}"), 0.5) for number in range(20)]
    published, plain, store = events(150), stores("plain"), stores(grows)
    server = LocalPipeline(store, expected=10)
    cuts = (0, 20, 40, 60) if grows == "the catalog" else (0, 20, 30, 150)
    kinds = []
    for start, end in itertools.pairwise(cuts):
        if grows == "the catalog" and start == 20:
            for each in (plain, store):
                each.change(put=more)
        for each in (plain, store):
            each.publish(published[start:end])
        list(server.serve())
        kinds.append(type(server._shards[0]))
    assert kinds == [Shard, Shard, BatchShard]
    monkeypatch.undo()
    list(serve_pending(plain))
    assert delivered(store) == delivered(plain)


def test_deliveries_have_the_instants_of_their_batch(stores):
    store = stores("instants")
    store.publish(events(5))
    list(serve_pending(store))
    (_, first), *_ = store.deliveries()
    assert first.served <= first.matched <= first.received
    assert store.pipeline().engine == "process"
    assert store.pipeline().events == 5


@pytest.mark.parametrize("waits", [False, True], ids=["no event waits", "an event waits"])
def test_a_store_that_was_never_served_is_begun_with_one_catalog(stores, monkeypatch, waits):
    plain, store = stores("plain"), stores("new")
    for number in range(5):
        for each in (plain, store):
            each.change(put=[Subscription(f"more{number}", f"user{number % 2}", parse(f"y < {number}"), 0.1 * number)])
            if number == 3 and waits:
                each.publish(events(2))
    server, versions, catalog = LocalPipeline(store, expected=10**6), set(), store.catalog
    monkeypatch.setattr(store, "catalog", lambda version=None: versions.add(version) or catalog(version))
    server.load()
    assert versions == {store.version() - waits}
    server.prepare(lambda: False)
    for each in (plain, store):
        each.publish(events(20))
    list(server.serve())
    list(serve_pending(plain))
    assert delivered(store) == delivered(plain)
    assert waits or versions == {store.version()}, "no earlier one was needed for anything"
