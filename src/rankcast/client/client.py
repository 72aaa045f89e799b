"""The blocking and the asynchronous client."""

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from typing import NamedTuple, TypeVar
from urllib.parse import quote

import httpx
import msgspec

from rankcast.client.answers import ReceivedDelivery, ServiceError
from rankcast.client.calls import USER, Call, ServiceCalls, path_of_user
from rankcast.client.sending import LiveStream, Missing, checked, is_passing, pause
from rankcast.plain import JsonObject

_T = TypeVar("_T")
_PAGE = 200
_TRIES = 5
"""How often an idempotent request is sent at most."""
_LIVE = httpx.Timeout(30.0, read=60.0)
"""A live stream counts as disconnected after 60 seconds without a heartbeat."""


class _Request(NamedTuple):
    """What httpx sends."""

    method: str
    url: str
    params: httpx.QueryParams | None
    content: bytes | None
    headers: dict[str, str]


class _Session:
    """What both clients know: the service, the token, and for whom they act."""

    def __init__(self, address: str, token: str | None, user: str | None) -> None:
        self.address = address.rstrip("/")
        self.headers = {"Authorization": f"Bearer {token}"} if token else {}
        self.user = user

    def owned_by(self, told: JsonObject) -> str:
        """Act for the owner of the token from now on."""
        if told["name"] is None:
            detail = "an administrator's client needs a user; create it with user=NAME"
            raise ServiceError(0, {"type": "user", "detail": detail})
        self.user = str(told["name"])
        return self.user

    def url(self, path: str) -> str:
        return self.address + path.replace(USER, quote(self.user or "", safe=""))

    def request(self, call: Call[_T]) -> _Request:
        headers = {**self.headers, **(call.headers or {})}
        content = None if call.json is None else msgspec.json.encode(call.json)
        if content is not None:
            headers["Content-Type"] = "application/json"
        params = None if call.params is None else httpx.QueryParams(call.params)
        return _Request(call.method, self.url(call.path), params, content, headers)

    def live_request(self, last: str | None, with_events: bool) -> _Request:
        headers = self.headers if last is None else {**self.headers, "Last-Event-ID": last}
        params = httpx.QueryParams({"include": "event"} if with_events else {})
        return _Request("GET", self.url(path_of_user("deliveries", "live")), params, None, headers)

    def pause_after(self, error: Exception, failures: int, call: Call[_T]) -> float:
        """The seconds to wait before the call is sent again; raises what the caller must know instead."""
        if failures < _TRIES and call.again and is_passing(error):
            return pause(failures)
        if isinstance(error, httpx.TransportError):
            detail = f"nobody answers at {self.address}: {error}"
            raise ServiceError(0, {"type": "unreachable", "detail": detail}) from None
        raise error


class Client(ServiceCalls):
    """A client of a service for one user, publisher or administrator. `ServiceCalls` lists its calls.

    Parameters
    ----------
    address
        Address of the service, such as ``http://127.0.0.1:8765``.
    token
        The token that `rankcast token create` printed. A development service (`--dev`) needs none.
    user
        The user to act for; by default the owner of the token.
    http
        The httpx client that sends the requests; by default one with httpx's default settings.

    If the connection fails, idempotent requests are sent up to five times. `publish` is one of them, because it
    generates an idempotency key. If the service refuses a request, the method raises `ServiceError`.
    """

    def __init__(
        self, address: str, token: str | None = None, *, user: str | None = None, http: httpx.Client | None = None
    ) -> None:
        self._session = _Session(address, token, user)
        self._http = http or httpx.Client(timeout=30.0)

    def close(self) -> None:
        """Close all connections."""
        self._http.close()

    def __enter__(self) -> "Client":
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def user(self) -> str:
        """The user for whom this client acts."""
        return self._session.user or self._session.owned_by(self.who_am_i())

    def deliveries(
        self, limit: int | None = None, *, newest_first: bool = False, after: int = 0, with_events: bool = False
    ) -> Iterator[ReceivedDelivery]:
        """Past deliveries, at most `limit`; pages are fetched as you iterate."""
        cursor, left = str(after) if after else None, limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(_PAGE, left)
            page = self.delivery_page(size, cursor, newest_first=newest_first, with_events=with_events)
            yield from page.deliveries
            if page.next is None:
                return
            cursor, left = page.next, None if left is None else left - size

    def live(self, after: int | None = None, *, with_events: bool = False) -> Iterator[ReceivedDelivery]:
        """An endless stream of deliveries, after a delivery number or from now on.

        After a disconnect the stream reconnects and resumes; nothing is lost or repeated. If the service asks for a
        `resync`, the missing deliveries are fetched page by page.
        """
        live = LiveStream(after)
        self.user()
        while True:
            try:
                request = self._session.live_request(live.begin(), with_events)
                with self._http.stream(**request._asdict(), timeout=_LIVE) as stream:
                    if stream.status_code >= 400:
                        stream.read()
                        checked(stream)
                    for line in stream.iter_lines():
                        for found in live.take(line):
                            if isinstance(found, Missing):
                                for received in self.deliveries(after=found.after, with_events=with_events):
                                    if not live.missed(received, found):
                                        break
                                    yield received
                            else:
                                yield found
            except (httpx.TransportError, ServiceError) as error:
                if not is_passing(error):
                    raise
            time.sleep(live.pause())

    def _send(self, call: Call[_T]) -> _T:
        if USER in call.path:
            self.user()
        request, failures = self._session.request(call), 0
        while True:
            try:
                return call.read(checked(self._http.request(**request._asdict())))
            except (httpx.TransportError, ServiceError) as error:
                failures += 1
                wait = self._session.pause_after(error, failures, call)
            time.sleep(wait)


class AsyncClient(ServiceCalls):
    """An asynchronous client; it takes what `Client` takes. Await its calls, and read streams with ``async for``."""

    def __init__(
        self, address: str, token: str | None = None, *, user: str | None = None, http: httpx.AsyncClient | None = None
    ) -> None:
        self._session = _Session(address, token, user)
        self._http = http or httpx.AsyncClient(timeout=30.0)

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def user(self) -> str:
        """The user for whom this client acts."""
        return self._session.user or self._session.owned_by(await self.who_am_i())

    async def deliveries(
        self, limit: int | None = None, *, newest_first: bool = False, after: int = 0, with_events: bool = False
    ) -> AsyncIterator[ReceivedDelivery]:
        """Past deliveries, at most `limit`; pages are fetched as you iterate."""
        cursor, left = str(after) if after else None, limit
        while left is None or left > 0:
            size = _PAGE if left is None else min(_PAGE, left)
            page = await self.delivery_page(size, cursor, newest_first=newest_first, with_events=with_events)
            for received in page.deliveries:
                yield received
            if page.next is None:
                return
            cursor, left = page.next, None if left is None else left - size

    async def live(self, after: int | None = None, *, with_events: bool = False) -> AsyncIterator[ReceivedDelivery]:
        """An endless stream of deliveries, after a delivery number or from now on, as that of `Client.live`."""
        live = LiveStream(after)
        await self.user()
        while True:
            try:
                request = self._session.live_request(live.begin(), with_events)
                async with self._http.stream(**request._asdict(), timeout=_LIVE) as stream:
                    if stream.status_code >= 400:
                        await stream.aread()
                        checked(stream)
                    async for line in stream.aiter_lines():
                        for found in live.take(line):
                            if isinstance(found, Missing):
                                async for received in self.deliveries(after=found.after, with_events=with_events):
                                    if not live.missed(received, found):
                                        break
                                    yield received
                            else:
                                yield found
            except (httpx.TransportError, ServiceError) as error:
                if not is_passing(error):
                    raise
            await asyncio.sleep(live.pause())

    async def _send(self, call: Call[_T]) -> _T:
        if USER in call.path:
            await self.user()
        request, failures = self._session.request(call), 0
        while True:
            try:
                return call.read(checked(await self._http.request(**request._asdict())))
            except (httpx.TransportError, ServiceError) as error:
                failures += 1
                wait = self._session.pause_after(error, failures, call)
            await asyncio.sleep(wait)
