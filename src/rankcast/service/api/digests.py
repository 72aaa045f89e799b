"""Quiet hours and digests: when nothing is pushed, when deliveries are gathered, and what was left out."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from starlette.responses import Response

from rankcast.errors import CatalogError, RecordError
from rankcast.language import encode_event, show_time
from rankcast.plain import JsonObject
from rankcast.service.api.answers import Body, answer
from rankcast.service.api.fields import Cursor, fields_in, texts
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.push.digests import Digest, QuietHours, Reason, Schedule, as_html, as_text
from rankcast.service.service import Service
from rankcast.store.push.digest_log import LeftOut

router = APIRouter(prefix="/users/{user:part}", tags=["digests"])

_Number = Annotated[int, Path(ge=1, lt=2**63, description="The number of the digest.")]
_Limit = Annotated[int, Query(ge=1, le=500, description="How many at most.")]
_Format = Annotated[str, Query(pattern="^(json|text|html)$", description="`json`, plain `text`, or `html`.")]
_Why = Annotated[
    str | None,
    Query(
        pattern=f"^({'|'.join(reason.value for reason in Reason)})$",
        description="Only what was left out for this reason.",
    ),
]
_WRITTEN: dict[int | str, JsonObject] = {
    200: {
        "description": "The digest",
        "content": {
            "application/json": {"schema": {"$ref": "#/components/schemas/Digest"}},
            "text/plain": {"schema": {"type": "string"}},
            "text/html": {"schema": {"type": "string"}},
        },
    }
}
# The page contains text from publishers, so it must not run or load anything.
_HARMLESS = {"Content-Security-Policy": "default-src 'none'; style-src 'unsafe-inline'", "Cache-Control": "no-store"}


@router.get("/quiet-hours", responses=says("QuietHoursNow", "The quiet hours, and whether it is quiet now"))
def show_quiet_hours(user: Owner, service: ServiceOf) -> Response:
    """The quiet hours of a user."""
    hours = service.digests.quiet_hours(user)
    if hours is None:
        raise Problem(404, "not-found", f"user {user!r} has no quiet hours")
    return answer(_quiet(service, user, hours))


@router.put("/quiet-hours", openapi_extra=body("QuietHours"), responses=says("QuietHoursNow", "The new quiet hours"))
def put_quiet_hours(user: Owner, service: ServiceOf, content: Body) -> Response:
    """Push nothing between two times of day in a time zone.

    Webhooks wait until the hours end, and the feed shows what is held back. When the clocks change, the hours begin
    and end when a clock first shows the time or a later one.
    """
    names = ("from", "to", "zone")
    fields = fields_in(content, "quiet hours", names, needed=names)
    texts(fields, *names)
    hours = QuietHours.of_json(fields)
    service.digests.set_quiet_hours(user, hours)
    return answer(_quiet(service, user, hours))


@router.delete("/quiet-hours", status_code=204, responses=says(None, "Removed", 204))
def remove_quiet_hours(user: Owner, service: ServiceOf) -> Response:
    """Remove the quiet hours, so that deliveries are pushed at any time."""
    if not service.digests.remove_quiet_hours(user):
        raise Problem(404, "not-found", f"user {user!r} has no quiet hours")
    service.webhooks.wake()
    return Response(status_code=204)


@router.get("/digest-schedule", responses=says("DigestScheduleNow", "The schedule, and when the next digest is due"))
def show_schedule(user: Owner, service: ServiceOf) -> Response:
    """When digests are made for a user."""
    kept = service.digests.schedule(user)
    if kept is None:
        raise Problem(404, "not-found", f"user {user!r} has no digest schedule")
    return answer({**kept.schedule, "next": show_time(kept.next)})


@router.put(
    "/digest-schedule",
    openapi_extra=body("DigestSchedule"),
    responses=says("DigestScheduleNow", "The new schedule, and when the next digest is due"),
)
def put_schedule(user: Owner, service: ServiceOf, content: Body) -> Response:
    """Gather deliveries into digests, which are made on chosen days at a time of day in a time zone.

    Webhooks then receive the digests instead of the single deliveries, unless they ask for those by `types`.
    """
    names = ("days", "at", "zone")
    fields = fields_in(content, "a digest schedule", names, needed=names)
    texts(fields, "at", "zone")
    days = fields["days"]
    if not (isinstance(days, str) or (isinstance(days, list) and all(isinstance(day, str) for day in days))):
        raise RecordError("field 'days' must be 'daily', 'weekdays', 'weekends', a day of the week, or a list of days")
    kept = service.digests.set_schedule(user, Schedule.of_json(fields))
    return answer({**kept.schedule, "next": show_time(kept.next)})


@router.delete("/digest-schedule", status_code=204, responses=says(None, "Removed", 204))
def remove_schedule(user: Owner, service: ServiceOf) -> Response:
    """Stop making digests. Deliveries that no digest contains yet are sent to webhooks one by one."""
    if not service.digests.remove_schedule(user):
        raise Problem(404, "not-found", f"user {user!r} has no digest schedule")
    service.webhooks.wake()
    return Response(status_code=204)


@router.get("/held", responses=says("Held", "What is held, and until when"))
def show_held(user: Owner, service: ServiceOf) -> Response:
    """Whether deliveries are held back now, by quiet hours or until the next digest."""
    held = service.digests.held(user)
    if held is None:
        return answer({"held": False, "because": None, "after": None, "until": None})
    return answer({"held": True, **held.to_json()})


@router.get("/digests", responses=says("DigestList", "A page of digests"))
def list_digests(user: Owner, service: ServiceOf, limit: _Limit = 50, cursor: Cursor = None) -> Response:
    """The digests of a user, newest first."""
    found = service.digests.digests(user, None if cursor is None else int(cursor), limit + 1)
    page = [
        {
            "number": digest.number,
            "due": show_time(digest.due),
            "made": show_time(digest.made),
            **{name: digest.counts[name] for name in ("published", "matched", "delivered", "left_out")},
        }
        for digest in found[:limit]
    ]
    return answer({"digests": page, "next": str(page[-1]["number"]) if len(found) > limit else None})


@router.post("/digests", status_code=201, responses=says("Digest", "The digest that was made", 201))
def make_digest(user: Owner, service: ServiceOf) -> Response:
    """Make a digest now of the deliveries since the last one, without waiting for the schedule."""
    try:
        made = service.digests.make(user)
    except CatalogError as error:
        raise Problem(404, "not-found", str(error)) from None
    service.webhooks.wake()
    return answer(made.to_json(), 201)


@router.get("/digests/{digest}", response_class=Response, responses=_WRITTEN)
def show_digest(user: Owner, digest: _Number, service: ServiceOf, format: _Format = "json") -> Response:  # noqa: A002
    """A digest: the deliveries since the previous one, how many events were left out, and why."""
    found = _found(service, user, digest)
    if format == "text":
        return Response(as_text(found), headers=_HARMLESS, media_type="text/plain")
    if format == "html":
        return Response(as_html(found), headers=_HARMLESS, media_type="text/html")
    return answer(found.to_json())


@router.get("/digests/{digest}/left-out", responses=says("LeftOutPage", "A page of what was left out"))
def list_left_out(
    user: Owner,
    digest: _Number,
    service: ServiceOf,
    reason: _Why = None,
    limit: _Limit = 50,
    cursor: Cursor = None,
) -> Response:
    """Events that matched the user but were not sent, best first, each with the reason.

    At most 500 are kept for a digest. The digest says how many there were.
    """
    _found(service, user, digest)
    found = service.digests.left_out(user, digest, reason, int(cursor or 0), limit + 1)
    page = [_left_out(service, position, left) for position, left in found[:limit]]
    return answer({"left_out": page, "next": str(page[-1]["position"]) if len(found) > limit else None})


def _found(service: Service, user: str, number: int) -> Digest:
    try:
        return service.digests.digest(user, number)
    except CatalogError as error:
        raise Problem(404, "not-found", str(error)) from None


def _quiet(service: Service, user: str, hours: QuietHours) -> JsonObject:
    quiet = service.digests.quiet(user)
    return {**hours.to_json(), "quiet_until": None if quiet is None else show_time(quiet.until)}


def _left_out(service: Service, position: int, left: LeftOut) -> JsonObject:
    event = service.event(left.event)
    return {
        "position": position,
        "event": left.event,
        "seq": left.seq,
        "rank": left.rank,
        "reason": left.reason,
        "label": Reason(left.reason).label,
        "detail": left.detail,
        "content": None if event is None else encode_event(event),
    }
