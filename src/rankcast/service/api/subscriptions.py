"""Subscriptions: which events a user wants to receive."""

from hashlib import blake2b

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.language import encode_record, label, show
from rankcast.model import Catalog, Record, Subscription
from rankcast.plain import JsonObject
from rankcast.service.api.answers import Body, answer, put_record, record_answer, record_in, remove_record
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.record_costs import check_cost
from rankcast.service.service import Service

router = APIRouter(prefix="/users/{user:part}/subscriptions", tags=["subscriptions"])

_MADE = says("Subscription", "The record was replaced") | says("Subscription", "The record was created", 201)


@router.get("", responses=says("Subscriptions", "The user's subscriptions, in the order in which they came"))
def list_subscriptions(user: Owner, service: ServiceOf) -> Response:
    """All subscriptions of a user, each with its expression in words as `label`."""
    return answer([_form(one) for one in service.catalog().subscriptions_of(user)])


@router.post("", status_code=201, openapi_extra=body("Subscription"), responses=_MADE)
def subscribe(user: Owner, service: ServiceOf, request: Request, content: Body) -> Response:
    """Create a subscription. Without an `id` it gets one derived from user and expression, so that repeating the
    request creates no second one."""
    given = record_in(content, "subscription", user=user) if _has_id(content) else _named(content, user)
    assert isinstance(given, Subscription)
    return _put(user, given, service, request, must_be_new=_has_id(content))


@router.get("/{subscription:name}", responses=says("Subscription", "The subscription"))
def show_subscription(user: Owner, subscription: str, service: ServiceOf, request: Request) -> Response:
    """One subscription, with an `ETag`."""
    found = _found(service.catalog(), user, subscription)
    return record_answer(found, request, label=label(found.where))


@router.put(
    "/{subscription:name}",
    openapi_extra=body("Subscription"),
    responses=_MADE,
)
def put_subscription(user: Owner, subscription: str, service: ServiceOf, request: Request, content: Body) -> Response:
    """Create or replace a subscription. `If-Match` and `If-None-Match: *` are respected."""
    given = record_in(content, "subscription", user=user, id=subscription)
    assert isinstance(given, Subscription)
    return _put(user, given, service, request)


@router.delete("/{subscription:name}", status_code=204, responses=says(None, "Removed", 204))
def unsubscribe(user: Owner, subscription: str, service: ServiceOf, request: Request) -> Response:
    """Remove a subscription and the preferences that refer to it."""
    unreadable = ("subscription", subscription)
    return remove_record(service, request, lambda catalog: _found(catalog, user, subscription), unreadable, user)


def _put(user: str, given: Subscription, service: Service, request: Request, must_be_new: bool = False) -> Response:
    check_cost(given, service.settings.limits)

    def allow(present: Record | None) -> None:
        if isinstance(present, Subscription) and (present.user != user or must_be_new):
            # Do not reveal the owner.
            raise Problem(409, "taken", f"the id {given.id!r} is taken; choose another, or leave it out")

    return put_record(service, request, given, allow, label=label(given.where))


def _found(catalog: Catalog, user: str, subscription: str) -> Subscription:
    found = catalog.subscriptions.get(subscription)
    if found is None or found.user != user:
        raise Problem(404, "not-found", f"user {user!r} has no subscription {subscription!r}")
    return found


def _form(subscription: Subscription) -> JsonObject:
    return {**encode_record(subscription), "label": label(subscription.where)}


def _has_id(content: bytes) -> bool:
    from rankcast.language.json_text import read_object

    return read_object(content).get("id") is not None


def _named(content: bytes, user: str) -> Subscription:
    made = record_in(content, "subscription", user=user, id="new")
    assert isinstance(made, Subscription)
    name = blake2b(f"{user}\0{show(made.where)}".encode(), digest_size=6).hexdigest()
    return Subscription(f"s-{name}", user, made.where, made.score, made.weight)
