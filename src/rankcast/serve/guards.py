"""What every request passes first: size, and who may talk to a service without tokens."""

from collections.abc import Sequence
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankcast.serve.problems import Problem, answer_of
from rankcast.serve.settings import LOOPBACK

__all__ = ["BodyLimit", "OwnMachineOnly"]


class BodyLimit:
    """Refuses bodies that are too large, also those that do not say so beforehand."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        said = next((value for name, value in scope["headers"] if name == b"content-length"), b"0")
        if not said.isdigit() or int(said) > self._most:
            await answer_of(self._too_large())(scope, receive, send)
            return
        seen = 0

        async def counted() -> Message:
            nonlocal seen
            message = await receive()
            if message["type"] == "http.request":
                seen += len(message.get("body", b""))
                if seen > self._most:
                    raise self._too_large()
            return message

        await self._app(scope, counted, send)

    def _too_large(self) -> Problem:
        return Problem(413, "limit", f"a body may have {self._most:,} bytes", {"Connection": "close"})


class OwnMachineOnly:
    """Without tokens, a page of another site could ask in the name of the one who looks at it: so such requests are
    refused, by the host that they name and by their origin."""

    def __init__(self, app: ASGIApp, hosts: Sequence[str] = LOOPBACK) -> None:
        self._app = app
        self._hosts = hosts

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or refuse it."""
        if scope["type"] in ("http", "websocket"):
            headers = Headers(scope=scope)
            host, origin = headers.get("host", ""), headers.get("origin")
            if not self._is_own(f"//{host}") or (origin is not None and not self._is_own(origin)):
                if scope["type"] == "websocket":
                    await send({"type": "websocket.close", "code": 1008})
                    return
                detail = f"a service without tokens (--dev) answers only as {', '.join(self._hosts)}, to its own pages"
                await answer_of(Problem(403, "own-machine-only", detail))(scope, receive, send)
                return
        await self._app(scope, receive, send)

    def _is_own(self, address: str) -> bool:
        try:
            return (urlsplit(address).hostname or "") in self._hosts
        except ValueError:
            return False
