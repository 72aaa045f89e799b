"""Playing a world into a store: in order, each event once, whatever stops it."""

from collections.abc import Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from time import monotonic, sleep

import pytest

from rankcast.errors import StoreError
from rankcast.language import parse
from rankcast.model import EPOCH, Catalog, Event, Record, Subscription
from rankcast.pipeline.local import serve_pending
from rankcast.service.demos import DemoStream, Script, StreamState, World, stream_of
from rankcast.service.demos.stream import BEHIND
from rankcast.store import PublishReceipt, Store


class Tiny(World):
    """A world of numbers."""

    def catalog(self) -> Catalog:
        return Catalog([Subscription("s1", "ann", parse("x > 5")), Subscription("s2", "ben", parse("x > 50"))])


def tiny(count: int = 40, start: int = 3) -> Tiny:
    def make(number: int, row: int) -> Event:
        return Event(f"n{number}", EPOCH + timedelta(minutes=number), {"x": (row,)})

    return Tiny("tiny", "Numbers", "", "", {}, lambda: Script(range(count), make), start)


class Service:
    """The part of a service that a stream needs, over a real store."""

    def __init__(self, store: Store) -> None:
        self.store = store

    def catalog(self) -> Catalog:
        return self.store.catalog()

    def put(self, *records: Record) -> int:
        return self.store.change(put=records)

    def publish(self, events: Sequence[Event]) -> list[PublishReceipt]:
        return self.store.publish(events)

    def event(self, event_id: str) -> Event | None:
        logged = self.store.event(event_id)
        return logged.event if logged else None

    def ids(self) -> list[str]:
        return [logged.event.id for logged in self.store.events()]


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    with Store.create(tmp_path / "world.db") as store:
        yield Service(store)


def wait_for(stream: DemoStream, *states: StreamState) -> None:
    end = monotonic() + 30
    while stream.state not in states:
        assert monotonic() < end, f"the stream is {stream.state}"
        sleep(0.01)


def test_a_world_plays_to_its_end_and_stops(service: Service) -> None:
    stream = DemoStream(tiny(), service)
    stream.open(speed=1000)
    wait_for(stream, StreamState.ENDED)
    assert service.ids() == [f"n{number}" for number in range(40)]
    assert (stream.position, stream.total) == (40, 40)
    assert service.catalog().users() == ["ann", "ben"]


def test_a_paused_world_publishes_nothing_and_goes_on_where_it_was(service: Service) -> None:
    stream = DemoStream(tiny(), service)
    stream.open(speed=5)
    wait_for(stream, StreamState.PLAYING)
    stream.pause()
    paused = service.ids()
    assert stream.state is StreamState.PAUSED
    assert len(paused) < 40
    sleep(0.5)
    assert service.ids() == paused
    stream.play(1000)
    wait_for(stream, StreamState.ENDED)
    assert service.ids() == [f"n{number}" for number in range(40)]


def test_a_new_process_goes_on_where_the_log_ends_and_repeats_nothing(service: Service) -> None:
    service.publish(tiny().script[:17])
    again = DemoStream(tiny(), service)
    again.find()
    assert (again.state, again.position) == (StreamState.PAUSED, 17)
    again.play(1000)
    wait_for(again, StreamState.ENDED)
    assert service.ids() == [f"n{number}" for number in range(40)]


@pytest.mark.parametrize("published", [0, 1, 2, 3, 4, 5, 7, 8, 17, 31, 32, 33, 39, 40])
def test_the_place_is_found_in_the_log(service: Service, published: int) -> None:
    service.publish(tiny().script[:published])
    stream = DemoStream(tiny(), service)
    stream.find()
    assert stream.position == published


@pytest.mark.parametrize("count", [1, 2, 15, 16, 17])
def test_the_place_is_found_in_worlds_of_any_length(service: Service, count: int) -> None:
    stream = DemoStream(tiny(count), service)
    for published in range(count + 1):
        service.publish(tiny(count).script[:published])
        stream.find()
        assert stream.position == published


def test_the_start_comes_at_once_so_that_there_is_a_past(service: Service) -> None:
    stream = DemoStream(tiny(start=30), service)
    stream.open(speed=1)
    wait_for(stream, StreamState.PLAYING)
    end = monotonic() + 10
    while stream.position < 30:
        assert monotonic() < end
        sleep(0.01)
    stream.pause()
    assert stream.position == 30


def test_a_stream_waits_for_a_pipeline_that_is_behind(service: Service) -> None:
    stream = DemoStream(tiny(3 * BEHIND), service)
    stream.open(speed=1e6)
    end = monotonic() + 30
    while not stream.is_waiting:
        assert monotonic() < end
        sleep(0.01)
    reached = stream.position
    assert BEHIND < reached < 3 * BEHIND
    sleep(0.5)
    assert (stream.position, stream.state) == (reached, StreamState.PLAYING)
    for _ in serve_pending(service.store):
        pass
    while stream.position == reached:
        assert monotonic() < end
        sleep(0.01)
    stream.pause()


def test_people_who_are_there_keep_what_they_have(service: Service) -> None:
    mine = Subscription("mine", "ann", parse("x = 1"))
    service.put(mine)
    stream = DemoStream(tiny(), service)
    stream.open(speed=1000)
    wait_for(stream, StreamState.ENDED)
    assert service.catalog().subscriptions_of("ann") == [mine]
    assert [one.id for one in service.catalog().subscriptions_of("ben")] == ["s2"]


def test_a_store_that_fails_stops_the_stream_with_the_reason_and_it_can_go_on(service: Service) -> None:
    class Broken(Service):
        broken = True

        def publish(self, events: Sequence[Event]) -> list[PublishReceipt]:
            if self.broken:
                raise StoreError("the disk is full")
            return super().publish(events)

    broken = Broken(service.store)
    stream = DemoStream(tiny(), broken)
    stream.open(speed=1000)
    wait_for(stream, StreamState.FAILED)
    assert stream.error == "the disk is full"
    broken.broken = False
    stream.play()
    wait_for(stream, StreamState.ENDED)
    assert stream.error is None


def test_a_service_has_one_stream_per_world(service: Service) -> None:
    assert stream_of(service, "movies") is stream_of(service, "movies")
    assert stream_of(service, "movies") is not stream_of(service, "market")
    assert stream_of(Service(service.store), "movies") is not stream_of(service, "movies")
