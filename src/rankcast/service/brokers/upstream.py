"""The edge's end of the link to its upstream: one stream down, requests up, and a new try after each failure."""

import logging
from contextlib import suppress
from socket import SHUT_RDWR, socket
from threading import Event as Flag
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING

import httpx
import msgspec

from rankcast.errors import EnvironmentProblem, ModelError, RankcastError
from rankcast.service.brokers.link import Link
from rankcast.service.brokers.messages import Acknowledged, BrokerMessages, BrokerName, Message, Welcome, decode_message

if TYPE_CHECKING:
    from rankcast.service.brokers.node import BrokerNode

_log = logging.getLogger("rankcast.service.brokers")
_FIRST_PAUSE, _LONGEST_PAUSE = 0.1, 5.0
_PATIENCE = 15.0
"""Seconds without a sign of life after which the upstream counts as gone. It sends one each second."""
_LOOK = 0.25
_TOGETHER = 900 * 1024
"""Bytes of messages in one request, unless a single message is larger."""
_TOO_MANY = 429


class UpstreamConnection:
    """Keeps the link to the upstream alive, in two threads. `error` says what is wrong; None while connected."""

    def __init__(self, node: "BrokerNode", url: str, token: str | None) -> None:
        self.error: str | None = "not connected yet"
        self._node = node
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        self._client = httpx.Client(base_url=url.rstrip("/"), headers=headers, timeout=_PATIENCE)
        self._stopping = Flag()
        self._reading: socket | None = None
        self._thread = Thread(target=self._run, name="rankcast-upstream", daemon=True)

    def start(self) -> None:
        """Start to connect."""
        self._thread.start()

    def stop(self) -> None:
        """End the session and the threads."""
        self._stopping.set()
        reading = self._reading
        if reading is not None:
            with suppress(OSError):  # it has ended already
                reading.shutdown(SHUT_RDWR)  # else the thread would wait for the next sign of life
        self._thread.join(_PATIENCE)
        self._client.close()

    def _run(self) -> None:
        pause = _FIRST_PAUSE
        while not self._stopping.is_set():
            begun = monotonic()
            try:
                self._connect()
                said = "the upstream ended the connection"
            except (httpx.HTTPError, RankcastError) as error:
                said = str(error) or type(error).__name__
            except Exception as error:  # the thread must survive whatever the upstream sends
                said = f"{type(error).__name__}: {error}"
                _log.exception("a mistake in the link to the upstream")
            if said != self.error and not self._stopping.is_set():
                _log.warning("no connection to the upstream: %s", said)
            self.error = said
            pause = _FIRST_PAUSE if monotonic() - begun > _PATIENCE else min(2 * pause, _LONGEST_PAUSE)
            self._stopping.wait(pause)

    def _connect(self) -> None:
        """One session, until it ends."""
        if self._node.me is None:
            name = msgspec.convert(self._ask("GET", "/v1/brokers/self"), BrokerName).name
            if name is None:
                raise ModelError("the token does not say which broker this is; name it with --broker-name")
            self._node.ensure(name)
        hello = msgspec.json.encode(self._node.introductions.hello())
        answer = self._ask("POST", "/v1/brokers/sessions", hello)
        welcome = msgspec.convert(answer, Welcome)
        self._node.ensure(welcome.broker)
        link = self._node.introductions.joined(welcome)
        self._node.wake()
        sending = _Sending(self._client, link, welcome.session, self._stopping)
        sending.start()
        try:
            self._read(link, welcome, sending)
        finally:
            link.close(welcome.session)
            sending.stop()
        if sending.error is not None:
            raise EnvironmentProblem(sending.error)

    def _read(self, link: Link, welcome: Welcome, sending: "_Sending") -> None:
        with self._client.stream("GET", f"/v1/brokers/sessions/{welcome.session}/stream") as response:
            if response.status_code != 200:
                response.read()
                raise EnvironmentProblem(_detail(response))
            self.error = None
            self._reading = response.extensions["network_stream"].get_extra_info("socket")
            for line in response.iter_lines():
                if self._stopping.is_set() or sending.error is not None:
                    return
                if line:
                    link.inbox.receive(decode_message(line), welcome.session)
                    link.wake()

    def _ask(self, method: str, path: str, content: bytes | None = None) -> dict[str, object]:
        response = self._client.request(method, path, content=content)
        if response.is_error:
            raise EnvironmentProblem(_detail(response))
        found = response.json()
        if not isinstance(found, dict):
            raise EnvironmentProblem(f"the upstream answered {path} with something else than an object")
        return found


class _Sending:
    """Sends the messages of one session to the upstream, one request after the other."""

    def __init__(self, client: httpx.Client, link: Link, session: str, stopping: Flag) -> None:
        self.error: str | None = None
        self._client = client
        self._link = link
        self._session = session
        self._stopping = stopping
        self._ended = Flag()
        self._woken = Flag()
        self._thread = Thread(target=self._run, name="rankcast-upstream-sending", daemon=True)

    def start(self) -> None:
        self._link.wake = self._woken.set
        self._thread.start()

    def stop(self) -> None:
        self._ended.set()
        self._woken.set()
        self._thread.join()

    def _run(self) -> None:
        try:
            while not self._ended.is_set() and not self._stopping.is_set():
                self._woken.clear()
                messages = self._link.outbox.outgoing(self._session)
                for some in _portions(messages):
                    self._send(some)
                if not messages:
                    self._woken.wait(_LOOK)
        except (httpx.HTTPError, RankcastError) as error:
            self.error = str(error) or type(error).__name__
        except Exception as error:
            self.error = f"{type(error).__name__}: {error}"
            _log.exception("a mistake in the link to the upstream")

    def _send(self, messages: list[Message]) -> None:
        content = msgspec.json.encode(BrokerMessages(messages))
        while not self._ended.is_set() and not self._stopping.is_set():
            response = self._client.post(f"/v1/brokers/sessions/{self._session}/messages", content=content)
            if response.status_code != _TOO_MANY:
                break
            self._ended.wait(_wait_of(response))
        else:
            return
        if response.is_error:
            raise EnvironmentProblem(_detail(response))
        self._link.outbox.acknowledge(msgspec.json.decode(response.content, type=Acknowledged))


def _portions(messages: list[Message]) -> list[list[Message]]:
    portions: list[list[Message]] = []
    size = _TOGETHER
    for message in messages:
        length = len(msgspec.json.encode(message))
        if size + length > _TOGETHER:
            portions.append([])
            size = 0
        portions[-1].append(message)
        size += length
    return portions


def _wait_of(response: httpx.Response) -> float:
    """The seconds after which the upstream takes more."""
    said = response.headers.get("Retry-After", "")
    return min(float(said), _LONGEST_PAUSE) if said.isdigit() else 1.0


def _detail(response: httpx.Response) -> str:
    try:
        said = response.json()["detail"]
    except (ValueError, KeyError, TypeError):
        said = response.text[:200]
    return f"the upstream refused: {said} ({response.status_code})"
