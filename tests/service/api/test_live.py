import json
import random
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import httpx
import pytest

from rankcast.language import decode_event, decode_record
from rankcast.service import Limits, Service, ServiceSettings
from rankcast.service.running import listening


class Sent(NamedTuple):
    kind: str
    id: str
    data: Any


def read(stream: httpx.Response) -> Iterator[Sent]:
    """The server-sent events of a response; heartbeats too."""
    fields: dict[str, str] = {}
    for line in stream.iter_lines():
        if line.startswith(":"):
            yield Sent("comment", "", line[1:].strip())
        elif line:
            name, _, value = line.partition(":")
            fields[name] = value.strip()
        elif "data" in fields:
            yield Sent(fields["event"], fields["id"], json.loads(fields["data"]))
            fields = {}


def publish(service: Service, first: int, count: int) -> None:
    events = [
        decode_event(
            {"id": f"e{number}", "time": "2004-01-01", "attributes": {"genre": "drama", "year": 2000 + number % 9}}
        )
        for number in range(first, first + count)
    ]
    service.publish(events)


def publish_to_listeners(service: Service, first: int, count: int) -> None:
    """Publish as soon as somebody listens."""

    def wait() -> None:
        while not service.feeds.listeners:
            time.sleep(0.01)
        publish(service, first, count)

    threading.Thread(target=wait, daemon=True).start()


def subscribe(service: Service) -> None:
    service.put(
        decode_record(
            {"kind": "subscription", "id": "ann-1", "user": "ann", "where": "genre = 'drama' and year != 2003"}
        ),
        decode_record({"kind": "subscription", "id": "bob-1", "user": "bob", "where": "true"}),
    )


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Service]]:
    limits = Limits(resume=300)
    settings = ServiceSettings(
        str(tmp_path / "store.db"), port=0, dev=True, page=False, poll=0.05, heartbeat=0.2, limits=limits
    )
    with listening(settings) as (address, service):
        subscribe(service)
        yield address, service


def take(address: str, count: int, after: str | None = None, path: str = "/v1/users/ann/deliveries/live") -> list[Sent]:
    """The first events of a stream, heartbeats left out."""
    headers = {} if after is None else {"Last-Event-ID": after}
    with httpx.stream("GET", address + path, headers=headers, timeout=10) as stream:
        assert stream.headers["content-type"].startswith("text/event-stream")
        found: list[Sent] = []
        ending = time.monotonic() + 15
        for sent in read(stream):
            if sent.kind != "comment":
                found.append(sent)
            if len(found) == count:
                return found
            assert time.monotonic() < ending, f"only {len(found)} of {count} after {after}: {found[-1:]}"
    raise AssertionError(f"the stream ended after {len(found)} of {count}")


def wait_for(service: Service, user: str, count: int) -> None:
    for _ in range(500):
        if len(service.deliveries(user, limit=count)) == count:
            return
        time.sleep(0.01)
    raise AssertionError(f"{user} has not got {count} deliveries; {service.runner.error}")


def test_what_is_missed_comes_first_then_what_happens(served: tuple[str, Service]) -> None:
    address, service = served
    publish(service, 1, 5)
    wait_for(service, "bob", 5)
    publish_to_listeners(service, 6, 3)
    found = take(address, 7, "0")
    assert [sent.data["event"] for sent in found] == ["e1", "e2", "e4", "e5", "e6", "e7", "e8"]
    assert [int(sent.id) for sent in found] == [sent.data["number"] for sent in found]
    assert {sent.kind for sent in found} == {"delivery"}


def test_cut_at_random_nothing_is_lost_or_repeated(served: tuple[str, Service]) -> None:
    address, service = served
    chance = random.Random(5)
    total = 300

    def go_on() -> None:
        at = 1
        while at <= total:
            count = min(chance.randint(1, 9), total + 1 - at)
            publish(service, at, count)
            at += count
            time.sleep(0.01)

    publishing = threading.Thread(target=go_on)
    publishing.start()
    wanted = [f"e{number}" for number in range(1, total + 1) if number % 9 != 3]
    got: list[str] = []
    last, connections = "0", 0
    while len(got) < len(wanted):
        connections += 1
        for sent in take(address, min(chance.randint(1, 25), len(wanted) - len(got)), last):
            assert sent.kind == "delivery"
            got.append(sent.data["event"])
            last = sent.id
    publishing.join()
    assert got == wanted
    assert connections > 10


@pytest.mark.parametrize(
    ("last", "reason"), [("999", "ahead of the log"), ("x", "not a number"), ("1" * 30, "not a number")]
)
def test_an_unknown_number_asks_to_read_again(served: tuple[str, Service], last: str, reason: str) -> None:
    address, service = served
    publish(service, 1, 2)
    wait_for(service, "ann", 2)
    publish_to_listeners(service, 4, 1)
    resync, following = take(address, 2, last)
    assert resync.kind == "resync"
    assert reason in resync.data["reason"]
    assert resync.data["last"] == int(resync.id) == 4
    assert (following.kind, following.data["event"]) == ("delivery", "e4")


def test_one_who_was_away_too_long_reads_again_page_by_page(served: tuple[str, Service]) -> None:
    address, service = served
    publish(service, 1, 400)
    wait_for(service, "bob", 400)
    (resync,) = take(address, 1, "1")
    assert "more than 300" in resync.data["reason"]
    pages: list[int] = []
    cursor = "1"
    while cursor is not None:
        page = httpx.get(f"{address}/v1/users/ann/deliveries", params={"cursor": cursor, "limit": 90}).json()
        pages += [one["number"] for one in page["deliveries"]]
        cursor = page["next"]
    assert pages == [number for number, _ in service.store.deliveries("ann") if 1 < number <= resync.data["last"]]


def test_silence_is_filled_with_heartbeats(served: tuple[str, Service]) -> None:
    address, _ = served
    with httpx.stream("GET", f"{address}/v1/users/ann/deliveries/live", timeout=10) as stream:
        found = read(stream)
        assert [next(found) for _ in range(2)] == [Sent("comment", "", "heartbeat")] * 2


def test_the_event_itself_on_request(served: tuple[str, Service]) -> None:
    address, service = served
    publish(service, 1, 1)
    wait_for(service, "ann", 1)
    (sent,) = take(address, 1, path="/v1/users/ann/deliveries/live?include=event&after=0")
    assert sent.data["content"]["attributes"] == {"genre": "drama", "year": 2001}


def test_an_administrator_hears_all(served: tuple[str, Service]) -> None:
    address, service = served
    publish(service, 1, 1)
    wait_for(service, "bob", 1)
    assert {sent.data["user"] for sent in take(address, 2, "0", "/v1/deliveries/live")} == {"ann", "bob"}


def test_a_stop_ends_live_feeds_at_once(tmp_path: Path) -> None:
    ended: list[float] = []
    with listening(ServiceSettings(str(tmp_path / "store.db"), port=0, dev=True, page=False)) as (address, service):

        def listen() -> None:
            with httpx.stream("GET", f"{address}/v1/users/ann/deliveries/live", timeout=30) as stream:
                list(read(stream))
            ended.append(time.monotonic())

        thread = threading.Thread(target=listen)
        thread.start()
        while not service.feeds.listeners:
            time.sleep(0.01)
        stopped = time.monotonic()
    thread.join(10)
    assert ended[0] - stopped < 3


def test_a_revoked_token_ends_its_feeds(tmp_path: Path) -> None:
    from rankcast.service.access import Role

    settings = ServiceSettings(str(tmp_path / "store.db"), port=0, page=False)
    with listening(settings) as (address, service):
        token, kept = service.access.create(Role.USER, "ann")
        headers = {"Authorization": f"Bearer {token}"}
        with httpx.stream("GET", f"{address}/v1/users/ann/deliveries/live", headers=headers, timeout=10) as stream:
            lines = stream.iter_lines()
            next(lines)
            service.access.revoke(kept.id)
            revoked = time.monotonic()
            assert not [line for line in lines if line.startswith(":")], "a heartbeat"
            assert time.monotonic() - revoked < 4, "it ends within 2 s on a machine that is not busy"
        assert httpx.get(f"{address}/v1/me", headers=headers).status_code == 401
