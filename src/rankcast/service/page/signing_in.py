"""Signing in with a token: a plain form, and a cookie that scripts cannot read. Other sites are refused."""

import asyncio
from hmac import compare_digest
from html import escape
from secrets import token_urlsafe
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import FastAPI, Request
from starlette.datastructures import Headers
from starlette.requests import HTTPConnection
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rankcast.service.page.visitors import SESSION_COOKIE, USER_COOKIE

if TYPE_CHECKING:
    from rankcast.service.service import Service
    from rankcast.service.settings import ServiceSettings


def is_from_here(headers: Headers, settings: "ServiceSettings") -> bool:
    """Whether the request's origin, if the browser sends one, is this service.

    This service is the address that the request names (`Host`), or the public address. Browsers always send the
    origin of websockets and of forms from other sites. A program may omit it, but does not have the cookie of a
    user's browser.
    """
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none"):
        return False
    origin = headers.get("origin")
    if origin is None:
        return True
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    if origin == settings.address:
        return True
    return parts.scheme in ("http", "https") and bool(parts.netloc) and parts.netloc == headers.get("host")


SIGNING = ("/sign-in", "/sign-out")
"""The paths of the forms. They cost as much as a page; `PageGuard` counts them."""

_NONCE_COOKIE = "rankcast_form"
_FORM_LASTS = 3600


def add_signing_in(app: FastAPI, service: "Service") -> None:
    """Add the routes for signing in and out.

    The form contains a random text that the browser also has in a cookie, so that no other site can sign anybody in.
    Requests that a browser marks as coming from another site are refused.
    """
    secure = service.settings.is_secure

    def form(to: str, wrong: bool = False) -> Response:
        nonce = token_urlsafe(16)
        answer = HTMLResponse(_form(to, nonce, wrong), status_code=401 if wrong else 200)
        answer.set_cookie(
            _NONCE_COOKIE, nonce, max_age=_FORM_LASTS, path="/sign-in", httponly=True, samesite="strict", secure=secure
        )
        return answer

    @app.get("/sign-in", include_in_schema=False)
    async def ask(to: str = "/") -> Response:
        return form(to)

    @app.post("/sign-in", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        given = await request.form(max_fields=4, max_files=0)
        token, to, nonce = (str(given.get(name, "")).strip() for name in ("token", "to", "nonce"))
        expected = request.cookies.get(_NONCE_COOKIE, "")
        if not is_from_here(request.headers, service.settings) or not (
            expected and compare_digest(nonce.encode(), expected.encode())
        ):
            return HTMLResponse(plain_page("Sign in again", _FOREIGN), status_code=403)
        secret = await asyncio.to_thread(service.sessions.open, token)
        if secret is None:
            return form(to, wrong=True)
        answer = RedirectResponse(_here(to), status_code=303)
        lasts = int(service.settings.session_length.total_seconds())
        answer.set_cookie(SESSION_COOKIE, secret, max_age=lasts, httponly=True, samesite="lax", secure=secure)
        answer.delete_cookie(_NONCE_COOKIE, path="/sign-in")
        return answer

    @app.post("/sign-out", include_in_schema=False)
    async def sign_out(request: Request) -> Response:
        if not is_from_here(request.headers, service.settings):
            return HTMLResponse(plain_page("Not signed out", _FOREIGN), status_code=403)
        given = await request.form(max_fields=4, max_files=0)
        secret = request.cookies.get(SESSION_COOKIE, "")
        session = await service.sessions.admit(secret)
        if session is not None and given.get("everywhere"):
            await asyncio.to_thread(service.sessions.end_of, session.principal)
        elif session is not None:
            await asyncio.to_thread(service.sessions.end, secret)
        answer = RedirectResponse("/sign-in", status_code=303)
        answer.delete_cookie(SESSION_COOKIE)
        answer.delete_cookie(USER_COOKIE)
        return answer


def address_of(request: HTTPConnection) -> str:
    """The network address under which the rate of a visitor without a session is counted."""
    return f"address {request.client.host if request.client else ''}"


def too_often(wait: float) -> Response:
    """The response to a visitor who exceeds the rate limit."""
    seconds = max(1, round(wait))
    text = f"<p>Try again in {seconds} seconds.</p>"
    return HTMLResponse(plain_page("Too many requests", text), 429, {"Retry-After": str(seconds)})


def _here(to: str) -> str:
    """The requested address if it belongs to this site, otherwise the start page."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"


def _form(to: str, nonce: str, wrong: bool = False) -> str:
    complaint = '<p class="rc-note rc-bad" role="alert">This is no token of a user or an administrator, or it was revoked or has expired.</p>'
    form = f"""<form class="rc-column" method="post" action="/sign-in">
<p class="rc-soft">With the token that <code>rankcast token create</code> printed, or that you were given.</p>
{complaint if wrong else ""}
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<input type="hidden" name="to" value="{escape(to)}">
<input type="hidden" name="nonce" value="{nonce}">
<button type="submit">Sign in</button>
</form>"""
    return plain_page("Sign in to Rankcast", form)


_FOREIGN = '<p>This came from another site, or the form was too old.</p><p><a class="rc-link" href="/sign-in">To the form</a></p>'


def plain_page(title: str, content: str) -> str:
    """A page without the frame. `content` must be safe HTML."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · Rankcast</title><link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/theme.css"><script src="/assets/theme.js"></script></head>
<body><main class="rc-sign-in"><div class="rc-card rc-column">
<img src="/assets/icon.svg" width="40" height="40" alt=""><h1>{escape(title)}</h1>
{content}
</div></main></body></html>
"""
