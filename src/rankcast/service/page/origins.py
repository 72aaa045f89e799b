"""Whether a request comes from a page of this service, or from one of another site."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

if TYPE_CHECKING:
    from rankcast.service.settings import ServiceSettings

__all__ = ["is_from_here"]


def is_from_here(headers: Headers, settings: "ServiceSettings") -> bool:
    """Whether what the browser says of a request's origin, if it says anything, is this service.

    That is the address that the request itself names (`Host`), or the public one. A browser always says where a websocket and a form of
    another site come from; a program may leave it out, but has no cookie of somebody's browser.
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
