"""Deliveries, page by page, oldest or newest first."""

from typing import Annotated

from fastapi import APIRouter, Query, Request
from starlette.responses import Response

from rankcast.language import encode_delivery, encode_event
from rankcast.model import Delivery
from rankcast.plain import JsonObject
from rankcast.service.api.answers import answer, fitting
from rankcast.service.api.fields import Cursor
from rankcast.service.api.schemas import says
from rankcast.service.callers import Administrator, Owner, ServiceOf
from rankcast.service.service import Service

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
