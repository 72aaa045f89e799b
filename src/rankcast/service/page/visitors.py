"""Visitors of the page, and the users on whose behalf they act."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, ParamSpec, TypeVar
from urllib.parse import unquote

from nicegui import ui
from starlette.requests import HTTPConnection

from rankcast.errors import ModelError
from rankcast.model import Is, predicates_of
from rankcast.service.access import ADMINISTRATOR, Role, actor_of
from rankcast.service.sessions import Session

if TYPE_CHECKING:
    from rankcast.service.service import Service

SESSION_COOKIE = "rankcast_session"
"""The session cookie: not readable by scripts, and sent only to this site."""

USER_COOKIE = "rankcast_user"
"""The cookie with the user that an administrator has chosen."""

_NOBODY = "me"
"""The user name if there are no users yet."""

_TRIED = 50
"""The most users who are looked at to find one with deliveries."""


@dataclass(frozen=True, slots=True)
class Visitor:
    """A visitor of the page.

    `user` is the user whose data is shown. `switches` marks an administrator, who may act as any user, and
    `publishes` one who may publish. `who` is the name to which computing time is charged.
    """

    user: str
    switches: bool
    publishes: bool
    who: str


@dataclass(frozen=True, slots=True)
class View:
    """The context of a page: the service, the visitor, the query of the address, and the users to choose from."""

    service: "Service"
    visitor: Visitor
    query: dict[str, str]
    users: tuple[str, ...] = ()

    @property
    def user(self) -> str:
        """The user whose data is shown."""
        return self.visitor.user


_DEV = Session("dev", ADMINISTRATOR)


async def session_of(request: HTTPConnection, service: "Service") -> Session | None:
    """The session of a request, by its cookie; None if the visitor has to sign in."""
    if service.settings.dev:
        return _DEV
    return await service.sessions.admit(request.cookies.get(SESSION_COOKIE, ""))


def view_of(session: Session, request: HTTPConnection, service: "Service") -> View:
    """The context of a page. Reads the store, so do not call it on the event loop."""
    users = tuple(service.users()) if session.principal.is_administrator else ()
    return View(service, _visitor(session, request, service), dict(request.query_params), users)


def first_user(service: "Service") -> str:
    """The user whom an administrator sees first: one with something on as many pages as possible."""
    catalog = service.catalog()
    vague = {
        one.user
        for one in catalog.subscriptions.values()
        if any(isinstance(predicate.test, Is) for predicate in predicates_of(one.where))
    }

    def shown(user: str) -> int:
        return bool(catalog.preferences_of(user)) + (user in vague) + (user in catalog.policies)

    users = sorted(catalog.users(), key=lambda user: (-shown(user), user))
    served = (user for user in users[:_TRIED] if service.deliveries(user, limit=1, newest_first=True))
    return next(served, next(iter(users), _NOBODY))


def _visitor(session: Session, request: HTTPConnection, service: "Service") -> Visitor:
    """The visitor of a session. Administrators may act as any user, and users only as themselves."""
    principal = session.principal
    who = actor_of(principal).who
    if principal.is_administrator:
        chosen = unquote(request.cookies.get(USER_COOKIE, "")) or first_user(service)
        return Visitor(chosen, switches=True, publishes=True, who=f"{chosen} (seen by {who})")
    if principal.role is not Role.USER or principal.name is None:
        raise ModelError(f"the page is for users and administrators, not for a {principal.role}")
    return Visitor(principal.name, switches=False, publishes=False, who=who)


_P = ParamSpec("_P")
_T = TypeVar("_T")


async def compute(view: View, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T:
    """Run a module-level function in a child process and return its result.

    Raises a problem (`RankcastError`) if it takes longer than `limits.trial_seconds`. Arguments and result go through
    a pipe. The module must not import NiceGUI, which would take the child a second to load.
    """
    client = ui.context.client

    async def is_gone() -> bool:
        return client.is_deleted

    # Limit each kind separately: automatic counts of the pages must not block the trials of the visitor.
    who = f"{view.visitor.who}: {function.__name__}"
    return await view.service.trials.run_for(who, is_gone, function, *arguments, **named)
