"""The application: routes, pipeline and page."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi

from rankcast import __version__
from rankcast.plain import JsonObject
from rankcast.service.api.brokers import BROKER_SCHEMAS
from rankcast.service.api.names import EncodedSlashes
from rankcast.service.api.publishing import Publishing
from rankcast.service.api.push_schemas import PUSH_SCHEMAS
from rankcast.service.api.routes import add_routes
from rankcast.service.api.schemas import SCHEMAS
from rankcast.service.guards import BodyLimit, OwnMachineOnly, SlowRefusals, StrictTransport
from rankcast.service.measuring import RequestMeter
from rankcast.service.problems import add_problems
from rankcast.service.right_of_way import GivesWay
from rankcast.service.service import Service
from rankcast.service.settings import ServiceSettings

_DESCRIPTION = """\
Ranked publish/subscribe: each subscriber gets the few events worth getting.

Say what you want (`subscriptions`), what you prefer (`preferences`) and how much (`policy`); publish `events`; read `deliveries`,
page by page or live. All errors are problem details (RFC 9457); a bad expression is answered with the character that is
wrong, what was found there and what would be right."""


def create_app(settings: ServiceSettings | None = None) -> FastAPI:
    """Create a service over the store that the settings name. The store is created if it does not exist.

    The `Service` is `app.state.service`. The pipeline starts and stops with the application.
    """
    service = Service(settings or ServiceSettings())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            service.stop()

    app = FastAPI(
        title="Rankcast",
        version=__version__,
        description=_DESCRIPTION,
        lifespan=lifespan,
        openapi_url=None,  # a route of the API, whose rate is limited
        docs_url=None,
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,  # a short operationId; a test checks that it is unique
    )
    app.state.service = service
    add_problems(app)
    app.add_middleware(EncodedSlashes)
    app.add_middleware(Publishing)
    app.add_middleware(BodyLimit, limits=service.settings.limits)
    if service.settings.dev:
        app.add_middleware(OwnMachineOnly, settings=service.settings)
    app.add_middleware(RequestMeter, service=service)
    add_routes(app)
    app.openapi = lambda: _openapi(app)  # type: ignore[method-assign]  # FastAPI's own way to change it
    if service.settings.page:
        from rankcast.service.page import attach

        attach(app, service)
    app.add_middleware(GivesWay, right_of_way=service.right_of_way)
    app.add_middleware(SlowRefusals)
    if service.settings.tls_cert is not None:
        app.add_middleware(StrictTransport)
    return app


def _openapi(app: FastAPI) -> JsonObject:
    """The OpenAPI document, with the schemas of `rankcast.service.api.schemas` and `push_schemas`."""
    if app.openapi_schema is None:
        made = get_openapi(title=app.title, version=app.version, description=app.description, routes=app.routes)
        schemas = made.setdefault("components", {}).setdefault("schemas", {})
        for unused in ("HTTPValidationError", "ValidationError"):
            schemas.pop(unused, None)
        schemas.update(SCHEMAS | PUSH_SCHEMAS | BROKER_SCHEMAS)
        settings: ServiceSettings = app.state.service.settings
        if settings.public_url is not None:
            made["servers"] = [{"url": settings.address}]
        app.openapi_schema = made
    return app.openapi_schema
