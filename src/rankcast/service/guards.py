"""What every request passes first: body size, cross-site access to a service without tokens, refusals, and HSTS."""

import asyncio
from urllib.parse import SplitResult, urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankcast.service.in_flight import BytesInFlight
from rankcast.service.problems import Problem, answer_of
from rankcast.service.settings import EDGE_SESSIONS, LOOPBACK, PUBLISHING, Limits, ServiceSettings

_PATIENCE = 10.0
"""Seconds that a body waits for memory that other bodies occupy."""
_HELD = 0.25
_MOST_HELD = 1_000


class BodyLimit:
    """Refuses bodies that are too large, even without a declared length, and bodies that arrive too slowly.

    Also refuses bodies while all bodies together fill the memory reserved for them.
    """

    def __init__(self, app: ASGIApp, limits: Limits) -> None:
        self._app = app
        self._limits = limits
        self._in_flight = BytesInFlight(limits.in_flight, max(limits.body, limits.in_flight // 4))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        has_events = scope["path"] == PUBLISHING or scope["path"].startswith(EDGE_SESSIONS)
        most = self._limits.body if has_events else self._limits.record
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not said.isdigit() or int(said) > most:
            await answer_of(_too_large(most))(scope, receive, send)
            return
        sender, declared = _sender(scope), int(said)
        deadline = asyncio.get_running_loop().time() + self._limits.arrival
        seen = taken = 0
        is_whole = False

        async def counted() -> Message:
            nonlocal seen, taken, is_whole
            if is_whole:
                return await receive()
            if declared > taken:
                # Reserve the whole length at once: two requests that wait for each other's halves would wait forever.
                if not await self._in_flight.take(sender, declared, _PATIENCE):
                    raise _busy()
                taken = declared
            try:
                async with asyncio.timeout_at(deadline):
                    message = await receive()
            except TimeoutError:
                slow = f"the body did not arrive within {self._limits.arrival:g} seconds"
                raise Problem(408, "slow", slow, {"Connection": "close"}) from None
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > most:
                    raise _too_large(most)
                if seen > taken:
                    if not await self._in_flight.take(sender, seen - taken):
                        raise _busy()
                    taken = seen
            is_whole = not message.get("more_body", False)
            return message

        try:
            await self._app(scope, counted, send)
        finally:
            if taken:
                self._in_flight.give_back(sender, taken)


def _sender(scope: Scope) -> str:
    """The sender whose share of the memory a body uses: the token, or else the network address."""
    token = next((value for name, value in scope["headers"] if name == b"authorization"), None)
    if token is not None:
        return str(hash(token))
    return str(scope["client"][0]) if scope.get("client") else ""


def _busy() -> Problem:
    detail = "the requests that are being worked on take all the memory there is for them; try again in a second"
    return Problem(503, "busy", detail, {"Retry-After": "1", "Connection": "close"})


def _too_large(most: int) -> Problem:
    return Problem(413, "limit", f"a body may have {most:,} bytes", {"Connection": "close"})


class OwnMachineOnly:
    """Protects a service without tokens from cross-site requests of pages in the user's browser.

    The request must name this machine as its host, and its origin, if present, must be the service itself. Another
    port of this machine is another origin, because another program may serve a page there.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings) -> None:
        self._app = app
        own = urlsplit(settings.address)
        self._origins = {(own.scheme, own.hostname, _port(own))}
        self._origins |= {(settings.scheme, host, settings.port) for host in LOOPBACK}
        self._address = settings.address

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if not _is_of_this_machine(host) or (origin is not None and not self._is_own(origin)):
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                    return
                detail = (
                    f"a service without tokens (--dev) answers only as {', '.join(LOOPBACK)}, "
                    f"and only to its own pages, at {self._address}"
                )
                await answer_of(Problem(403, "own-machine-only", detail))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_own(self, origin: str) -> bool:
        try:
            parts = urlsplit(origin)
            return (parts.scheme, parts.hostname, _port(parts)) in self._origins
        except ValueError:
            return False


class SlowRefusals:
    """Holds the refusals of requests that came too early (429, or 503 with `Retry-After`) for a quarter of a second.

    Whoever asks again at once would otherwise keep the service busy with refusing. At most 1,000 are held at a time.
    """

    def __init__(self, app: ASGIApp) -> None:
        self._app = app
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and hold its answer if it is such a refusal."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start" and message["status"] in (429, 503):
                is_early = any(name.lower() == b"retry-after" for name, _ in message["headers"])
                if is_early and self._held < _MOST_HELD:
                    self._held += 1
                    try:
                        await asyncio.sleep(_HELD)
                    finally:
                        self._held -= 1
            await send(message)

        await self._app(scope, receive, answer)


class StrictTransport:
    """Tells browsers to use only HTTPS (HSTS). Not for `localhost`, which all local programs share."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the header to the answer."""
        if scope["type"] != "http" or _is_of_this_machine(Headers(scope=scope).get("host", "")):
            await self._app(scope, receive, send)
            return

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message)["Strict-Transport-Security"] = "max-age=31536000"
            await send(message)

        await self._app(scope, receive, answer)


def _is_of_this_machine(host: str) -> bool:
    try:
        return urlsplit(f"//{host}").hostname in LOOPBACK
    except ValueError:
        return False


def _port(parts: SplitResult) -> int | None:
    return parts.port if parts.port is not None else {"http": 80, "https": 443}.get(parts.scheme)
