"""Events that could not be served: all of them for administrators, their own for users."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rankcast.language.declared_json import record_of
from rankcast.service.access import actor_of
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.fields import Cursor, fields_in, texts
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.service import Service
from rankcast.service.trial_tasks import serve_set_aside

router = APIRouter(tags=["set aside"])

_Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
_All = Annotated[bool, Query(alias="all", description="Include what has been served again since.")]
_NAMES = ("number", "user", "event", "seq", "version", "error", "when", "served")
_SAYS = says("SetAsidePage", "A page of what was set aside, oldest first")


@router.get("/users/{user:part}/set-aside", responses=_SAYS)
def list_set_aside_of_user(
    user: Owner, service: ServiceOf, limit: _Limit = 50, cursor: Cursor = None, everything: _All = False
) -> Response:
    """What could not be served to this user, and why. Events that failed for everybody are not included."""
    return _page(service, user, limit, cursor, everything)


@router.get("/set-aside", responses=_SAYS)
def list_set_aside(
    caller: Administrator,
    service: ServiceOf,
    user: Annotated[str | None, Query(max_length=256, description="Only of this user.")] = None,
    limit: _Limit = 50,
    cursor: Cursor = None,
    everything: _All = False,
) -> Response:
    """What could not be served, for one user or for all, and why. Administrators only."""
    return _page(service, user, limit, cursor, everything)


@router.post("/set-aside/serve-again", openapi_extra=body("ServeAgain"), responses=says("ServedAgain", "The outcome"))
async def serve_again(caller: Administrator, service: ServiceOf, content: Body, request: Request) -> Response:
    """Serve again what was set aside, for one user or for all, for example after a fix.

    The event log is replayed for the affected users, and new deliveries are made. The request has the time limit of
    trials; for a long log, use `rankcast rejects serve-again`. Administrators only.
    """
    fields = fields_in(content, "this", ("user",))
    texts(fields, "user")
    actor = actor_of(caller)
    done = await service.trials.run_for(
        actor.who, request.is_disconnected, serve_set_aside, service.settings.store, fields.get("user"), actor
    )
    return answer(record_of(done, "done", "failed", "delivered", "goes_on"))


def _page(service: Service, user: str | None, limit: int, cursor: str | None, everything: bool) -> Response:
    found = service.store.set_aside_page(user, int(cursor or 0), limit + 1, pending=not everything)
    page = found[:limit]
    following = str(page[-1].number) if len(found) > limit else None
    return answer({"set_aside": [record_of(row, *_NAMES) for row in page], "next": following})
