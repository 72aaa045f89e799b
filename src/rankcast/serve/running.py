"""Running a service: a server that stops without leaving anybody hanging."""

import asyncio
import socket
from collections.abc import Callable

import uvicorn
from fastapi import FastAPI

from rankcast.errors import EnvironmentProblem
from rankcast.serve.service import Service
from rankcast.serve.settings import Settings

__all__ = ["Server", "bound"]

_GRACE = 5


def bound(settings: Settings) -> socket.socket:
    """The socket of the address; refused with words if another has it."""
    family = socket.AF_INET6 if ":" in settings.host else socket.AF_INET
    made = socket.socket(family, socket.SOCK_STREAM)
    made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        made.bind((settings.host, settings.port))
    except OSError as error:
        made.close()
        raise EnvironmentProblem(
            f"cannot listen on {settings.host} port {settings.port}: {error.strerror}; choose another with --port"
        ) from None
    return made


class Server(uvicorn.Server):
    """Serves an application until it is told to stop; live feeds end then at once, requests at hand are finished.

    `started` is called once it listens.
    """

    def __init__(self, app: FastAPI, ready: Callable[[], None] = lambda: None) -> None:
        super().__init__(
            uvicorn.Config(
                app, log_level="warning", access_log=False, timeout_graceful_shutdown=_GRACE, server_header=False
            )
        )
        self._service: Service = app.state.service
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to listen."""
        await super().startup(sockets)
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Let live feeds end, then the rest."""
        self._service.feeds.end()
        await super().shutdown(sockets)

    def serve_on(self, made: socket.socket) -> None:
        """Serve on a socket until the end."""
        asyncio.run(self.serve(sockets=[made]))
