"""Liveness and readiness. Needs no token."""

from fastapi import APIRouter, Depends
from starlette.responses import Response

from rankcast.service.api.answers import answer
from rankcast.service.api.schemas import says
from rankcast.service.callers import ServiceOf, admit_probe

_PATIENCE = 2.0

router = APIRouter(prefix="/health", tags=["health"], dependencies=[Depends(admit_probe)])


@router.get("/live", responses=says("Anything", "The process is alive"))
async def live() -> Response:
    """Whether the process answers. Does not query the store."""
    return answer({"status": "live"})


@router.get(
    "/ready", responses=says("Anything", "The service is ready") | says("Anything", "The service is not ready", 503)
)
async def ready(service: ServiceOf) -> Response:
    """Whether the store answers within two seconds and published events are being served."""
    pending = await service.store_check.pending(_PATIENCE)
    works = service.runner.error is None and (service.runner.is_running or not service.settings.pipeline)
    ok = works and pending is not None
    pipeline = "elsewhere" if not service.settings.pipeline else "works" if works else "fails"
    return answer(
        {"status": "ready" if ok else "not ready", "pipeline": pipeline, "pending": pending}, 200 if ok else 503
    )
