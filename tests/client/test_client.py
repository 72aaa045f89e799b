import asyncio
import random
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from inspect import signature
from itertools import islice
from pathlib import Path
from typing import Any

import pytest
from ports import free_port

from rankcast.client import AsyncClient, Client, ServiceCalls, ServiceError
from rankcast.language import decode_event
from rankcast.model import Concept, Trapezoid
from rankcast.service import Limits, Service, ServiceSettings
from rankcast.service.access import Role
from rankcast.service.running import listening


@pytest.fixture
def served(tmp_path: Path) -> Iterator[tuple[str, Service]]:
    limits = Limits(resume=50)
    settings = ServiceSettings(str(tmp_path / "store.db"), port=0, page=False, poll=0.05, heartbeat=0.2, limits=limits)
    with listening(settings) as found:
        yield found


@pytest.fixture
def tokens(served: tuple[str, Service]) -> dict[str, str]:
    access = served[1].access
    return {
        "ann": access.create(Role.USER, "ann")[0],
        "shop": access.create(Role.PUBLISHER, "shop")[0],
        "root": access.create(Role.ADMINISTRATOR)[0],
    }


def films(first: int, count: int) -> list[dict[str, Any]]:
    return [
        {"id": f"e{number}", "attributes": {"genre": "drama", "year": number}} for number in range(first, first + count)
    ]


def wait_for(service: Service, count: int) -> None:
    for _ in range(1000):
        if service.store.last_delivery() >= count:
            return
        time.sleep(0.01)
    raise AssertionError(f"only {service.store.last_delivery()} deliveries; {service.runner.error}")


def test_names_with_slashes(served: tuple[str, Service]) -> None:
    address, service = served
    with Client(address, service.access.create(Role.USER, "a/b")[0]) as odd:
        first, second = odd.subscribe("genre = 'drama'", "x/y"), odd.subscribe("genre = 'crime'", "/")
        odd.prefer("x/y", over="/")
        assert odd.subscriptions() == [first, second]
        assert [(one.prefer, one.over) for one in odd.preferences()] == [("x/y", "/")]
        concept = Concept("low/mid", "price/night", Trapezoid(0, 0, 5, 9), "a/b")
        assert odd.put_concept(concept) == concept
        service.publish([decode_event({"id": "http://a/1", "time": "2004-01-01", "attributes": {"genre": "drama"}})])
        wait_for(service, 1)
        assert [(one.delivery.user, one.delivery.event) for one in odd.deliveries()] == [("a/b", "http://a/1")]
        assert odd.explain("http://a/1")["sent"] is True


def test_a_publisher_advertises(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, service = served
    with Client(address, tokens["ann"]) as ann:
        ann.subscribe("year > 0", "wide")
        ann.subscribe("year > 2", "narrow")
    with Client(address, tokens["shop"]) as shop, Client(address, tokens["root"]) as root:
        made = shop.advertise("a/1", "year between 0 and 9", 2, rank="relevance-fair")
        assert (made.publisher, made.k, made.rank.value, made.score.value) == ("shop", 2, "relevance-fair", "area")
        assert root.advertise("a2", "true", 1, publisher="press") in root.advertisements()
        assert shop.advertisements() == [made]
        changed = shop.advertise("a/1", "year between 0 and 5", 1)
        assert shop.advertisements() == [changed]
        told = shop.publish(films(4, 3), under="a/1", k=1)
        assert [one.offset for one in told] == [1, 2, None]
        assert "outside the space of advertisement 'a/1'" in (told[-1].reason or "")
        assert "k is 2; advertisement 'a/1' has k 1" in (shop.publish(films(3, 1), under="a/1", k=2)[0].reason or "")
        wait_for(service, 2)
        with Client(address, tokens["ann"]) as ann:
            assert {one.delivery.subscriptions for one in ann.deliveries()} == {("wide",)}
        shop.withdraw("a/1")
        assert shop.advertisements() == []
        with pytest.raises(ServiceError, match="no advertisement"):
            shop.withdraw("a/1")
    assert asyncio.run(_advertised(address, tokens["shop"])) == 1


async def _advertised(address: str, token: str) -> int:
    async with AsyncClient(address, token) as shop:
        made = await shop.advertise("a3", "year > 0", 3, score="weight")
        listed = await shop.advertisements()
        assert listed == [made]
        await shop.publish(films(20, 1), under="a3")
        await shop.withdraw("a3")
        return len(listed)


def test_all_verbs(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, service = served
    with Client(address, tokens["ann"]) as ann, Client(address, tokens["shop"]) as shop:
        assert ann.user() == "ann"
        drama = ann.subscribe("genre = 'drama'", score=0.8)
        old = ann.subscribe("genre = 'drama' and year < 3", "old")
        assert [one.id for one in ann.subscriptions()] == [drama.id, "old"]
        ann.prefer("old", over=drama.id)
        assert [(one.prefer, one.over) for one in ann.preferences()] == [("old", drama.id)]
        assert ann.set_policy(mode="sliding", k=2, length=10) == ann.policy()
        assert ann.put_concept(Concept("recent", "year", Trapezoid(3, 4, 9, 9), "ann")) in ann.concepts()
        acknowledged = shop.publish([*films(1, 4), {"id": "bad"}])
        assert [one.offset for one in acknowledged] == [1, 2, 3, 4, None]
        assert "attributes" in (acknowledged[-1].reason or "")
        wait_for(service, 2)
        got = list(ann.deliveries(with_events=True))
        assert [one.event.attributes["genre"] for one in got if one.event] == [("drama",)] * len(got)
        assert [one.number for one in ann.deliveries(1, newest_first=True)] == [got[-1].number]
        tried = ann.try_expression("year is recent")
        assert (tried.matches, [*(tried.by_thresholds or ())]) == (
            1,
            ["crisp", "optimistic", "indifferent", "pessimistic"],
        )
        assert ann.explain("e1")["sent"] is True
        assert ann.stats()["deliveries"] == len(got)
        assert old.user == "ann"
        ann.set_policy(filter={"novelty": "threshold", "rate": 0.5, "period": 2})
        assert [one["nodes"] for one in ann.team(nodes=2, rounds=2)["teams"]] == [1, 2]
        ann.unsubscribe("old")
        assert [one.id for one in ann.subscriptions()] == [drama.id]


def test_a_bad_expression_is_pointed_at(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    with Client(served[0], tokens["ann"]) as ann, pytest.raises(ServiceError) as raised:
        ann.subscribe("genre = drama")
    assert (raised.value.status, raised.value.kind) == (422, "expression")
    message, line, caret = raised.value.pointed().split("\n")
    assert "single quotes" in message
    assert line[caret.index("^") :] == "drama"


def test_who_may_not_is_told(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, _ = served
    with Client(address, tokens["ann"], user="bob") as other, pytest.raises(ServiceError) as raised:
        other.subscriptions()
    assert raised.value.status == 403
    with Client(address, "rc_000000000000_" + "A" * 43) as nobody, pytest.raises(ServiceError) as raised:
        list(nobody.live(0))
    assert raised.value.status == 401
    with (
        Client(address, tokens["root"]) as root,
        pytest.raises(ServiceError, match="needs a user; create it with user=NAME"),
    ):
        root.subscriptions()


def test_an_administrator_makes_tokens(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    with Client(served[0], tokens["root"]) as root:
        token = root.create_token("user", "bob")
    with Client(served[0], token) as bob:
        assert bob.user() == "bob"


def test_nobody_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rankcast.client.client.time.sleep", lambda seconds: None)
    with Client(f"http://127.0.0.1:{free_port()}") as client, pytest.raises(ServiceError, match="nobody answers at"):
        client.who_am_i()


class Cutter:
    """Stands between client and service, and cuts the connection after a random number of bytes."""

    def __init__(self, port: int, seed: int) -> None:
        self._port = port
        self._chance = random.Random(seed)
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self.cuts = 0
        threading.Thread(target=self._accept, daemon=True).start()

    def close(self) -> None:
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._pass, args=[client], daemon=True).start()

    def _pass(self, client: socket.socket) -> None:
        with client, socket.create_connection(("127.0.0.1", self._port)) as service, suppress(OSError):
            asked = bytearray()

            def there() -> None:
                with suppress(OSError):
                    while data := client.recv(4096):
                        asked.extend(data)
                        service.sendall(data)

            threading.Thread(target=there, daemon=True).start()
            left: int | None = None
            while data := service.recv(512):
                if left is None and b"/live" in asked:
                    left = self._chance.randint(300, 1000)
                client.sendall(data if left is None else data[:left])
                if left is not None:
                    left -= len(data)
                    if left <= 0:
                        self.cuts += 1
                        break
            client.shutdown(socket.SHUT_RDWR)


def test_live_goes_on_over_cuts_in_the_middle_of_anything(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, _ = served
    cutter = Cutter(int(address.rsplit(":", 1)[1]), seed=3)
    with Client(address, tokens["ann"]) as ann, Client(address, tokens["shop"]) as shop:
        ann.subscribe("genre = 'drama'")
        total = 60
        room = threading.Semaphore(10)  # never more on the way: who is far behind reads pages, and is not cut

        def go_on() -> None:
            with Client(address, tokens["shop"]) as busy:
                for first in range(1, total + 1, 5):
                    for _ in range(5):
                        room.acquire()
                    busy.publish(films(first, 5))

        publishing = threading.Thread(target=go_on, daemon=True)
        got = []
        with Client(cutter.address, tokens["ann"]) as listener:
            publishing.start()
            for one in islice(listener.live(0), total):
                got.append(one.delivery.event)
                room.release()
        publishing.join()
        assert got == [f"e{number}" for number in range(1, total + 1)]
        assert cutter.cuts > 20, cutter.cuts
        assert shop.who_am_i()["role"] == "publisher"
    cutter.close()


def test_live_reads_again_what_it_was_away_for_too_long(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, service = served
    with Client(address, tokens["ann"]) as ann, Client(address, tokens["shop"]) as shop:
        ann.subscribe("true")
        shop.publish(films(1, 60))  # the service only goes back 50
        wait_for(service, 60)
        assert [one.number for one in islice(ann.live(5), 55)] == list(range(6, 61))


def test_the_asynchronous_client(served: tuple[str, Service], tokens: dict[str, str]) -> None:
    address, _ = served

    async def scenario() -> None:
        async with AsyncClient(address, tokens["ann"]) as ann, AsyncClient(address, tokens["shop"]) as shop:
            await ann.subscribe("genre = 'drama'", "mine")
            live = ann.live(0, with_events=True)
            await shop.publish([decode_event({**film, "time": "2004-01-01"}) for film in films(1, 3)])
            got = [await anext(live) for _ in range(3)]
            await live.aclose()
            assert [one.event.id for one in got if one.event] == ["e1", "e2", "e3"]
            assert [one.number async for one in ann.deliveries()] == [one.number for one in got]
            assert (await ann.try_expression("genre = 'drama'", show=1)).matches == 3
            with pytest.raises(ServiceError):
                await ann.subscribe("genre =")

    asyncio.run(asyncio.wait_for(scenario(), 30))


def test_both_clients_have_the_declared_calls_and_the_same_verbs() -> None:
    def verbs(of: type) -> set[str]:
        return {name for name in dir(of) if not name.startswith("_")}

    assert verbs(Client) == verbs(AsyncClient)
    with Client("http://127.0.0.1") as client:
        assert list(signature(client.subscribe).parameters) == ["where", "id", "score"]
        assert client.subscribe.__doc__ == ServiceCalls.subscribe.__doc__ == Client.subscribe.__doc__


CALLS = """
from typing import assert_type
from rankcast.client import AsyncClient, Client
from rankcast.model import Subscription

async def calls(client: Client, other: AsyncClient) -> None:
    assert_type(client.subscribe("true"), Subscription)
    assert_type(await other.subscribe("true"), Subscription)
    client.subscribe(where=1)
    other.policy().k
"""


@pytest.mark.slow
def test_both_forms_of_a_call_have_the_types_of_its_declaration(tmp_path: Path) -> None:
    """The first two calls are right; mypy refuses a wrong argument, and an answer that nobody waited for."""
    file = tmp_path / "calls.py"
    file.write_text(CALLS)
    command = [sys.executable, "-m", "mypy", "--no-error-summary", str(file)]
    run = subprocess.run(command, capture_output=True, text=True, timeout=300, cwd=Path(__file__).parents[2])
    found = re.findall(r":(\d+): error: .*\[(\S+)\]$", run.stdout, re.MULTILINE)
    assert found == [("9", "arg-type"), ("10", "attr-defined")], run.stdout + run.stderr
