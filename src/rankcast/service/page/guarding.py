"""Access control of the page and its socket, and rate limits: checked before NiceGUI and at every socket event."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from nicegui import Client, core
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rankcast.model.actors import acting
from rankcast.plain import JsonObject
from rankcast.service.access import actor_of
from rankcast.service.page.pages import PAGES
from rankcast.service.page.signing_in import SIGNING, address_of, is_from_here, plain_page, too_often
from rankcast.service.page.visitors import session_of
from rankcast.service.sessions import Session

if TYPE_CHECKING:
    from rankcast.service.service import Service

SERVICE = "rankcast.service"
SESSION = "rankcast.session"
_SOCKET = "/_nicegui_ws"
_EVENTS = ("handshake", "event", "javascript_response", "ack", "log")


class PageGuard:
    """Admits only requests that are signed in, come from a page of this service, and respect the rate limit.

    Other visitors are sent to the sign-in form before NiceGUI builds a page, because each page occupies memory for a
    minute. Whoever asks too often is refused before anything else is done: for pages and the sign-in form by the rate
    of pages, for files and unknown addresses by the rate of requests to the API.
    """

    def __init__(self, app: ASGIApp, service: "Service") -> None:
        self._app = app
        self._service = service
        self._paths = {page.path for page in PAGES}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with its session, or refuse it."""
        if scope["type"] not in ("http", "websocket"):
            await self._app(scope, receive, send)
            return
        scope[SERVICE] = self._service
        path: str = scope["path"]
        if path.startswith(_SOCKET):
            await self._guard_socket(scope, receive, send)
        elif scope["type"] == "http" and path in self._paths:
            await self._guard_page(scope, receive, send)
        elif scope["type"] == "http" and not path.startswith("/v1/"):
            address = address_of(HTTPConnection(scope))
            wait = (self._service.page_rates if path in SIGNING else self._service.rates).take(address)
            await (too_often(wait) if wait else self._app)(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    async def _guard_page(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = await session_of(HTTPConnection(scope), self._service)
        wait = self._service.page_rates.take(
            f"session {session.id}" if session else address_of(HTTPConnection({**scope, "type": "http"}))
        )
        if wait:
            await too_often(wait)(scope, receive, send)
            return
        if session is None:
            await RedirectResponse(f"/sign-in?to={scope['path']}", status_code=303)(scope, receive, send)
            return
        most = self._service.settings.limits.open_pages
        if not self._service.settings.dev and sum(owns_page(session, client) for client in _clients()) >= most:
            said = f"<p>You have {most} pages open. Close some, and try again in a minute.</p>"
            await HTMLResponse(plain_page("Too many pages", said), 429, {"Retry-After": "60"})(scope, receive, send)
            return
        scope[SESSION] = session
        await self._app(scope, receive, send)

    async def _guard_socket(self, scope: Scope, receive: Receive, send: Send) -> None:
        session = None
        if is_from_here(Headers(scope=scope), self._service.settings):
            session = await session_of(HTTPConnection(scope), self._service)
        if session is not None:
            scope[SESSION] = session
            await self._app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008})
        else:
            await HTMLResponse(plain_page("Sign in first", ""), 403)(scope, receive, send)


def owns_page(session: Session, client: Client) -> bool:
    """Whether an open page belongs to this session."""
    owner: Session | None = client.request.scope.get(SESSION) if client._request is not None else None
    return owner is not None and owner.id == session.id


def _clients() -> list[Client]:
    return list(Client.instances.values())


def guard_socket() -> None:
    """Check at every socket message that the session is still valid, owns the page, and does not send too many.

    NiceGUI itself accepts events for any page from any socket, as long as the socket is open.
    """
    handlers = core.sio.handlers["/"]
    for name in _EVENTS:
        if not hasattr(handlers[name], "is_guarded"):
            handlers[name] = _guarded(handlers[name])
    if not hasattr(handlers["connect"], "is_guarded"):
        handlers["connect"] = _guarded_connect(handlers["connect"])


def _guarded(handler: Callable[..., object]) -> Callable[[str, object], Awaitable[object]]:
    async def guarded(sid: str, message: object = None) -> object:
        environ = core.sio.get_environ(sid)
        scope: Scope = environ["asgi.scope"] if environ else {}
        session = None
        if isinstance(message, dict) and not _is_too_often(scope):
            session = await _owner_of(scope, message.get("client_id"))
        if session is None:
            await core.sio.disconnect(sid)
            return False
        with acting(actor_of(session.principal)):
            done = handler(sid, message)
            return await done if asyncio.iscoroutine(done) else done

    guarded.is_guarded = True  # type: ignore[attr-defined]  # so that a second application does not wrap it again
    return guarded


def _guarded_connect(handler: Callable[..., Awaitable[object]]) -> Callable[..., Awaitable[object]]:
    async def connect(sid: str, environ: JsonObject, auth: object = None) -> object:
        query = HTTPConnection({**environ["asgi.scope"], "type": "http"}).query_params
        if await _owner_of(environ["asgi.scope"], query.get("client_id")) is None:
            return False
        return await handler(sid, environ, auth)

    connect.is_guarded = True  # type: ignore[attr-defined]
    return connect


def _is_too_often(scope: Scope) -> bool:
    """Whether a session sends more messages than it may."""
    service: Service | None = scope.get(SERVICE)
    session: Session | None = scope.get(SESSION)
    if service is None or session is None or service.settings.dev:
        return False
    return service.message_rates.take(session.id) > 0


async def _owner_of(scope: Scope, client_id: object) -> Session | None:
    """The session of a socket, or None if it has ended or does not own the page."""
    service: Service | None = scope.get(SERVICE)
    if service is None:
        return None
    session = await session_of(HTTPConnection({**scope, "type": "http"}), service)
    if session is None:
        return None
    client = Client.instances.get(client_id) if isinstance(client_id, str) else None
    return session if client is None or owns_page(session, client) else None
