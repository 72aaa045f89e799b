"""Users who get what is published, and a real receiver of webhooks on loopback."""

import asyncio
import socket
import socketserver
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from rankcast.language import decode_record
from rankcast.model import Event
from rankcast.pipeline.local import serve_pending
from rankcast.service.push.webhooks import Webhooks
from rankcast.store import Store


@pytest.fixture
def store(store) -> Store:
    """A store in which ann and bob want everything."""
    for user in ("ann", "bob"):
        store.change(put=[decode_record({"kind": "subscription", "id": f"{user}-all", "user": user, "where": "true"})])
    return store


@pytest.fixture
def publish(store, clock) -> Callable[..., None]:
    """Publish events, all of which are delivered to ann and to bob."""
    count = 0

    def published(number: int = 1, **attributes: Any) -> None:
        nonlocal count
        names = [f"e{count + one + 1}" for one in range(number)]
        count += number
        values = {name: (value,) for name, value in (attributes or {"genre": "drama"}).items()}
        store.publish([Event(name, clock(), values) for name in names])
        list(serve_pending(store))

    return published


@pytest.fixture
def webhooks(served) -> Webhooks:
    return Webhooks(served)


@pytest.fixture
def run(served) -> Callable[..., None]:
    """Send all that may be sent by the clock, as one who knows only the store: as after a restart."""
    return lambda timeout=30.0: asyncio.run(Webhooks(served, timeout=timeout).round())


@dataclass
class Request:
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def data(self) -> Any:
        return msgspec.json.decode(self.body)["data"]


Behave = Callable[[socket.socket, "Receiver"], None]


@dataclass
class Receiver:
    """Answers requests by what was scripted, in order, and with 204 after that."""

    port: int = 0
    script: deque[Behave] = field(default_factory=deque)
    requests: list[Request] = field(default_factory=list)
    released: threading.Event = field(default_factory=threading.Event)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/hook?key=1"

    @property
    def events(self) -> list[str]:
        return [request.data["event"] for request in self.requests]


def answer(status: int, *headers: str, body: bytes = b"") -> Behave:
    lines = [f"HTTP/1.1 {status} Whatever", *headers, f"Content-Length: {len(body)}", "", ""]
    return lambda connection, receiver: connection.sendall("\r\n".join(lines).encode() + body)


def hang(connection: socket.socket, receiver: Receiver) -> None:
    receiver.released.wait(30)


def answer_late(connection: socket.socket, receiver: Receiver) -> None:
    receiver.released.wait(30)
    answer(200)(connection, receiver)


def drip_headers(connection: socket.socket, receiver: Receiver) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\n")
    while not receiver.released.wait(0.05):
        connection.sendall(b"X-Drip: 1\r\n")


def hang_up(connection: socket.socket, receiver: Receiver) -> None:
    connection.close()


def speak_nonsense(connection: socket.socket, receiver: Receiver) -> None:
    connection.sendall(b"220 mail.example.org ESMTP\r\n")


def endless_body(connection: socket.socket, receiver: Receiver) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n")
    while not receiver.released.is_set():
        connection.sendall(b"10000\r\n" + b"x" * 0x10000 + b"\r\n")


def truncated_body(connection: socket.socket, receiver: Receiver) -> None:
    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf of i")


@pytest.fixture
def behaviours() -> SimpleNamespace:
    return SimpleNamespace(**{name: value for name, value in globals().items() if callable(value)})


@pytest.fixture
def receiver() -> Iterator[Receiver]:
    yield from _receiving()


@pytest.fixture
def other_receiver() -> Iterator[Receiver]:
    yield from _receiving()


def _receiving() -> Iterator[Receiver]:
    received = Receiver()

    class Handler(socketserver.StreamRequestHandler):
        def handle(self) -> None:
            first = self.rfile.readline().decode().split()
            if not first:
                return  # the sender has hung up
            path = first[1]
            headers: dict[str, str] = {}
            while (line := self.rfile.readline().decode().strip()) != "":
                name, _, value = line.partition(":")
                headers[name.lower()] = value.strip()
            length = int(headers.get("content-length", 0))
            body = self.rfile.read(length)
            if len(body) < length:
                return  # the sender was killed in the middle: no request has arrived
            received.requests.append(Request(path, headers, body))
            behave = received.script.popleft() if received.script else answer(204)
            with suppress(OSError):  # the sender has hung up
                behave(self.connection, received)

    class Server(socketserver.ThreadingTCPServer):
        allow_reuse_address = True
        daemon_threads = True

    with Server(("127.0.0.1", 0), Handler) as server:
        received.port = server.server_address[1]
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)
        thread.start()
        yield received
        received.released.set()
        server.shutdown()
        thread.join()
