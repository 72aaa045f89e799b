"""The service: HTTP API, live deliveries, embedded pipeline and web page over one store."""

from typing import TYPE_CHECKING

from rankcast.serve.service import Service
from rankcast.serve.settings import Limits, Settings

if TYPE_CHECKING:
    from fastapi import FastAPI

__all__ = ["Limits", "Service", "Settings", "create_app"]


def create_app(settings: Settings | None = None) -> "FastAPI":
    """The application of `rankcast.serve.app`, which is only loaded now."""
    from rankcast.serve.app import create_app

    return create_app(settings)
