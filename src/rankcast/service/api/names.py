"""Names in paths. A name may contain any character, including slashes: an event id may be a URL."""

from urllib.parse import unquote

from starlette.convertors import Convertor, register_url_convertor
from starlette.types import ASGIApp, Receive, Scope, Send

_SLASH = "\udc2f"
"""Stands for a slash within a name during routing. It is a lone surrogate, so it cannot occur in a path."""


class EncodedSlashes:
    """Distinguishes `%2F`, which belongs to a name, from `/`, which ends it. Servers decode both to a slash."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on with marked slashes."""
        raw = scope.get("raw_path") or b""
        if scope["type"] == "http" and raw.startswith(b"/v1/") and b"%2f" in raw.lower():
            parts = raw.replace(b"%2f", b"%2F").split(b"%2F")
            scope = {**scope, "path": _SLASH.join(unquote(part.decode("ascii")) for part in parts)}
        await self._app(scope, receive, send)


class _Part(Convertor[str]):
    regex = "[^/]+"

    def convert(self, value: str) -> str:
        """The name that a path segment stands for."""
        return value.replace(_SLASH, "/")

    def to_string(self, value: str) -> str:
        """The path segment for a name."""
        return value.replace("/", _SLASH)


class _Name(_Part):
    regex = r"[\s\S]+"


def register_names() -> None:
    """Register the path converters: `part` for one segment, `name` for the rest of a path with its slashes."""
    register_url_convertor("part", _Part())
    register_url_convertor("name", _Name())
