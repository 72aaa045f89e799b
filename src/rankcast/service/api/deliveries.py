"""Deliveries: page by page, and live as server-sent events that can be resumed."""

from collections.abc import AsyncGenerator
from time import monotonic
from typing import Annotated

import msgspec
from fastapi import APIRouter, Header, Query, Request
from starlette.concurrency import run_in_threadpool
from starlette.responses import Response, StreamingResponse

from rankcast.language import encode_delivery, encode_event
from rankcast.model import Delivery
from rankcast.plain import JsonObject
from rankcast.service.api.answers import answer, fitting
from rankcast.service.api.fields import Cursor
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Caller, Owner, ServiceOf
from rankcast.service.feeds import FeedItem
from rankcast.service.problems import Problem
from rankcast.service.service import Service
from rankcast.store.blocks import bounds, count_after

router = APIRouter(tags=["deliveries"])

Limit = Annotated[int, Query(ge=1, le=1000, description="How many at most.")]
Order = Annotated[str, Query(pattern="^(oldest|newest)$", description="`oldest` first, or `newest` first.")]
Include = Annotated[str | None, Query(pattern="^event$", description="`event`: with the event itself, as `content`.")]

_SAYS = says("Deliveries", "A page of deliveries")


@router.get("/users/{user:part}/deliveries", responses=_SAYS)
def list_deliveries(
    user: Owner,
    service: ServiceOf,
    request: Request,
    limit: Limit = 50,
    order: Order = "oldest",
    cursor: Cursor = None,
    include: Include = None,
) -> Response:
    """The deliveries to a user.

    `next` is the cursor of the next page, or null at the end. More deliveries may follow a page in the order
    `oldest`, so a reader may keep its last cursor. A page has fewer than `limit` deliveries if they exceed 16 MiB
    together.
    """
    return _page(service, user, limit, order == "newest", cursor, include)


@router.get("/deliveries", responses=_SAYS)
def list_all_deliveries(
    caller: Administrator,
    service: ServiceOf,
    limit: Limit = 50,
    order: Order = "oldest",
    cursor: Cursor = None,
    include: Include = None,
) -> Response:
    """The deliveries to all users. Administrators only."""
    return _page(service, None, limit, order == "newest", cursor, include)


def form(service: Service, number: int, delivery: Delivery, include: str | None) -> JsonObject:
    """A delivery with its number, and with its event if `include` asks for it."""
    made = {"number": number, **encode_delivery(delivery)}
    if include is not None:
        event = service.event(delivery.event)
        made["content"] = None if event is None else encode_event(event)
    return made


def _page(
    service: Service, user: str | None, limit: int, newest: bool, cursor: str | None, include: str | None
) -> Response:
    found = service.deliveries(user, int(cursor or 0), limit + 1, newest)
    made = (form(service, number, delivery, include) for number, delivery in found[:limit])
    forms = fitting(made, service.settings.limits.page_bytes)
    more = len(found) > len(forms)
    return answer({"deliveries": forms, "next": str(found[len(forms) - 1][0]) if more else None})


_LastEventId = Annotated[
    str | None, Header(alias="Last-Event-ID", description="The number of the last delivery that arrived.")
]
_After = Annotated[
    str | None,
    Query(max_length=40, description="The same as `Last-Event-ID`, for the first time; 0 for all that there ever was."),
]
_STREAM_SAYS: dict[int | str, JsonObject] = {
    200: {
        "description": "Server-sent events without end: `delivery` (its id is the delivery's number), `resync`, and "
        "comments as heartbeats",
        "content": {
            "text/event-stream": {
                "schema": {
                    "type": "object",
                    "properties": {
                        "id": {"type": "string", "description": "the number of the delivery"},
                        "event": {"enum": ["delivery", "resync"]},
                        "data": {"type": "string", "description": "JSON: a Delivery, or reason, first and last"},
                    },
                }
            }
        },
    }
}
_LOOK = 1.0
"""Seconds without a delivery after which a feed checks whether its token is still valid."""
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


@router.get("/users/{user:part}/deliveries/live", responses=_STREAM_SAYS, response_class=StreamingResponse)
async def live_deliveries(
    user: Owner,
    caller: Caller,
    service: ServiceOf,
    request: Request,
    last_event_id: _LastEventId = None,
    after: _After = None,
    include: Include = None,
) -> Response:
    """Deliveries of a user as they happen: first those after `Last-Event-ID` (or `after`), then new ones.

    Without either, the stream starts with new deliveries. Resuming after a lost connection neither loses nor repeats
    any.

    The stream starts with an event `resync` if the number is unknown, too old, or ahead of the log. Then read the
    missed deliveries page by page, up to the number `last` in that event. The stream continues after that number.
    """
    return await _stream(service, request, caller.token, user, last_event_id or after, include)


@router.get("/deliveries/live", responses=_STREAM_SAYS, response_class=StreamingResponse)
async def all_live_deliveries(
    caller: Administrator,
    service: ServiceOf,
    request: Request,
    last_event_id: _LastEventId = None,
    after: _After = None,
    include: Include = None,
) -> Response:
    """Deliveries of all users as they happen. Administrators only."""
    return await _stream(service, request, caller.token, None, last_event_id or after, include)


async def _stream(
    service: Service, request: Request, token: str, user: str | None, last: str | None, include: str | None
) -> Response:
    limits = service.settings.limits
    if service.feeds.listeners >= limits.feeds:
        raise Problem(503, "feeds", f"{limits.feeds:,} listen already; try again later", {"Retry-After": "10"})
    start, resync = await run_in_threadpool(_start, service, user, last)
    if not service.settings.dev and service.streams[token] >= limits.feeds_of_one:
        raise Problem(429, "feeds", f"this token has {limits.feeds_of_one} live feeds already", {"Retry-After": "10"})
    secret = request.headers.get("authorization", "")[len("Bearer ") :].strip()

    async def written() -> AsyncGenerator[bytes, None]:
        yield b"retry: 1000\n\n"
        if resync is not None:
            yield _event("resync", msgspec.json.encode(resync), start)
        else:
            # An id without data, so that a client that is cut off before the first delivery resumes here.
            yield b"id: %d\n\n" % start
        heartbeat = service.settings.heartbeat
        pages = service.feeds.pages(user, start, min(heartbeat, _LOOK))
        service.streams[token] += 1
        silent_since = monotonic()
        try:
            async for page in pages:
                if not service.settings.dev and await service.access.admit(secret) is None:
                    return  # revoked meanwhile
                if not page and monotonic() - silent_since < 0.9 * heartbeat:
                    continue
                silent_since = monotonic()
                if not page:
                    yield b": heartbeat\n\n"
                elif include is None:
                    yield b"".join(_event("delivery", fed.text, fed.number) for fed in page)
                else:
                    yield await run_in_threadpool(_with_events, service, page, include)
        finally:
            service.streams[token] -= 1
            await pages.aclose()

    return StreamingResponse(written(), media_type="text/event-stream", headers=_HEADERS)


def _start(service: Service, user: str | None, given: str | None) -> tuple[int, dict[str, object] | None]:
    """The number after which a stream begins, and the `resync` data if it is not the requested one."""
    kept = bounds(service.store.database)
    if given is None:
        return kept.last, None
    if not (given.isascii() and given.isdigit() and len(given) <= 18):
        reason = "not a number of a delivery"
    elif int(given) > kept.last:
        reason = "ahead of the log"
    elif int(given) and int(given) < kept.first - 1:
        reason = "older than what is kept"
    elif count_after(service.store.database, user, int(given), service.settings.limits.resume + 1) > (
        service.settings.limits.resume
    ):
        reason = f"more than {service.settings.limits.resume:,} deliveries ago"
    else:
        return int(given), None
    return kept.last, {"reason": reason, "first": kept.first, "last": kept.last}


def _with_events(service: Service, page: list[FeedItem], include: str) -> bytes:
    forms = [form(service, fed.number, fed.delivery, include) for fed in page]
    return b"".join(_event("delivery", msgspec.json.encode(made), made["number"]) for made in forms)


def _event(kind: str, data: bytes, number: int) -> bytes:
    return b"id: %d\nevent: %b\ndata: %b\n\n" % (number, kind.encode(), data)
