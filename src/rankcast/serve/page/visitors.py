"""Who looks at the page, and on whose behalf."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.requests import HTTPConnection

if TYPE_CHECKING:
    from rankcast.serve.service import Service

__all__ = ["TOKEN_COOKIE", "USER_COOKIE", "View", "Visitor", "visitor_of"]

TOKEN_COOKIE = "rankcast_token"  # noqa: S105  # the name of a cookie
"""Holds the token of one who signed in: unreadable to scripts, sent to this site only."""

USER_COOKIE = "rankcast_user"
"""Holds the user whom one who may look at all of them has chosen."""

_NOBODY = "me"
"""Who one is where there is no user yet."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """One who looks at the page. `user` is the one whose feed it is; `switches` says that they may choose another."""

    user: str
    switches: bool
    publishes: bool


@dataclass(frozen=True, slots=True)
class View:
    """What a page is built from: the service, who looks, the query of the address, and whether it is dark."""

    service: "Service"
    visitor: Visitor
    query: dict[str, str]

    @property
    def user(self) -> str:
        """The user whose page it is."""
        return self.visitor.user


def visitor_of(request: HTTPConnection, service: "Service") -> Visitor | None:
    """Who sends a request, by its cookies; None if they have to sign in first."""
    chosen = unquote(request.cookies.get(USER_COOKIE, ""))
    if service.settings.dev:
        return Visitor(chosen or next(iter(service.users()), _NOBODY), switches=True, publishes=True)
    return None


def signed_in(token: str, service: "Service") -> bool:
    """Whether the token is one that the service knows."""
    return service.settings.dev
