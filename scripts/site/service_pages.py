"""The pages of HTTP routes, metrics and settings, from the service itself."""

import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import MISSING, fields
from datetime import timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from fastapi.testclient import TestClient
from pieces import code, table

from rankcast.language import show_duration
from rankcast.service import Limits, ServiceSettings, create_app

__all__ = ["VARIABLES", "metrics", "routes", "settings"]

VARIABLES = {
    "RANKCAST_STORE": "The store that commands use if `--store` names none.",
    "RANKCAST_KAFKA_CONFIG": "The file with TLS and SASL settings for all Kafka topics.",
    "RANKCAST_KAFKA_JARS": "A folder with the jars of Spark's Kafka connector; without it, Spark downloads them.",
    "RANKCAST_SECRET_KEY": "Keys that encrypt webhook secrets in the store; the first one encrypts, all decrypt.",
    "RANKCAST_UPSTREAM_TOKEN": "The token with which an edge connects to its upstream broker.",
    "RANKCAST_TOKEN": "The token of an administrator for `rankcast overlay status`, `forget` and `rejoin`.",
    "RANKCAST_FUNCTIONS": "Modules, separated by commas, that register functions for `aggregate` and `levels`.",
    "RANKCAST_DEBUG": "Any value shows the traceback of an internal error, and Spark's own messages.",
}
"""The environment variables that people set. A test compares them with the sources."""


def routes() -> str:
    """Every route of the HTTP API."""
    with _service() as (app, _):
        document = app.openapi()
    by_tag: dict[str, list[tuple[str, str, str]]] = {}
    for path, methods in document["paths"].items():
        for method, one in methods.items():
            told = (one.get("description") or one.get("summary", "")).split("\n\n")[0]
            row = (f"`{method.upper()}`", code(path), told.replace("<", "&lt;"))
            by_tag.setdefault((one.get("tags") or ["other"])[0], []).append(row)
    text = (
        "# HTTP routes\n\n[The service](../service.md) says how to use them: tokens, errors, live deliveries. "
        "A running service shows every field of every route at `/v1/docs`. This page is generated from the same "
        "OpenAPI document.\n\n"
    )
    titles = ("method", "path", "what it does")
    return text + "".join(f"## {tag.capitalize()}\n\n{table(titles, rows)}" for tag, rows in by_tag.items())


def metrics() -> str:
    """Every metric that a service exports."""
    with _service() as (app, client):
        service = app.state.service
        service.store.claim("p", "a checkpoint", 1)
        service.metrics.progress({"sources": [{"metrics": {"maxOffsetsBehindLatest": "1"}}]})
        text = client.get("/metrics").text
    help_of = dict(re.findall(r"^# HELP (rankcast_\w+) (.*)", text, re.MULTILINE))
    kind_of = dict(re.findall(r"^# TYPE (rankcast_\w+) (.*)", text, re.MULTILINE))
    rows = [(code(name), kind_of[name], told) for name, told in help_of.items() if not name.endswith("_created")]
    return (
        "# Metrics\n\n`rankcast serve` exports these at `/metrics`, and `rankcast run --metrics-port` those of the "
        "pipeline. [What to watch](../deploy.md#what-to-watch) says when to look. `deploy/monitoring` has "
        "[alerts](../deploy/monitoring/alerts.yaml) for Prometheus and a [dashboard](../deploy/monitoring/dashboard.json) "
        f"for Grafana.\n\n{table(('metric', 'type', 'meaning'), rows)}"
    )


def settings() -> str:
    """Environment variables, and the settings of a service."""
    variables = table(("variable", "meaning"), [(code(name), told) for name, told in VARIABLES.items()])
    parts = "".join(
        f"### `{record.__name__}`\n\n{_prose(record.__doc__ or '')}\n\n{table(('setting', 'default'), _defaults(record))}"
        for record in (ServiceSettings, Limits)
    )
    return (
        "# Settings\n\nCommands take [options](commands.md); these are the settings beside them.\n\n"
        f"## Environment variables\n\n{variables}"
        "## Settings of a service in Python\n\nA program that runs the service itself passes `ServiceSettings` to "
        "`rankcast.service.create_app`. The options of [`rankcast serve`](commands.md#rankcast-serve) set the same.\n\n"
        f"{parts}"
    )


def _prose(docstring: str) -> str:
    """The docstring as Markdown: without its indentation, which would make it a block of code."""
    return "\n".join(line.strip() for line in docstring.replace("``", "`").strip().splitlines())


def _defaults(record: type) -> Iterator[tuple[str, str]]:
    for one in fields(record):
        value = one.default if one.default is not MISSING else one.default_factory()
        if not hasattr(value, "__dataclass_fields__"):
            shown = show_duration(value) if isinstance(value, timedelta) else value
            yield code(one.name), "" if shown in (None, ()) else code(shown)


@contextmanager
def _service() -> Iterator[tuple[Any, TestClient]]:
    with TemporaryDirectory() as folder:
        app = create_app(ServiceSettings(store=str(Path(folder) / "store.db"), dev=True, page=False, pipeline=False))
        with TestClient(app, base_url="http://localhost") as client:
            yield app, client
