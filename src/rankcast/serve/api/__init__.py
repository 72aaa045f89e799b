"""The HTTP API, one file per resource, under /v1."""

from fastapi import APIRouter

from rankcast.serve.api import (
    advertisements,
    concepts,
    deliveries,
    digests,
    events,
    health,
    live,
    policies,
    preferences,
    stats,
    subscriptions,
    tokens,
    trials,
    users,
    webhooks,
)
from rankcast.serve.api.schemas import PROBLEMS

__all__ = ["router"]

router = APIRouter(prefix="/v1", responses=PROBLEMS)
for resource in (
    users,
    subscriptions,
    preferences,
    policies,
    concepts,
    events,
    advertisements,
    live,
    deliveries,
    trials,
    webhooks,
    digests,
    stats,
    tokens,
    health,
):
    router.include_router(resource.router)
