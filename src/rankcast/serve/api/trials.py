"""Trying an expression or a policy on recent history, before it is saved; and why something was sent or not."""

from typing import Any

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import decode_record, encode_delivery, encode_event, expression_of_json, label, parse, show
from rankcast.language.json_text import read_object
from rankcast.model import Policy, Subscription
from rankcast.serve.api.answers import Body, answer, check_cost
from rankcast.serve.api.schemas import body, says
from rankcast.serve.callers import Owner, ServiceOf
from rankcast.serve.problems import Problem

__all__ = ["router"]

router = APIRouter(prefix="/users/{user:part}", tags=["trials"])


@router.post(
    "/trials/expression", openapi_extra=body("TrialOfExpression"), responses=says("Trial", "How many, and which")
)
def try_expression(user: Owner, service: ServiceOf, content: Body) -> Response:
    """How many of the last `limit` events an expression would have matched, with the newest `show` of them."""
    fields = _fields(content, ("where", "limit", "show"))
    where = fields.get("where")
    if isinstance(where, dict):
        where = show(expression_of_json(where, "where"))
    if not isinstance(where, str):
        raise RecordError("field 'where' must be an expression in a string, or in its JSON form")
    parsed = parse(where)
    check_cost(Subscription("trial", user, parsed), service.settings.limits)
    limit = _number(fields, "limit", 1000, 1, service.settings.limits.history)
    shown = _number(fields, "show", 10, 0, 100)
    trial = service.try_expression(where, limit, user)
    if trial.error is not None:
        raise trial.error
    matched = [encode_event(event) for event in trial.matched[:shown]]
    return answer({"count": trial.count, "of": trial.of, "matched": matched, "label": label(parsed)})


@router.post(
    "/trials/policy", openapi_extra=body("TrialOfPolicy"), responses=says("Backtest", "What would have been delivered")
)
def try_policy(user: Owner, service: ServiceOf, content: Body) -> Response:
    """What a policy would have delivered of the last `limit` events, from a fresh start; nothing is changed."""
    fields = _fields(content, ("policy", "limit"))
    given = fields.get("policy")
    if not isinstance(given, dict):
        raise RecordError("field 'policy' must be an object with the fields of a policy")
    policy = decode_record({**given, "kind": "policy", "user": user})
    assert isinstance(policy, Policy)
    check_cost(policy, service.settings.limits)
    limit = _number(fields, "limit", 1000, 1, service.settings.limits.history)
    of = min(limit, service.store.last_offset())
    made = service.backtest(user, policy, limit)
    return answer({"of": of, "deliveries": [encode_delivery(delivery) for delivery in made]})


@router.get("/explanations/{event:name}", responses=says("Explanation", "All that led to it"))
def explain(user: Owner, event: str, service: ServiceOf) -> Response:
    """Why an event was, or was not, sent to the user: what matched, its rank, what was chosen instead."""
    logged = service.store.event(event)
    if logged is None:
        raise Problem(404, "not-found", f"there is no event {event!r}")
    if not service.store.catalog(logged.catalog_version).subscriptions_of(user):
        raise Problem(404, "not-found", f"user {user!r} had no subscriptions when the event was published")
    found = service.explain(user, event)
    return answer({**found.to_json(), "lines": found.lines()})


def _fields(content: bytes, known: tuple[str, ...]) -> dict[str, Any]:
    fields = read_object(content)
    for name in fields:
        if name not in known:
            raise RecordError(f"a trial has no field {name[:60]!r}; it has {', '.join(known)}")
    return fields


def _number(fields: dict[str, Any], name: str, default: int, least: int, most: int) -> int:
    value = fields.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise RecordError(f"field {name!r} must be a whole number from {least} to {most:,}")
    return value
