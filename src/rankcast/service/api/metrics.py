"""Metrics for Prometheus."""

from fastapi import APIRouter
from starlette.responses import Response

from rankcast.service.api.schemas import PROBLEMS
from rankcast.service.callers import Administrator, ServiceOf

router = APIRouter(tags=["stats"], responses=PROBLEMS)


@router.get(
    "/metrics",
    responses={
        200: {
            "description": "The text that Prometheus reads",
            "content": {"text/plain": {"schema": {"type": "string"}}},
        }
    },
    response_class=Response,
)
def metrics(caller: Administrator, service: ServiceOf) -> Response:
    """Metrics of the store, the pipeline, requests and live feeds.

    Administrators only: Prometheus sends the token as `authorization: credentials` of its scrape configuration.
    """
    return Response(service.metrics.text(), media_type=service.metrics.content_type)
