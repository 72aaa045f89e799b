"""The audit trail: changes to data that is not the caller's own. For administrators."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from rankcast.language import parse_time
from rankcast.language.declared_json import record_of
from rankcast.model.actors import set_actor
from rankcast.service.access import actor_of
from rankcast.service.api.answers import answer
from rankcast.service.api.fields import Cursor
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Caller, ServiceOf

router = APIRouter(tags=["audit"])


async def note_caller(caller: Caller) -> None:
    """Record the caller as the actor of the changes that the request makes."""
    set_actor(actor_of(caller))


@router.get("/audit", responses=says("AuditPage", "A page of entries, newest first"))
def list_audit(
    caller: Administrator,
    service: ServiceOf,
    limit: Annotated[int, Query(ge=1, le=1000, description="How many at most.")] = 50,
    cursor: Cursor = None,
    who: Annotated[
        str | None, Query(max_length=300, description="Only entries whose actor contains this text.")
    ] = None,
    user: Annotated[str | None, Query(max_length=256, description="Only entries about this user or publisher.")] = None,
    since: Annotated[str | None, Query(max_length=40, description="Only entries from this time on.")] = None,
) -> Response:
    """Changes to tokens, other users' records, retention and the whole store, with their actors, newest first.

    `next` is the cursor of the next page, or null at the end. Administrators only.
    """
    moment: datetime | None = None if since is None else parse_time(since)
    found = service.audit.entries(limit + 1, None if cursor is None else int(cursor), moment, who, user)
    page = found[:limit]
    names = ("number", "when", "who", "action")
    entries = [{**record_of(one, *names), "user": one.subject, "detail": one.detail} for one in page]
    return answer({"entries": entries, "next": str(page[-1].number) if len(found) > limit else None})
