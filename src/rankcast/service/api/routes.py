"""All resources of the API, put together."""

from fastapi import Depends, FastAPI

from rankcast.service.api import (
    advertisements,
    concepts,
    deliveries,
    digests,
    events,
    health,
    live,
    metrics,
    policies,
    preferences,
    publishing,
    reference,
    sessions,
    stats,
    subscriptions,
    tokens,
    trials,
    users,
    webhooks,
)
from rankcast.service.api.fields import check_address
from rankcast.service.api.schemas import PROBLEMS

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
    advertisements,
    trials,
    webhooks,
    digests,
    stats,
    tokens,
    sessions,
    health,
    reference,
)


def add_routes(app: FastAPI) -> None:
    """Add all resources to an application, under /v1."""
    for resource in _RESOURCES:
        app.include_router(resource.router, prefix="/v1", responses=PROBLEMS, dependencies=[Depends(check_address)])
    app.include_router(metrics.router)
