"""Mounts the page in the application of the service."""

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING

from fastapi import FastAPI
from nicegui import app as nicegui_app
from nicegui import ui
from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankcast.model.actors import acting
from rankcast.service.access import actor_of
from rankcast.service.page.guarding import SERVICE, SESSION, PageGuard, guard_socket
from rankcast.service.page.pages import PAGES, PageEntry
from rankcast.service.page.shell import HEAD, frame, go
from rankcast.service.page.signing_in import add_signing_in, plain_page
from rankcast.service.page.visitors import session_of, view_of
from rankcast.service.page.widgets import act, empty, group
from rankcast.service.sessions import Session

if TYPE_CHECKING:
    from rankcast.service.service import Service

_CHECK = 1.0
"""Seconds between the checks of an open page whether its session is still valid."""
_FAREWELL = 0.5
"""Seconds that a browser gets to load the sign-in form before its page is deleted."""


def attach(app: FastAPI, service: "Service") -> None:
    """Mount the page at ``/``, after all routes that the application has so far.

    There is one NiceGUI per process. Each request carries its service, so several applications can be created in one
    process, one after the other.
    """
    app.add_middleware(PageGuard, service=service)
    app.add_middleware(_Headers)
    guard_socket()
    add_signing_in(app, service)
    nicegui_app.add_static_files("/assets", Path(__file__).parent / "assets", max_cache_age=3600)
    nicegui_app.add_exception_handler(404, _missing)
    nicegui_app.on_page_exception(_broken)
    for page in PAGES:
        ui.page(page.path, title=f"{page.title} · Rankcast", response_timeout=15)(_handler(page))
    nicegui_app.user_middleware.clear()
    nicegui_app.middleware_stack = None  # an earlier application may have built it
    ui.run_with(
        app,
        title="Rankcast",
        favicon=Path(__file__).parent / "assets" / "icon.svg",
        dark=None,
        language="en-US",
        binding_refresh_interval=0.5,
        reconnect_timeout=30,
        tailwind=False,
        show_welcome_message=False,
    )


def _handler(page: PageEntry) -> Callable[[Request], Awaitable[Response | None]]:
    async def handler(request: Request) -> Response | None:
        service: Service = request.scope[SERVICE]
        session: Session = request.scope[SESSION]
        view = await asyncio.to_thread(view_of, session, request, service)
        with (
            acting(actor_of(session.principal)),
            frame(view, page, theme=request.cookies.get("rankcast_theme", "")),
        ):
            await page.build(view)
            if not service.settings.dev:
                ui.timer(_CHECK, lambda: _watch(request, service))
        return None

    handler.__name__ = f"page_{page.module}"
    return handler


async def _watch(request: Request, service: "Service") -> None:
    """When the session has ended, send the visitor to the sign-in form and delete the page."""
    if await session_of(request, service) is not None:
        return
    client = ui.context.client
    go("/sign-in")
    await asyncio.sleep(_FAREWELL)
    if not client.is_deleted:
        client.delete()


def _missing(request: Request, error: Exception) -> Response:
    """The page for an unknown address."""
    if request.url.path.startswith(("/_nicegui", "/assets", "/v1")) or "text/html" not in request.headers.get(
        "accept", ""
    ):
        return Response("there is nothing here", 404, media_type="text/plain")
    return HTMLResponse(plain_page("There is no such page", _NO_PAGE), 404)


def _broken(error: Exception) -> None:
    """The page shown after an error, which is in the log."""
    ui.add_head_html(HEAD)
    with group("main", "rc-sign-in"), empty("o_error_outline", "This page could not be shown", _BROKEN):
        act("Try again", ui.navigate.reload, kind="main")
        act("To the feed", lambda: go("/"))


_NO_PAGE = '<p class="rc-soft">The address may be mistyped.</p><p><a class="rc-link" href="/">To the feed</a></p>'
_BROKEN = "This is a bug in Rankcast. The log of the server has the details. None of your data is lost."
_HEADERS = {
    # Vue compiles templates in the browser, which needs eval. The policy still forbids content from other servers and
    # embedding in frames of other sites.
    "Content-Security-Policy": "default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:; frame-ancestors 'none'; "
    "form-action 'self'; base-uri 'self'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
}


class _Headers:
    """Adds security headers to HTML responses."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and add the headers to the response."""

        async def answer(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                if headers.get("content-type", "").startswith("text/html"):
                    headers.update(_HEADERS)
            await send(message)

        await self._app(scope, receive, answer)
