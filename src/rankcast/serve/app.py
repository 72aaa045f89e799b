"""The application: all routes, the pipeline and the page put together."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.util import find_spec

from fastapi import FastAPI

from rankcast import __version__
from rankcast.serve.api import router
from rankcast.serve.service import Service
from rankcast.serve.settings import Settings

__all__ = ["create_app"]


def create_app(settings: Settings | None = None) -> FastAPI:
    """A service over the store of the settings, which is made if it is not there.

    The application has its `Service` as `app.state.service`; the pipeline starts and stops with the application.
    """
    service = Service(settings or Settings())

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        service.start()
        try:
            yield
        finally:
            service.stop()

    app = FastAPI(title="Rankcast", version=__version__, lifespan=lifespan, docs_url="/v1/docs", redoc_url=None)
    app.state.service = service
    app.include_router(router)
    if service.settings.page and find_spec("rankcast.serve.page") is not None:
        from rankcast.serve.page import attach

        attach(app, service)
    return app
