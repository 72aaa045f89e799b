"""Who looks at the page, and on whose behalf."""

from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import unquote

from starlette.requests import HTTPConnection

from rankcast.errors import ModelError
from rankcast.service.access import ADMINISTRATOR, Role, actor_of
from rankcast.service.sessions import Session

if TYPE_CHECKING:
    from rankcast.service.service import Service

__all__ = ["SESSION_COOKIE", "USER_COOKIE", "View", "Visitor", "session_of", "view_of"]

SESSION_COOKIE = "rankcast_session"
"""Holds the session of one who signed in: unreadable to scripts, sent to this site only."""

USER_COOKIE = "rankcast_user"
"""Holds the user whom one who may look at all of them has chosen."""

_NOBODY = "me"
"""Who one is where there is no user yet."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """One who looks at the page. `user` is the one whose feed it is; `switches` says that they are an
    administrator, who may look as any user, `publishes` that they may publish. `who` is to whom the time that something takes
    is counted."""

    user: str
    switches: bool
    publishes: bool
    who: str


@dataclass(frozen=True, slots=True)
class View:
    """What a page is built from: the service, who looks, the query of the address, and the users to choose from."""

    service: "Service"
    visitor: Visitor
    query: dict[str, str]
    users: tuple[str, ...] = ()

    @property
    def user(self) -> str:
        """The user whose page it is."""
        return self.visitor.user


_DEV = Session("dev", ADMINISTRATOR)


async def session_of(request: HTTPConnection, service: "Service") -> Session | None:
    """The session of a request, by its cookie; None if they have to sign in first."""
    if service.settings.dev:
        return _DEV
    return await service.sessions.admit(request.cookies.get(SESSION_COOKIE, ""))


def view_of(session: Session, request: HTTPConnection, service: "Service") -> View:
    """What a page is built from; reads the store, so not on the event loop."""
    users = tuple(service.users()) if session.principal.is_administrator else ()
    return View(service, _visitor(session, request, users), dict(request.query_params), users)


def _visitor(session: Session, request: HTTPConnection, users: tuple[str, ...]) -> Visitor:
    """Who that is, and on whose behalf: administrators may look as anybody, a user only as oneself."""
    principal = session.principal
    who = actor_of(principal).who
    if principal.is_administrator:
        chosen = unquote(request.cookies.get(USER_COOKIE, "")) or next(iter(users), _NOBODY)
        return Visitor(chosen, switches=True, publishes=True, who=f"{chosen} (seen by {who})")
    if principal.role is not Role.USER or principal.name is None:
        raise ModelError(f"the page is for users and administrators, not for a {principal.role}")
    return Visitor(principal.name, switches=False, publishes=False, who=who)
