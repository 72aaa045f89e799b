"""Names in addresses: any name can be part of one, also one with slashes, such as an event's id that is a URL."""

from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

__all__ = ["EncodedSlashes", "register_names"]

_SLASH = "\udc2f"
"""Stands for a slash within a name while a route is looked for; half a character, so no address can have it."""


class EncodedSlashes:
    """Keeps `%2F` apart from `/`: the one belongs to a name, the other ends it. Servers hand over both as slashes."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(b"/v1/") and b"%2f" in raw.lower():
            parts = raw.replace(b"%2f", b"%2F").split(b"%2F")
            scope = {**scope, "path": _SLASH.join(unquote(part.decode("ascii")) for part in parts)}
        await self._app(scope, receive, send)


class _Part(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        """The name in a path."""
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        """The part of a path for a name."""
        return value.replace("/", _SLASH)


class _Name(_Part):
    regex = r"[\s\S]+"


def register_names() -> None:
    """Let names be parts of routes: `/users/{user:part}/concepts`; and ends, also with slashes as they are: `/events/{event:name}`."""
    register_url_convertor("part", _Part())
    register_url_convertor("name", _Name())
