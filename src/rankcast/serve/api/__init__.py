"""The HTTP API, one file per resource, under /v1."""

from fastapi import APIRouter

from rankcast.serve.api.health import router as health

__all__ = ["router"]

router = APIRouter(prefix="/v1")
router.include_router(health)
