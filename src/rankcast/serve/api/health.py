"""Whether the service is alive, and whether it is ready."""

from typing import Any

from fastapi import APIRouter, Request, Response

__all__ = ["router"]

router = APIRouter(prefix="/health", tags=["health"])


@router.get("/live")
def live() -> dict[str, str]:
    """Whether the process answers."""
    return {"status": "live"}


@router.get("/ready")
def ready(request: Request, response: Response) -> dict[str, Any]:
    """Whether the store answers and the pipeline works off what is published."""
    service = request.app.state.service
    pending = service.store.last_offset() - service.store.progress().offset
    error = service.runner.error
    ok = error is None and (service.runner.is_running or not service.settings.pipeline)
    response.status_code = 200 if ok else 503
    return {"status": "ready" if ok else "not ready", "pending": pending, "error": error}
