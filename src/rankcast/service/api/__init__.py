"""The HTTP API, one file per resource, under /v1."""

from rankcast.service.api.names import register_names as _register_names

__all__: list[str] = []

_register_names()  # before any route is declared
