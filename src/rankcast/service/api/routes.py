"""All resources of the API."""

from fastapi import Depends, FastAPI, Request
from fastapi.routing import APIRoute
from starlette.responses import Response
from starlette.routing import Match, Mount

from rankcast.service.api import (
    advertisements,
    audit,
    brokers,
    concepts,
    deliveries,
    digests,
    health,
    metrics,
    mining,
    policies,
    preferences,
    publishing,
    reference,
    set_aside,
    stats,
    studies,
    subscriptions,
    tokens,
    trials,
    users,
    webhooks,
)
from rankcast.service.api.fields import check_address
from rankcast.service.api.schemas import PROBLEMS
from rankcast.service.callers import admit_stranger
from rankcast.service.problems import Problem
from rankcast.service.request_shares import in_turn

_RESOURCES = (
    publishing,
    deliveries,
    users,
    subscriptions,
    preferences,
    policies,
    concepts,
    mining,
    studies,
    advertisements,
    trials,
    webhooks,
    digests,
    stats,
    tokens,
    set_aside,
    audit,
    brokers,
    health,
    reference,
)


_AUDITED = (
    users,
    subscriptions,
    preferences,
    policies,
    concepts,
    mining,
    advertisements,
    webhooks,
    digests,
    tokens,
    set_aside,
)
"""The resources that change users' records, tokens or the store. The audit trail records their callers."""


def add_routes(app: FastAPI) -> None:
    """Add all resources to an application, under /v1."""
    for resource in _RESOURCES:
        for route in resource.router.routes:
            if isinstance(route, APIRoute):
                route.endpoint = in_turn(route.endpoint)
        also = [Depends(audit.note_caller)] if resource in _AUDITED else []
        app.include_router(
            resource.router, prefix="/v1", responses=PROBLEMS, dependencies=[Depends(check_address), *also]
        )
    app.include_router(metrics.router)
    add_unknown(app)


_UNKNOWN = "unknown"
_METHODS = ["DELETE", "GET", "HEAD", "OPTIONS", "PATCH", "POST", "PUT"]


def add_unknown(app: FastAPI) -> None:
    """Add the route that answers unknown paths with a problem. It must be the last one under /v1."""

    async def unknown(request: Request) -> Response:
        others = [
            route for route in app.routes if not isinstance(route, Mount) and getattr(route, "name", "") != _UNKNOWN
        ]
        allowed = [
            method
            for method in _METHODS
            if any(route.matches({**request.scope, "method": method})[0] is Match.FULL for route in others)
        ]
        path = request.url.path[:200]
        if allowed:
            listed = ", ".join(allowed)
            detail = f"{path!r} cannot be asked with {request.method}; use {listed}"
            raise Problem(405, "method-not-allowed", detail, {"Allow": listed})
        raise Problem(404, "not-found", f"there is no {path!r}; /v1/openapi.json lists what there is")

    app.add_api_route(
        "/v1/{rest:path}",
        unknown,
        methods=_METHODS,
        include_in_schema=False,
        name=_UNKNOWN,
        dependencies=[Depends(admit_stranger)],
    )
