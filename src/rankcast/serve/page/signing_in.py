"""Signing in by token: a plain form, and a cookie that scripts cannot read."""

from html import escape
from typing import TYPE_CHECKING

from fastapi import FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from rankcast.serve.page.visitors import TOKEN_COOKIE, USER_COOKIE, visitor_with

if TYPE_CHECKING:
    from rankcast.serve.service import Service

__all__ = ["add_signing_in", "plain_page"]

_YEAR = 365 * 24 * 3600


def add_signing_in(app: FastAPI, service: "Service") -> None:
    """The routes by which one signs in and out."""

    @app.get("/sign-in", include_in_schema=False)
    def ask(to: str = "/") -> Response:
        return HTMLResponse(_form(to))

    @app.post("/sign-in", include_in_schema=False)
    async def sign_in(request: Request) -> Response:
        form = await request.form(max_fields=4, max_files=0)
        token, to = str(form.get("token", "")).strip(), str(form.get("to", "/"))
        if visitor_with(token, service) is None:
            return HTMLResponse(_form(to, wrong=True), status_code=401)
        answer = RedirectResponse(_here(to), status_code=303)
        answer.set_cookie(
            TOKEN_COOKIE, token, max_age=_YEAR, httponly=True, samesite="lax", secure=request.url.scheme == "https"
        )
        return answer

    @app.post("/sign-out", include_in_schema=False)
    def sign_out() -> Response:
        answer = RedirectResponse("/sign-in", status_code=303)
        answer.delete_cookie(TOKEN_COOKIE)
        answer.delete_cookie(USER_COOKIE)
        return answer


def _here(to: str) -> str:
    """An address of this site, whatever was asked for."""
    return to if to.startswith("/") and not to.startswith(("//", "/\\")) else "/"


def _form(to: str, wrong: bool = False) -> str:
    complaint = (
        '<p class="rc-note rc-bad" role="alert">This is no token of a user or an administrator, or it was revoked.</p>'
    )
    form = f"""<form class="rc-column" method="post" action="/sign-in">
<p class="rc-soft">With the token that <code>rankcast token create</code> printed, or that you were given.</p>
{complaint if wrong else ""}
<label for="token">Token</label>
<input id="token" name="token" type="password" autocomplete="current-password" required autofocus>
<input type="hidden" name="to" value="{escape(to)}">
<button type="submit">Sign in</button>
</form>"""
    return plain_page("Sign in to Rankcast", form)


def plain_page(title: str, content: str) -> str:
    """A page without the frame, of HTML that is safe already."""
    return f"""<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{escape(title)} · Rankcast</title><link rel="icon" href="/assets/icon.svg">
<link rel="stylesheet" href="/assets/theme.css"><script src="/assets/theme.js"></script></head>
<body><main class="rc-sign-in"><div class="rc-card rc-column">
<img src="/assets/icon.svg" width="40" height="40" alt=""><h1>{escape(title)}</h1>
{content}
</div></main></body></html>
"""
