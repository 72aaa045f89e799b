"""The service: HTTP API, live deliveries, embedded pipeline and web page over one store."""

from typing import TYPE_CHECKING

from rankcast.service.service import Service
from rankcast.service.settings import Limits, ServiceSettings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Limits", "Service", "ServiceSettings", "create_app"]


def create_app(settings: ServiceSettings | None = None) -> "FastAPI":
    """The application of `rankcast.service.app`, which is only loaded now."""
    from rankcast.service.app import create_app

    return create_app(settings)
