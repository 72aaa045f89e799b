"""The service: HTTP API, live deliveries, embedded pipeline and web page over one store."""

from typing import TYPE_CHECKING

from rankcast.extras import require as _require

_require("serve")

from rankcast.service.service import Service
from rankcast.service.settings import Limits, ServiceSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Limits", "Service", "ServiceSettings", "create_app"]


def create_app(settings: ServiceSettings | None = None) -> "FastAPI":
    """Create the application. `rankcast.service.app` is imported on the first call, not with this package."""
    from rankcast.service.app import create_app

    return create_app(settings)
