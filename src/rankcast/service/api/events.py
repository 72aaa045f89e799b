"""The events of the log, page by page or one by one."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.language import encode_event
from rankcast.service.access import Role
from rankcast.service.api.answers import answer, fitting
from rankcast.service.api.deliveries import Limit, Order
from rankcast.service.api.fields import Cursor
from rankcast.service.api.schemas import says
from rankcast.service.callers import Caller, ServiceOf
from rankcast.service.problems import Problem

router = APIRouter(prefix="/events", tags=["events"])


_SCANNED = 1_000
"""The most events that are read for one page; of these, a publisher sees only its own."""


@router.get("", responses=says("Events", "A page of events"))
def list_events(
    caller: Caller, service: ServiceOf, limit: Limit = 50, order: Order = "oldest", cursor: Cursor = None
) -> Response:
    """The events of the log, by their position `seq`. Users may read all events, publishers their own.

    `next` is the cursor of the next page, or null at the end. A page may have fewer than `limit` events, or none,
    before the end.
    """
    last = service.store.last_offset()
    if order == "newest":
        end = min(last, int(cursor) - 1) if cursor else last
        start = max(0, end - limit)
        entries = list(service.store.events(start, end - start))[::-1] if end > start else []
        following = start + 1 if start > 0 else None
    else:
        start = min(last, int(cursor or 0))
        entries = list(service.store.events(start, _SCANNED if caller.role is Role.PUBLISHER else limit))
        following = entries[-1].offset if entries and entries[-1].offset < last else None
    own = [entry for entry in entries if caller.role is not Role.PUBLISHER or entry.event.source == caller.name]
    forms = fitting(
        ({**encode_event(entry.event), "seq": entry.offset} for entry in own[:limit]),
        service.settings.limits.page_bytes,
    )
    if len(forms) < len(own):
        following = own[len(forms) - 1].offset
    return answer({"events": forms, "next": None if following is None else str(following)})


@router.get("/{event:name}", responses=says("Event", "The event"))
def show_event(event: str, caller: Caller, service: ServiceOf) -> Response:
    """An event of the log. Users may read all events, as they may subscribe to all. Publishers may read their own."""
    found = service.event(event)
    if found is None or (caller.role is Role.PUBLISHER and found.source != caller.name):
        raise Problem(404, "not-found", f"there is no event {event!r}")
    return answer({**encode_event(found), "seq": found.seq})
