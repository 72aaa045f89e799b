"""Single events of the log."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.language import encode_event
from rankcast.service.access import Role
from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import Caller, ServiceOf
from rankcast.service.problems import Problem

__all__ = ["router"]

router = APIRouter(prefix="/events", tags=["events"])


@router.get("/{event:name}", responses=says("Event", "The event"))
def show_event(event: str, caller: Caller, service: ServiceOf) -> Response:
    """An event of the log. Users may read all events, as they may subscribe to all. Publishers may read their own."""
    found = service.event(event)
    if found is None or (caller.role is Role.PUBLISHER and found.source != caller.name):
        raise Problem(404, "not-found", f"there is no event {event!r}")
    return answer({**encode_event(found), "seq": found.seq})
