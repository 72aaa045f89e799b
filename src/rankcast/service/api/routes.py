"""All resources of the API."""

from fastapi import Depends, FastAPI
from fastapi.routing import APIRoute

from rankcast.service.api import (
    advertisements,
    approximate,
    audit,
    brokers,
    concepts,
    deliveries,
    digests,
    events,
    groups,
    health,
    live,
    metrics,
    mining,
    policies,
    preferences,
    publishing,
    reference,
    sessions,
    set_aside,
    stats,
    subscriptions,
    teams,
    tokens,
    trials,
    users,
    webhooks,
)
from rankcast.service.api.fields import check_address
from rankcast.service.api.schemas import PROBLEMS
from rankcast.service.api.unknown import add_unknown
from rankcast.service.request_shares import in_turn

__all__ = ["add_routes"]

_RESOURCES = (
    publishing,
    events,
    live,
    deliveries,
    users,
    subscriptions,
    preferences,
    policies,
    concepts,
    mining,
    groups,
    teams,
    approximate,
    advertisements,
    trials,
    webhooks,
    digests,
    stats,
    tokens,
    sessions,
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
    sessions,
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
