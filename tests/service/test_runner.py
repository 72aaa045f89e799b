from datetime import UTC, datetime, timedelta
from time import sleep

import pytest
from waiting import until

from rankcast.cover.strict_covers import StrictCovers
from rankcast.engine.reference.shard import replay
from rankcast.errors import StoreError
from rankcast.language import decode_event, decode_record
from rankcast.pipeline.local import serve_pending
from rankcast.service import Service, ServiceSettings, runner
from rankcast.service.runner import Runner
from rankcast.store import BatchCounts


def film(number: int) -> dict[str, object]:
    return {
        "id": f"e{number:03}",
        "time": f"2004-01-01T00:{number // 60:02}:{number % 60:02}Z",
        "attributes": {"x": number % 7},
    }


def test_many_small_batches_give_what_one_replay_gives(service: Service) -> None:
    for name, policy in {
        "all": {},
        "periodic": {"mode": "periodic", "k": 2, "length": 20},
        "sliding": {"mode": "sliding", "k": 2, "length": 9, "sigma": 0.5},
        "history": {"mode": "history", "k": 2, "length": 9},
    }.items():
        service.put(decode_record({"kind": "subscription", "id": name, "user": name, "where": "x > 1", "score": 0.5}))
        if policy:
            service.put(decode_record({"kind": "policy", "user": name, **policy}))
    service.start()
    for first in range(0, 200, 10):
        service.publish([decode_event(film(number)) for number in range(first, first + 10)])
        until(lambda: service.store.progress().offset == service.store.last_offset())
    events = [logged.event for logged in service.store.events()]
    wanted = [one for one in replay(service.catalog(), events) if not (one.user == "periodic" and one.window > 10)]
    got = sorted((one for _, one in service.store.deliveries()), key=lambda one: one.order)
    assert got == wanted
    assert service.runner.batches > 5
    assert service.runner.events == 200


def test_a_period_ends_by_the_clock_though_nothing_more_is_published(service: Service) -> None:
    service.put(decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "true"}))
    service.put(decode_record({"kind": "policy", "user": "ann", "mode": "periodic", "k": 1, "length": "1s"}))
    service.start()
    service.publish([decode_event({"id": "e1", "attributes": {"x": 1}}, datetime.now(UTC))])
    until(lambda: service.store.last_delivery() == 1, 10)
    logged = service.store.event("e1")
    assert logged is not None
    ((_, made),) = service.store.deliveries()
    assert made.matched is not None
    assert made.matched - logged.logged < timedelta(seconds=1 + 2 + 2)  # the period, the promise, and a busy machine


def test_a_runner_that_expects_much_gives_the_same(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    service.put(decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "x > 1"}))
    service.put(decode_record({"kind": "policy", "user": "ann", "mode": "sliding", "k": 2, "length": 9}))
    monkeypatch.setattr(runner, "LIVE_BATCH", 1_000_000)  # so with shards made for many
    monkeypatch.setattr(runner, "_BATCH", 60)
    for first in (0, 100, 200):
        service.publish([decode_event(film(number)) for number in range(first, first + 100)])
        service.start()
        until(lambda: service.store.progress().offset == service.store.last_offset(), 120)  # kernels may be compiled
    events = [logged.event for logged in service.store.events()]
    assert [one for _, one in service.store.deliveries()] == replay(service.catalog(), events)


def test_a_failure_is_said_and_passes(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    commit = service.store.commit
    service.put(decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "true"}))

    def fail(*given: object, **named: object) -> int:
        raise StoreError("no space is left")

    monkeypatch.setattr(service.store, "commit", fail)
    service.publish([decode_event(film(1))])
    service.start()
    until(lambda: service.runner.error == "no space is left")
    monkeypatch.setattr(service.store, "commit", commit)
    until(lambda: service.store.last_delivery() == 1)
    until(lambda: service.runner.error is None)


def test_a_store_has_one_embedded_pipeline(service: Service, settings: ServiceSettings) -> None:
    service.start()
    other = Service(settings)
    with pytest.raises(StoreError, match="served by another process already"):
        other.start()
    service.runner.stop()
    other.start()
    assert other.runner.is_running
    other.stop()


def test_a_store_that_spark_serves_is_left_alone(service: Service) -> None:
    service.store.claim("p1", "checkpoint", 1)
    service.store.publish([decode_event(film(1))])
    service.store.commit_batch("p1", {}, [], BatchCounts(0), 0, 1, 0)
    with pytest.raises(StoreError, match=r"pipeline on Spark.*--no-pipeline"):
        Runner(service.store).start()


@pytest.mark.parametrize("is_urgent", [True, False], ids=["an urgent event", "a publisher who waits"])
def test_the_pause_after_a_batch_ends_for(service: Service, monkeypatch: pytest.MonkeyPatch, is_urgent: bool) -> None:
    monkeypatch.setattr(runner, "_BEAT", 60.0)
    service.put(decode_record({"kind": "subscription", "id": "s", "user": "ann", "where": "x > 1"}))
    service.start()
    for number in (2, 3, 4):
        (receipt,) = service.store.publish([decode_event(film(number))])
        service.runner.wake(receipt.offset)
        until(lambda: service.store.progress().offset == service.store.last_offset())
    service.store.publish([decode_event(film(5))])
    service.runner.wake()
    sleep(0.3)
    assert service.store.progress().offset < service.store.last_offset(), "the pause goes on"
    if is_urgent:
        service.runner.wake(service.store.last_offset())
    else:
        service.runner.hasten()
    until(lambda: service.store.progress().offset == service.store.last_offset())


def test_urgent_events_are_known_until_they_are_served(service: Service) -> None:
    waiting = Runner(service.store)
    for offset in (3, 5, 9):
        waiting.wake(offset)
    assert [waiting._next_urgent(after) for after in (0, 2, 3, 8, 9)] == [3, 3, 5, 9, None]


def test_a_start_compares_many_subscriptions_before_it_is_ready(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    likes = [{"kind": "subscription", "id": f"s{n}", "user": "ann", "where": f"x >= {-n}"} for n in range(700)]
    service.store.change(put=[decode_record(one) for one in likes])
    service.store.publish([decode_event(film(1))])
    list(serve_pending(service.store))
    compared: list[int] = []
    add = StrictCovers.add
    monkeypatch.setattr(StrictCovers, "add", lambda self, new: compared.append(len(new)) or add(self, new))
    started = Runner(service.store)
    started.start()
    try:
        assert started.wait_until_ready(60)
        assert sum(compared) == 700
        service.store.publish([decode_event(film(2))])
        started.wake()
        until(lambda: service.store.progress().offset == 2, 120)  # kernels may be compiled
        assert sum(compared) == 700, "the first event compared some again"
        assert [one.subscriptions for _, one in service.store.deliveries()] == [("s0",)] * 2
    finally:
        started.stop()


def test_subscriptions_are_compared_between_batches_if_events_never_pause(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    add, count = StrictCovers.add, Runner._count
    monkeypatch.setattr(StrictCovers, "add", lambda self, new: done.append("compared") or add(self, new))
    monkeypatch.setattr(Runner, "_count", lambda self, batch: done.append("batch") or count(self, batch))
    monkeypatch.setattr(runner, "_BATCH", 1)
    monkeypatch.setattr(runner, "_PREPARING", 0.0)
    likes = [{"kind": "subscription", "id": f"s{n}", "user": "ann", "where": f"x >= {n} and y > 1"} for n in range(700)]
    service.store.change(put=[decode_record(one) for one in likes])
    service.store.publish([decode_event(film(number)) for number in range(40)])
    started = Runner(service.store)
    started.start()
    try:
        until(lambda: service.store.progress().offset == 40, 120)  # kernels may be compiled
    finally:
        started.stop()
    last = len(done) - 1 - done[::-1].index("batch")
    assert "compared" in done[:last], "before the log is served"


def test_a_start_that_fails_lets_nobody_wait(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail() -> None:
        raise StoreError("the disk failed")

    monkeypatch.setattr(service.store, "saved_state", fail)
    started = Runner(service.store)
    started.start()
    try:
        assert started.wait_until_ready(60)
        assert started.error == "the disk failed"
    finally:
        started.stop()
