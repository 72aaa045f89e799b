"""The service: HTTP API, live deliveries, embedded pipeline and web page in one process."""

from rankcast.serve.app import create_app
from rankcast.serve.service import Service
from rankcast.serve.settings import Limits, Settings

__all__ = ["Limits", "Service", "Settings", "create_app"]
