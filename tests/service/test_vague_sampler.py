"""The monitor's comparison of vague and crisp: kept in the store, with gaps where nothing was published."""

from datetime import timedelta

from rankcast.language import decode_event, decode_record
from rankcast.service import vague_sampler
from rankcast.service.page.monitor.activity import vague_chart
from rankcast.service.vague_sampler import MOST_EVENTS, VagueSampler
from rankcast.store import Store

CHEAP = {"kind": "concept", "name": "cheap", "attribute": "price", "left_shoulder": [1000, 2000]}
WISH = {"kind": "subscription", "id": "s1", "user": "ann", "where": "price is cheap"}


def publish(store: Store, *prices, start: int = 0) -> None:
    form = {"time": "2026-05-04T12:00:00Z"}
    store.publish(
        decode_event({**form, "id": f"e{at}", "attributes": {"price": price}}) for at, price in enumerate(prices, start)
    )


def test_rounds_gaps_and_restarts(store, clock):
    store.change(put=[decode_record(CHEAP), decode_record(WISH)])
    sampler = VagueSampler(store)
    publish(store, 900, 1400, {"between": [1000, 2400]})
    sampler.round()
    clock.advance(seconds=30)
    publish(store, 2500, start=10)
    sampler.round()
    for _ in range(5):  # nothing is published: nothing is recorded
        clock.advance(seconds=30)
        sampler.round()
    publish(store, 500, start=20)
    sampler.round()
    samples, every = VagueSampler(store).log.over(timedelta(minutes=10))  # another process reads the same
    assert [one[1:] for one in samples] == [(3, 1, 3, 2, 1), (1, 1, 0, 0, 0), (1, 1, 1, 1, 1)]
    drawn = vague_chart(samples, every, timedelta(minutes=10), clock())
    assert [len(line["markArea"]["data"]) for line in drawn["series"]] == [1, 0, 0]
    assert [[value for _, value in line["data"]].index(None) for line in drawn["series"]] == [1, 1, 1]  # at the gap
    clock.advance(days=31)
    publish(store, 700, start=30)
    sampler.round()
    assert len(sampler.log.over(timedelta(days=60))[0]) == 1


def test_only_the_newest_events_and_only_vague_wishes_count(store):
    store.change(put=[decode_record({**WISH, "where": "price < 5"})])
    sampler = VagueSampler(store)
    publish(store, *range(2 * MOST_EVENTS))
    sampler.round()
    assert sampler.log.over(timedelta(minutes=10))[0] == []
    store.change(put=[decode_record(CHEAP), decode_record(WISH)])
    publish(store, *range(2 * MOST_EVENTS), start=1000)
    sampler.round()
    assert [one.events for one in sampler.log.over(timedelta(minutes=10))[0]] == [MOST_EVENTS]


def test_only_some_users_of_a_large_catalog_are_read(store, monkeypatch):
    wishes = [decode_record({**WISH, "id": f"s{number}", "user": f"user{number}"}) for number in range(5)]
    store.change(put=[decode_record(CHEAP), *wishes])
    monkeypatch.setattr(vague_sampler, "_USERS", 2)
    monkeypatch.setattr(store, "catalog", None)  # it would fail
    sampler = VagueSampler(store)
    publish(store, 900)
    sampler.round()
    assert [one.subscriptions for one in sampler.log.over(timedelta(minutes=10))[0]] == [2]


def test_it_starts_and_ends_with_the_service(service):
    service.start()
    service.vague.stop()
