"""Counts requests and measures how long they take."""

from time import perf_counter

from prometheus_client import Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from rankcast.service.service import Service

_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0)


class RequestMeter:
    """Counts requests by method and status, and measures the time until the response begins.

    Paths are not a label, because they contain user names and their number is unbounded.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self._app = app
        registry = service.metrics.registry
        self._count = Counter("rankcast_http_requests", "Requests answered", ["method", "status"], registry=registry)
        self._seconds = Histogram(
            "rankcast_http_seconds", "Until an answer began", ["method"], buckets=_SECONDS, registry=registry
        )
        feeds = Gauge("rankcast_live_feeds", "Live feeds that are open", registry=registry)
        feeds.set_function(lambda: service.feeds.listeners)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, and count it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        begun = perf_counter()
        method = scope["method"] if scope["method"] in _METHODS else "other"

        async def measured(message: Message) -> None:
            if message["type"] == "http.response.start":
                self._count.labels(method, str(message["status"])).inc()
                self._seconds.labels(method).observe(perf_counter() - begun)
            await send(message)

        await self._app(scope, receive, measured)


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
