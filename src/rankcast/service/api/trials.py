"""Trying an expression or a policy on recent history before saving it, and explaining deliveries."""

from fastapi import APIRouter, Request
from starlette.responses import Response

from rankcast.errors import RecordError
from rankcast.language import decode_record, encode_delivery, encode_event, expression_of_json, label, parse, show
from rankcast.model import Expression, Policy, Subscription
from rankcast.plain import JsonObject
from rankcast.service.api.answers import Body, answer, fitting
from rankcast.service.api.fields import fields_in
from rankcast.service.api.schemas import body, says
from rankcast.service.callers import Owner, ServiceOf
from rankcast.service.problems import Problem
from rankcast.service.record_costs import check_cost
from rankcast.service.request_shares import by_turn
from rankcast.service.service import Service
from rankcast.service.trial_tasks import backtest_history, explain_or_say_why, try_on_history

router = APIRouter(prefix="/users/{user:part}", tags=["trials"])


@router.post(
    "/trials/expression", openapi_extra=body("TrialOfExpression"), responses=says("Trial", "How many, and which")
)
async def try_expression(user: Owner, service: ServiceOf, content: Body, request: Request) -> Response:
    """How many of the last `limit` events an expression would have matched, with the newest `show` of them.

    If something is vague, `by_thresholds` compares the attitudes with crisp matching.
    """
    where, limit, shown = await by_turn(_expression, content, user, service)
    part = await by_turn(service.part_of, user)
    await by_turn(part.check_expression, where, user)
    trial = await service.trials.run_for(
        user, request.is_disconnected, try_on_history, service.history(limit), where, part, user, shown
    )

    def told() -> Response:
        matched = fitting(map(encode_event, trial.matched), service.settings.limits.page_bytes)
        told = {"count": trial.count, "of": trial.of, "matched": matched, "label": label(where)}
        return answer(told | ({"by_thresholds": trial.by_thresholds} if trial.by_thresholds else {}))

    return await by_turn(told)


def _expression(content: bytes, user: str, service: Service) -> tuple[Expression, int, int]:
    fields = fields_in(content, "a trial", ("where", "limit", "show"))
    where = fields.get("where")
    if isinstance(where, dict):
        where = show(expression_of_json(where, "where"))
    if not isinstance(where, str):
        raise RecordError("field 'where' must be an expression in a string, or in its JSON form")
    parsed = parse(where)
    check_cost(Subscription("trial", user, parsed), service.settings.limits)
    limit = _number(fields, "limit", 1000, 1, service.settings.limits.history)
    return parsed, limit, _number(fields, "show", 10, 0, 100)


@router.post(
    "/trials/policy", openapi_extra=body("TrialOfPolicy"), responses=says("Backtest", "What would have been delivered")
)
async def try_policy(user: Owner, service: ServiceOf, content: Body, request: Request) -> Response:
    """What a policy would have delivered from the last `limit` events, from a fresh start. Nothing is changed."""
    policy, limit = await by_turn(_policy, content, user, service)
    part = await by_turn(service.part_of, user)
    of, made = await service.trials.run_for(
        user, request.is_disconnected, backtest_history, service.history(limit), user, policy, part
    )
    return await by_turn(lambda: answer({"of": of, "deliveries": [encode_delivery(delivery) for delivery in made]}))


def _policy(content: bytes, user: str, service: Service) -> tuple[Policy, int]:
    fields = fields_in(content, "a trial", ("policy", "limit"))
    given = fields.get("policy")
    if not isinstance(given, dict):
        raise RecordError("field 'policy' must be an object with the fields of a policy")
    policy = decode_record({**given, "kind": "policy", "user": user})
    assert isinstance(policy, Policy)
    check_cost(policy, service.settings.limits)
    return policy, _number(fields, "limit", 1000, 1, service.settings.limits.history)


@router.get("/explanations/{event:name}", responses=says("Explanation", "All that led to it"))
async def explain(user: Owner, event: str, service: ServiceOf, request: Request) -> Response:
    """Why an event was or was not sent to the user: what matched, its rank, and what was chosen instead."""
    store, most = service.settings.store, service.settings.limits.explained
    found = await service.trials.run_for(user, request.is_disconnected, explain_or_say_why, store, most, user, event)
    if isinstance(found, str):
        raise Problem(404, "not-found", found)
    return await by_turn(lambda: answer({**found.to_json(), "lines": found.lines()}))


def _number(fields: JsonObject, name: str, default: int, least: int, most: int) -> int:
    value = fields.get(name, default)
    if type(value) is not int or not least <= value <= most:
        raise RecordError(f"field {name!r} must be a whole number from {least} to {most:,}")
    return value
