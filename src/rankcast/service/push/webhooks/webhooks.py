"""Sends webhooks from a thread with its own event loop."""

import asyncio
import logging
from collections.abc import Iterable
from contextlib import suppress
from datetime import timedelta
from itertools import count
from secrets import token_hex
from threading import Thread
from typing import Any, Protocol

from rankcast.errors import StoreError
from rankcast.model import EPOCH
from rankcast.plain import JsonObject
from rankcast.service.push.digests import Digests
from rankcast.service.push.webhooks.endpoints import Endpoints
from rankcast.service.push.webhooks.posting import Poster, PostOutcome
from rankcast.service.push.webhooks.sending import RetrySchedule, Sender
from rankcast.store import Lease, MessageLog, Store, WebhookLog

_log = logging.getLogger("rankcast.service.push.webhooks")
_TURN = 20
_GRACE = 2.0
_PATIENCE = 15.0
_LEASE = timedelta(seconds=15)


class _Settings(Protocol):
    @property
    def private_webhooks(self) -> bool:
        """Whether endpoints may be outside the public Internet."""


class WebhookHost(Protocol):
    """What `Webhooks` needs of a service."""

    @property
    def store(self) -> Store:
        """The store, with its clock."""

    @property
    def settings(self) -> _Settings:
        """The settings of the service."""


class Webhooks:
    """Sends the deliveries and digests of users to their endpoints.

    At most `concurrency` endpoints are served at a time. Each gets up to 20 messages per turn, and those that waited
    longest come first. All state is in the store, so a restart at any moment loses nothing. If several services share
    a store, one of them sends. Another takes over within 15 seconds if it ends.
    """

    def __init__(
        self,
        service: WebhookHost,
        digests: Digests | None = None,
        retrying: RetrySchedule | None = None,
        concurrency: int = 32,
        poll: float = 0.5,
        **posting: Any,
    ) -> None:
        self._store = service.store
        self._digests = digests or Digests(service)
        self._retrying = retrying or RetrySchedule()
        self._concurrency = concurrency
        self._poll = poll
        self._allow_private = service.settings.private_webhooks
        self._posting = posting
        self._lease = Lease(service.store.database, "webhooks", token_hex(8))
        self._held_until = EPOCH
        self._turn = count(1)
        self._turns: dict[str, int] = {}
        self._thread: Thread | None = None
        self._loop: asyncio.AbstractEventLoop | None = None
        self._stopping = False
        self._woken = asyncio.Event()
        self._has_endpoints = True
        """Whether there were active endpoints when this last looked."""
        self.endpoints = Endpoints(service.store, self._allow_private)
        self.error: str | None = None

    def start(self) -> None:
        """Start sending."""
        if self._thread is None:
            self._stopping = False
            self._thread = Thread(target=lambda: asyncio.run(self._run()), name="rankcast-webhooks", daemon=True)
            self._thread.start()

    def stop(self) -> None:
        """Wait briefly for requests in progress, cancel slower ones (they are sent again later), and stop."""
        self._stopping = True
        self.wake()
        if self._thread is not None:
            self._thread.join()
            self._thread = None

    def delivered(self) -> None:
        """Report that deliveries were committed. Returns at once, and wakes nobody if there are no endpoints."""
        if self._has_endpoints:
            self.wake()

    def wake(self) -> None:
        """Report that there may be messages to send. Returns at once."""
        if self._loop is not None:
            with suppress(RuntimeError):  # the loop has just ended
                self._loop.call_soon_threadsafe(self._woken.set)

    async def round(self) -> None:
        """Send everything that may be sent now, and wait for the outcomes. For use without the thread."""
        async with self._poster() as poster:
            sending = self._sending(poster)
            while ready := await asyncio.to_thread(sending.ready):
                await asyncio.gather(*(self._serve(sending, webhook.id) for webhook in ready))

    async def test(self, user: str, webhook_id: str) -> PostOutcome:
        """Send a message of type `webhook.test` to one of the user's endpoints once, and return the outcome."""
        webhook = await asyncio.to_thread(self.endpoints.get, user, webhook_id)
        async with self._poster() as poster:
            return await self._sending(poster).trial(webhook)

    def health(self) -> JsonObject:
        """Whether the thread runs; how many messages wait, are retried or dead; how many endpoints are disabled."""
        waiting, retrying, dead = MessageLog(self._store.database).counts()
        webhooks = WebhookLog(self._store.database).webhooks()
        return {
            "running": self._thread is not None and self._thread.is_alive(),
            "error": self.error,
            "active": sum(webhook.active for webhook in webhooks),
            "disabled": sum(not webhook.active for webhook in webhooks),
            "waiting": waiting,
            "retrying": retrying,
            "dead": dead,
        }

    def _poster(self) -> Poster:
        return Poster(self._allow_private, **self._posting)

    def _sending(self, poster: Poster) -> Sender:
        return Sender(self._store, self._digests, poster, self._retrying)

    async def _run(self) -> None:
        self._loop, self._woken = asyncio.get_running_loop(), asyncio.Event()
        serving: dict[str, asyncio.Task[None]] = {}
        async with self._poster() as poster:
            sending = self._sending(poster)
            while not self._stopping:
                self._woken.clear()
                serving = {webhook: task for webhook, task in serving.items() if not task.done()}
                for webhook in await self._ready(sending):
                    if webhook not in serving and len(serving) < self._concurrency:
                        serving[webhook] = asyncio.create_task(self._serve(sending, webhook))
                with suppress(TimeoutError):
                    await asyncio.wait_for(self._woken.wait(), self._poll)
            await _end(serving.values())
            with suppress(StoreError, RuntimeError):  # the process is ending, and the lease expires by itself
                await asyncio.to_thread(self._release)
        self._loop = None

    async def _ready(self, sending: Sender) -> list[str]:
        """The endpoints to serve next: first those with the oldest last turn."""
        try:
            ready = await asyncio.to_thread(self._found, sending)
        except Exception as error:  # for example a store that another process has locked
            self._noted(error)
            return []
        return sorted(ready, key=lambda webhook: self._turns.get(webhook, 0))

    async def _serve(self, sending: Sender, webhook: str) -> None:
        """Serve one turn of an endpoint."""
        self._turns[webhook] = next(self._turn)
        try:
            if await sending.send(webhook, _TURN):
                self._woken.set()
        except Exception as error:
            self._noted(error)
            await asyncio.sleep(_PATIENCE)

    def _found(self, sending: Sender) -> list[str]:
        self._has_endpoints = WebhookLog(self._store.database).has_active()
        return [webhook.id for webhook in sending.ready()] if self._holds() else []

    def _holds(self) -> bool:
        """Whether this process holds the lease for sending. Renews it every few seconds."""
        now = self._store.database.clock()
        if now + _LEASE / 2 >= self._held_until:
            self._held_until = now + _LEASE if self._lease.hold(now, _LEASE) else EPOCH
        return now < self._held_until

    def _release(self) -> None:
        self._held_until = EPOCH
        self._lease.release()

    def _noted(self, error: Exception) -> None:
        self.error = str(error) or type(error).__name__
        _log.warning("webhooks wait: %s", self.error)


async def _end(tasks: Iterable[asyncio.Task[None]]) -> None:
    under_way = list(tasks)
    if under_way:
        _, late = await asyncio.wait(under_way, timeout=_GRACE)
        for task in late:
            task.cancel()
        await asyncio.gather(*under_way, return_exceptions=True)
