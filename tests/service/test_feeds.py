import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime

import pytest

from rankcast.language import decode_event
from rankcast.model import Delivery
from rankcast.service import Service, feeds
from rankcast.store import StateChanges, Store

NOW = datetime(2004, 2, 13, tzinfo=UTC)


def commit(store: Store, count: int, users: tuple[str, ...] = ("ann", "bob")) -> None:
    """Deliver so many new events to each user."""
    start = store.last_offset()
    events = [
        decode_event({"id": f"e{number}", "attributes": {}}, NOW) for number in range(start + 1, start + count + 1)
    ]
    store.publish(events)
    deliveries = [
        Delivery(user, one.id, start + place, 1.0, ("s",), NOW, NOW, start + place)
        for place, one in enumerate(events, 1)
        for user in users
    ]
    store.commit(deliveries, start + count, 0, StateChanges(), expected_offset=start)


async def take(service: Service, user: str | None, after: int | None, count: int) -> list[tuple[int, Delivery]]:
    """The next so many that a listener gets."""
    taken: list[tuple[int, Delivery]] = []
    listening = service.feeds.listen(user, after)
    try:
        async for numbered in listening:
            taken.append(numbered)
            if len(taken) == count:
                break
    finally:
        await listening.aclose()
    return taken


def run(scenario: Callable[[], Awaitable[None]]) -> None:
    asyncio.run(asyncio.wait_for(scenario(), 20))


def test_first_what_is_stored_then_what_comes(service: Service) -> None:
    commit(service.store, 3)

    async def scenario() -> None:
        listening = asyncio.create_task(take(service, "ann", 0, 5))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(commit, service.store, 2)
        service.feeds.wake()
        assert await listening == list(service.store.deliveries("ann"))

    run(scenario)


def test_without_a_number_only_what_comes(service: Service) -> None:
    commit(service.store, 3)

    async def scenario() -> None:
        listening = asyncio.create_task(take(service, "ann", None, 2))
        await asyncio.sleep(0.1)
        await asyncio.to_thread(commit, service.store, 2)
        assert await listening == list(service.store.deliveries("ann"))[3:]  # found by polling: nobody woke it

    run(scenario)


def test_everything_for_one_who_listens_to_all(service: Service) -> None:
    async def scenario() -> None:
        listening = asyncio.create_task(take(service, None, 0, 6))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(commit, service.store, 3)
        assert await listening == list(service.store.deliveries())

    run(scenario)


def test_what_nobody_listens_to_is_not_decoded(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[feeds.FeedItem] = []
    following = service.feeds._following

    def read() -> list[feeds.FeedItem]:
        page = following()
        found.extend(page)
        return page

    monkeypatch.setattr(service.feeds, "_following", read)

    async def scenario() -> None:
        listening = asyncio.create_task(take(service, "ann", 0, 3))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(commit, service.store, 3)
        assert await listening == list(service.store.deliveries("ann"))

    run(scenario)
    decoded = {fed.stored.user for fed in found if "delivery" in vars(fed.stored)}
    assert {fed.stored.user for fed in found} == {"ann", "bob"}
    assert decoded == {"ann"}


def test_one_who_is_slow_loses_nothing(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feeds, "_ROOM", 7)
    monkeypatch.setattr(feeds, "_PAGE", 5)

    async def scenario() -> None:
        taken: list[int] = []
        listening = service.feeds.listen("ann", 0)
        for round_ in range(12):
            await asyncio.to_thread(commit, service.store, 1 + round_ * 3)
            service.feeds.wake()
            for _ in range(3):
                taken.append((await anext(listening))[0])
                await asyncio.sleep(0.005)
        wanted = [number for number, _ in service.store.deliveries("ann")]
        while len(taken) < len(wanted):
            taken.append((await anext(listening))[0])
        await listening.aclose()
        assert taken == wanted

    commit(service.store, 2)
    run(scenario)


def test_nobody_is_kept_who_has_gone(service: Service) -> None:
    async def scenario() -> None:
        await take(service, "ann", 0, 2)
        assert service.feeds.listeners == 0
        assert await take(service, "ann", 0, 2) == list(service.store.deliveries("ann"))[:2]

    commit(service.store, 3)
    run(scenario)


def test_many_listeners_while_it_goes_on(service: Service) -> None:
    async def scenario() -> None:
        async def late(place: int) -> list[tuple[int, Delivery]]:
            await asyncio.sleep(place * 0.01)
            return await take(service, "ann" if place % 2 else "bob", place % 5 * 3, 30)

        listening = [asyncio.create_task(late(place)) for place in range(20)]
        for _ in range(12):
            await asyncio.to_thread(commit, service.store, 3)
            service.feeds.wake()
            await asyncio.sleep(0.02)
        await asyncio.to_thread(commit, service.store, 20)
        service.feeds.wake()
        for place, task in enumerate(listening):
            stored = list(service.store.deliveries("ann" if place % 2 else "bob", after=place % 5 * 3))
            assert await task == stored[:30]

    run(scenario)
