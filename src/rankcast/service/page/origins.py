"""Whether a request comes from a page of this service or from another site."""

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

if TYPE_CHECKING:
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
