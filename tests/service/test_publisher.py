import asyncio
from collections.abc import Sequence
from pathlib import Path
from threading import Event as Flag
from time import sleep
from typing import Any

import pytest

from rankcast.errors import CatalogError, StoreError
from rankcast.language import decode_event
from rankcast.model import Event
from rankcast.service.publisher import LogPublisher, Results
from rankcast.store import PublishReceipt, Store


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store.create(tmp_path / "store.db")


def event(name: str, x: int = 1) -> Event:
    return decode_event({"id": name, "time": "2004-01-01", "attributes": {"x": x}})


async def published(publisher: LogPublisher, *requests: Sequence[Event]) -> list[Results]:
    """What becomes of requests that are made at once."""
    return await asyncio.wait_for(asyncio.gather(*map(publisher.publish, requests)), 10)


def test_many_at_once_each_get_their_own_answer(store: Store) -> None:
    publisher = LogPublisher(store)
    requests = [[event(f"e{place}-{number}") for number in range(place % 4)] for place in range(60)]
    outcomes = asyncio.run(published(publisher, *requests))
    for events, results in zip(requests, outcomes, strict=True):
        assert [one.id for one in results if isinstance(one, PublishReceipt)] == [one.id for one in events]
    assert store.last_offset() == sum(map(len, requests))
    publisher.close()


def test_several_loops_each_get_their_own_answer(store: Store) -> None:
    publisher = LogPublisher(store)

    async def both() -> tuple[list[Results], list[Results]]:
        elsewhere = asyncio.to_thread(asyncio.run, published(publisher, [event("a")], [event("b")]))
        return await asyncio.gather(published(publisher, [event("c")], [event("d")]), elsewhere)

    here, there = asyncio.run(both())
    for outcomes, names in ((there, "ab"), (here, "cd")):
        assert [one.id for (one,) in outcomes if isinstance(one, PublishReceipt)] == list(names)
    publisher.close()


def test_a_bad_event_is_no_neighbours_problem(store: Store) -> None:
    publisher = LogPublisher(store)
    store.publish([event("taken")])
    first, second, third = asyncio.run(
        published(publisher, [event("a")], [event("b"), event("taken", 2), event("c")], [event("a")])
    )
    assert [type(one) for one in second] == [PublishReceipt, CatalogError, PublishReceipt]
    assert [first, third] == [[PublishReceipt("a", 2, False)], [PublishReceipt("a", 2, True)]]
    publisher.close()


def test_a_store_that_fails_is_everybodys(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher = LogPublisher(store)

    def fail(*given: object, **named: object) -> list[PublishReceipt]:
        raise StoreError("no space is left")

    monkeypatch.setattr(store, "publish", fail)
    with pytest.raises(StoreError, match="no space"):
        asyncio.run(published(publisher, [event("a")]))
    monkeypatch.undo()
    assert asyncio.run(published(publisher, [event("a")])) == [[PublishReceipt("a", 1, False)]]
    publisher.close()


def test_what_was_handed_in_is_logged_before_the_end(store: Store) -> None:
    publisher = LogPublisher(store)

    async def scenario() -> None:
        futures = [publisher.publish([event(f"e{number}")]) for number in range(50)]
        publisher.close()
        assert store.last_offset() == 50
        await asyncio.wait_for(asyncio.gather(*futures), 10)
        with pytest.raises(StoreError, match="stopping"):
            publisher.publish([event("late")])

    asyncio.run(scenario())


def test_one_who_gave_up_in_time_has_published_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher, publish = LogPublisher(store), store.publish
    taken_up, going_on = Flag(), Flag()

    def slow(*given: Any, **named: Any) -> list[PublishReceipt]:
        taken_up.set()
        assert going_on.wait(10)
        return publish(*given, **named)

    monkeypatch.setattr(store, "publish", slow)

    async def scenario() -> None:
        first = publisher.publish([event("a")])
        assert await asyncio.to_thread(taken_up.wait, 10)
        second = publisher.publish([event("b")])
        for future in (first, second):  # too late, and in time
            future.cancel()
        going_on.set()
        await asyncio.to_thread(publisher.close)

    asyncio.run(scenario())
    assert [store.event(name) is not None for name in "ab"] == [True, False]


def test_a_quiet_publisher_does_not_wait_for_all_that_another_has_sent(store: Store) -> None:
    sizes, told = list[int](), list[int | None]()
    publish = store.publish

    def slow(events: Any, **named: Any) -> Any:
        given = list(events)
        sizes.append(len(given))
        sleep(0.05)
        return publish(given, **named)

    store.publish = slow
    publisher = LogPublisher(store, told.append)

    requests = [[event(f"s{place}-{number}") for number in range(400)] for place in range(8)]

    async def story() -> int:
        many = [publisher.publish(request, "spam") for request in requests]
        await asyncio.sleep(0.01)
        (receipt,) = await publisher.publish([event("news")], "news")
        await asyncio.gather(*many)
        assert isinstance(receipt, PublishReceipt)
        return receipt.offset

    assert asyncio.run(story()) <= 2 * 1_200 + 1, "the quiet one is in the second transaction"
    assert max(sizes) <= 1_201
    assert told[0] == 400, "spam was quiet before its first transaction"
    assert told[1] in (401, 801), "news was quiet before its only one"
    assert set(told[2:]) == {None}
    publisher.close()


def test_large_events_are_logged_a_few_at_a_time(store: Store) -> None:
    publisher = LogPublisher(store)
    before = store.last_offset()
    transactions: list[int | None] = []
    publisher._logged = transactions.append

    async def story() -> None:
        await asyncio.gather(*(publisher.publish([event(f"l{n}")], "spam", 200_000) for n in range(9)))

    asyncio.run(story())
    assert store.last_offset() == before + 9
    assert len(transactions) >= 3
    publisher.close()


def test_whoever_was_quiet_is_logged_first_and_alone(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    publisher, begun, go_on = LogPublisher(store), Flag(), Flag()
    logged: list[list[str]] = []
    publish = store.publish

    def slow(events: Any, **named: Any) -> list[PublishReceipt]:
        together = list(events)
        logged.append([one.id for one in together])
        begun.set()
        go_on.wait(10)
        return publish(together, **named)

    monkeypatch.setattr(store, "publish", slow)

    async def all_of_them() -> None:
        first = publisher.publish([event("spam0")], "spam")
        await asyncio.to_thread(begun.wait, 10)
        rest = [publisher.publish([event(f"spam{n}")], "spam") for n in (1, 2)]
        rest += [publisher.publish([event("other")], "other")]
        go_on.set()
        await asyncio.wait_for(asyncio.gather(first, *rest), 10)

    asyncio.run(all_of_them())
    publisher.close()
    assert logged == [["spam0"], ["other"], ["spam1", "spam2"]]
