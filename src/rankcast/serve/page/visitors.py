"""Who looks at the page, and on whose behalf."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from rankcast.serve.access import Role

if TYPE_CHECKING:
    from rankcast.serve.service import Service

__all__ = ["TOKEN_COOKIE", "USER_COOKIE", "View", "Visitor", "visitor_of", "visitor_with"]

TOKEN_COOKIE = "rankcast_token"  # noqa: S105  # the name of a cookie
"""Holds the token of one who signed in: unreadable to scripts, sent to this site only."""

USER_COOKIE = "rankcast_user"
"""Holds the user whom one who may look at all of them has chosen."""

_NOBODY = "me"
"""Who one is where there is no user yet."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """One who looks at the page. `user` is the one whose feed it is; `switches` says that they are an
    administrator, who may look as any user, `publishes` that they may publish."""

    user: str
    switches: bool
    publishes: bool


@dataclass(frozen=True, slots=True)
class View:
    """What a page is built from: the service, who looks, and the query of the address."""

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
        return _administrator(service, chosen)
    return visitor_with(request.cookies.get(TOKEN_COOKIE, ""), service, chosen)


def visitor_with(token: str, service: "Service", chosen: str = "") -> Visitor | None:
    """Who has that token; None if it is none, was revoked, or is only for publishing."""
    principal = service.access.check(token)
    if principal is None:
        return None
    if principal.is_administrator:
        return _administrator(service, chosen)
    if principal.role is Role.USER and principal.name is not None:
        return Visitor(principal.name, switches=False, publishes=False)
    return None


def _administrator(service: "Service", chosen: str) -> Visitor:
    return Visitor(chosen or next(iter(service.users()), _NOBODY), switches=True, publishes=True)
