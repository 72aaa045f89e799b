"""Running the service: an HTTP server that shuts down cleanly."""

import gc
import logging
import os
import socket
import ssl
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from threading import Thread, Timer
from time import sleep

import uvicorn
from fastapi import FastAPI

from rankcast.errors import EnvironmentProblem
from rankcast.service.app import create_app
from rankcast.service.service import Service
from rankcast.service.settings import ServiceSettings

_log = logging.getLogger("rankcast.service")
_GRACE = 5


def bound(settings: ServiceSettings) -> socket.socket:
    """A socket bound to the address of the settings. Raises a readable error if the address is in use."""
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


def check_certificate(settings: ServiceSettings) -> None:
    """Raise EnvironmentProblem if the service should use HTTPS but its certificate or key is unusable."""
    if settings.tls_cert is None:
        return
    try:
        # The empty password prevents OpenSSL from asking for one at the terminal.
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(settings.tls_cert, settings.tls_key, password="")
    except OSError as error:  # ssl errors are OSErrors
        raise EnvironmentProblem(
            f"cannot use certificate {settings.tls_cert} with key {settings.tls_key}: {error}; "
            "both must be readable files in PEM format, the key without a password and of that certificate"
        ) from None


class HttpServer(uvicorn.Server):
    """Serves an application until it is told to stop. Then live feeds end at once, and open requests are finished.

    `ready` is called once the server listens. With `patience`, the process exits that many seconds after it was told
    to stop, even if threads are still running. Nothing that was acknowledged is lost, and no request can delay the
    shutdown further.
    """

    def __init__(self, app: FastAPI, ready: Callable[[], None] = lambda: None, patience: float | None = None) -> None:
        self._service: Service = app.state.service
        super().__init__(
            uvicorn.Config(
                app,
                log_level="warning",
                access_log=False,
                timeout_graceful_shutdown=_GRACE,
                server_header=False,
                ssl_certfile=self._service.settings.tls_cert,
                ssl_keyfile=self._service.settings.tls_key,
            )
        )
        self._ready = ready
        self._patience = patience

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start listening."""
        await super().startup(sockets)
        if self._patience is not None:  # the process only serves, so what is loaded now stays
            gc.collect()
            gc.freeze()
        if self.started:
            self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End the live feeds, then shut down."""
        if self._patience is not None:
            timer = Timer(self._patience, _end_hard, [self._patience])
            timer.daemon = True
            timer.start()
        self._service.feeds.end()
        self._service.brokers.end_sessions()
        self._service.trials.stop()
        await super().shutdown(sockets)

    def serve_on(self, made: socket.socket) -> None:
        """Serve on a socket until the server stops."""
        self.run(sockets=[made])


def _end_hard(patience: float) -> None:
    # In a thread, because writing waits for ever if nobody reads the log.
    said = Thread(target=_log.warning, args=["cut off what still ran %g s after the end was asked for", patience])
    said.daemon = True
    said.start()
    said.join(1.0)
    os._exit(0)


@contextmanager
def listening(settings: ServiceSettings) -> Iterator[tuple[str, Service]]:
    """Run a service in a thread of this process, for notebooks and tests. Yields its address and the service.

    Port 0 selects a free port.
    """
    check_certificate(settings)
    made = bound(settings)
    settings = replace(settings, port=made.getsockname()[1])
    app = create_app(settings)
    server = HttpServer(app)
    thread = Thread(target=server.serve_on, args=[made], name="rankcast-serve", daemon=True)
    thread.start()
    try:
        while not server.started:
            if not thread.is_alive():
                raise EnvironmentProblem(f"the service at {settings.address} did not start; its log says why")
            sleep(0.01)
        yield settings.address, app.state.service
    finally:
        server.should_exit = True
        thread.join()
