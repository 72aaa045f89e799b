"""What one publisher may have unserved."""

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from rankcast.pipeline.local import CommittedBatch
from rankcast.service import backlogs
from rankcast.service.backlogs import PublisherBacklogs
from rankcast.service.problems import Problem


class Log:
    """A log and its pipeline, as far as backlogs see them."""

    def __init__(self, seconds: float = 0.1, events: int = 500, waiting: int = 2) -> None:
        self.now = 0.0
        self.offset = 0
        self.is_serving = True
        self.held = 0
        self.backlogs = PublisherBacklogs(
            seconds, events, waiting, lambda: self.is_serving, lambda: self.now, self._note_held
        )

    def _note_held(self) -> None:
        self.held += 1

    async def publish(self, who: str, wanted: int, is_begun: bool = False) -> int:
        taken = await self.backlogs.take(who, wanted, is_begun)
        self.offset += taken
        self.backlogs.logged(who, taken, taken, self.offset)
        return taken

    def serve(self, each: float, events: int | None = None) -> None:
        count = self.offset if events is None else events
        self.backlogs.served(CommittedBatch(self.offset, count, 0, 0, 0.005 + each * count))


def run(story: Callable[[], Any]) -> None:
    asyncio.run(asyncio.wait_for(story(), 10))


def test_a_publisher_has_so_many_unserved_as_are_served_in_its_time() -> None:
    async def story() -> None:
        log = Log(seconds=0.1)
        first = await log.publish("spam", 10_000)
        assert 1 < first < 500  # before anything is known of its events
        log.serve(0.01, first)
        assert await log.publish("spam", 10_000) == 30, "three times as much, because it is the only one"
        assert await log.publish("news", 1) == 1  # others are not held up
        waiting = asyncio.create_task(log.publish("spam", 10_000))
        await asyncio.sleep(0.01)
        assert not waiting.done()
        log.serve(0.01, 31)
        assert await waiting in (4, 5), "two publishers share the time"
        log.serve(0.01, 5)
        log.now += backlogs._ACTIVE + 1
        assert await log.publish("spam", 10_000) in (29, 30), "the other has not published for a while"

    run(story)


def test_the_pipeline_is_told_if_all_who_publish_wait() -> None:
    async def story() -> None:
        log = Log(seconds=0.1)
        served = await log.publish("spam", 10_000)
        assert log.held == 0
        waiting = asyncio.create_task(log.publish("spam", 10_000))
        await asyncio.sleep(0.01)
        assert log.held == 1
        log.serve(0.001, served)
        served = await waiting + await log.publish("news", 1)
        waiting = asyncio.create_task(log.publish("spam", 10_000))
        await asyncio.sleep(0.01)
        assert log.held == 1, "somebody publishes who need not wait"
        also = asyncio.create_task(log.publish("news", 10_000))
        await asyncio.sleep(0.01)
        rest = asyncio.create_task(log.publish("news", 10_000))
        await asyncio.sleep(0.01)
        assert log.held == 2, "now both wait"
        for _ in range(3):
            log.serve(0.001, served)
            await asyncio.sleep(0.01)
        assert all(one.done() for one in (waiting, also, rest))

    run(story)


def test_cheap_events_go_as_fast_as_the_bound_on_their_number_allows() -> None:
    async def story() -> None:
        log = Log(seconds=0.1 / backlogs._ALONE, events=500)
        first = await log.publish("bulk", 10_000)
        log.serve(0.00005, first)
        assert await log.publish("bulk", 10_000) == 400, "a quarter of what is assumed of events that nobody knows"
        log.serve(0.00005, 400)
        log.now += 5
        assert await log.publish("bulk", 10_000) == 500

    run(story)


def test_a_few_cheap_events_do_not_let_many_costly_ones_in() -> None:
    async def story() -> None:
        log = Log(seconds=0.02)
        log.serve(0.0, await log.publish("quiet", 1))
        log.serve(0.0, await log.publish("spam", 2))
        assert await log.publish("spam", 1_000) == 10, "half of the time, at 1 ms each"

    run(story)


def test_few_events_in_a_batch_are_charged_though_they_take_less_than_the_highest_fixed_cost() -> None:
    async def story() -> None:
        log = Log(seconds=0.02)
        await log.publish("quiet", 1)
        log.backlogs.served(CommittedBatch(log.offset, 1, 0, 0, 0.001))
        for _ in range(100):
            await log.publish("spam", 1)
            log.backlogs.served(CommittedBatch(log.offset, 1, 0, 0, 0.005))
        assert await log.publish("spam", 1_000) in (2, 3), "half of the time, at 4 ms each"

    run(story)


def test_costly_events_are_remembered_for_a_while_when_cheap_ones_follow() -> None:
    async def story() -> None:
        log = Log(seconds=0.1 / backlogs._ALONE)
        log.serve(0.01, await log.publish("spam", 100))
        assert await log.publish("spam", 100) == 10
        log.serve(0.0, 10)
        for _ in range(100):
            log.serve(0.0, await log.publish("spam", 100))
        assert await log.publish("spam", 100) == 40, "a quarter of the highest cost"
        log.serve(0.0, 40)
        log.now += 5
        assert await log.publish("spam", 100) == 80

    run(story)


def test_a_costly_batch_among_many_cheap_ones_delays_its_publisher_little() -> None:
    async def story() -> None:
        log = Log(seconds=0.1)
        log.serve(0.001, await log.publish("feed", 100))
        for each in (0.001, 0.004, 0.001):
            log.serve(each, await log.publish("feed", 6))
        taken = await log.publish("feed", 100)
        assert taken > 70  # 100 by the cheap ones, 25 by the costly ones
        log.serve(0.001, taken)
        assert await log.publish("news", 1) == 1
        assert await log.publish("feed", 100) == 12, "beside others, half of the time, by the costly ones"

    run(story)


def test_what_several_published_is_charged_by_what_was_expected_of_each() -> None:
    async def story() -> None:
        log = Log(seconds=0.1)
        log.serve(0.01, await log.publish("spam", 100))
        await log.publish("spam", 10)
        await log.publish("news", 2)
        log.serve(0.01, 12)
        assert await log.publish("spam", 100) <= 10
        assert await log.publish("news", 100) > 30

    run(story)


def test_one_event_is_always_taken_in_the_end_however_costly() -> None:
    async def story() -> None:
        log = Log(seconds=0.1)
        log.serve(5.0, await log.publish("spam", 1))
        assert await log.publish("spam", 7) == 1

    run(story)


def test_who_waits_in_vain_or_in_too_great_a_number_is_told_what_to_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlogs, "_PATIENCE", 0.05)

    async def story() -> None:
        log = Log(waiting=2)
        await log.publish("spam", 10_000)
        both = [asyncio.create_task(log.publish("spam", 1)) for _ in range(2)]
        await asyncio.sleep(0.01)
        with pytest.raises(Problem, match=r"2 requests of this token wait already.*publish more slowly") as refused:
            await log.publish("spam", 1)
        assert refused.value.status == 429
        assert int(refused.value.headers["Retry-After"]) >= 1
        for one in await asyncio.gather(*both, return_exceptions=True):
            assert isinstance(one, Problem)
            assert "has waited for 0.05 s" in one.detail
        log.serve(0.001)
        assert await log.publish("spam", 1) == 1

    run(story)


def test_nobody_waits_while_nobody_serves() -> None:
    async def story() -> None:
        log = Log()
        log.is_serving = False
        for _ in range(3):
            assert await log.publish("bulk", 10_000) == 10_000

    run(story)


def test_a_pipeline_that_stops_lets_go_those_who_wait(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(backlogs, "_LOOK", 0.01)

    async def story() -> None:
        log = Log()
        await log.publish("bulk", 10_000)
        waiting = asyncio.create_task(log.publish("bulk", 10_000))
        await asyncio.sleep(0.05)
        assert not waiting.done()
        log.is_serving = False
        assert await waiting == 10_000

    run(story)


def test_duplicates_and_what_was_served_already_do_not_count() -> None:
    async def story() -> None:
        log = Log()
        taken = await log.backlogs.take("bulk", 50)
        log.backlogs.logged("bulk", taken, 0, 0)
        taken = await log.backlogs.take("bulk", 50)
        log.backlogs.served(CommittedBatch(50, 50, 0))
        log.backlogs.logged("bulk", taken, 50, 50)
        first = await log.backlogs.take("bulk", 10_000)
        assert first >= 50

    run(story)
