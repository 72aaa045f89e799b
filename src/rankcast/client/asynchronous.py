"""The asynchronous client; it has the same methods as `rankcast.client.Client`."""

from asyncio import sleep
from collections.abc import AsyncIterator, Iterable, Mapping
from contextlib import AbstractAsyncContextManager
from types import TracebackType
from typing import TypeVar

import httpx
import msgspec

from rankcast.client import calls
from rankcast.client.answers import Acknowledgement, ReceivedDelivery, ServiceError, TrialResult, received_of
from rankcast.client.calls import Call
from rankcast.client.sending import TRIES, SentEvents, cannot_reach, checked, is_passing, pause
from rankcast.model import Advertisement, Concept, Event, Policy, Preference, Subscription
from rankcast.plain import JsonObject

__all__ = ["AsyncClient"]

_T = TypeVar("_T")
_SILENCE = 60.0
"""Seconds without a heartbeat after which a live stream counts as disconnected."""


class AsyncClient:
    """An asynchronous client of a service for one user, publisher or administrator. Read streams with ``async for``.

    Parameters
    ----------
    address
        Address of the service, such as ``http://127.0.0.1:8765``.
    token
        The token that `rankcast token create` printed. A development service (`--dev`) needs none.
    user
        The user to act for; by default the owner of the token.
    http
        The httpx client that sends the requests; by default one with httpx's default settings.

    If the connection fails, idempotent requests are sent up to five times. `publish` is one of them, because it
    generates an idempotency key. If the service refuses a request, the method raises `ServiceError`.
    """

    def __init__(
        self, address: str, token: str | None = None, *, user: str | None = None, http: httpx.AsyncClient | None = None
    ) -> None:
        self._address = address.rstrip("/")
        self._http = http or httpx.AsyncClient(timeout=30.0)
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._user = user

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    async def __aenter__(self) -> "AsyncClient":
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    # identity

    async def who_am_i(self) -> JsonObject:
        """Role and name of the token."""
        return await self._send(calls.who_am_i())

    async def user(self) -> str:
        """The user for whom this client acts."""
        if self._user is None:
            name = (await self.who_am_i())["name"]
            if name is None:
                detail = "an administrator's client needs a user; create it with user=NAME"
                raise ServiceError(0, {"type": "user", "detail": detail})
            self._user = str(name)
        return self._user

    async def create_token(
        self, role: str, name: str | None = None, note: str = "", *, expires: str | None = None
    ) -> str:
        """Create a token for a user, publisher or administrator. Only an administrator may do this.

        The token expires after the duration `expires`, such as ``90d``.
        """
        return await self._send(calls.create_token(role, name, note, expires))

    # the catalog

    async def subscribe(self, where: str, id: str | None = None, *, score: float | None = None) -> Subscription:  # noqa: A002
        """Subscribe to the events that match an expression. An existing subscription with this id is replaced."""
        return await self._send(calls.subscribe(await self.user(), where, id, score))

    async def unsubscribe(self, id: str) -> None:  # noqa: A002
        """Remove a subscription and the preferences that refer to it."""
        await self._send(calls.unsubscribe(await self.user(), id))

    async def subscriptions(self) -> list[Subscription]:
        """All subscriptions, in the order in which they were created."""
        return await self._send(calls.subscriptions(await self.user()))

    async def prefer(self, id: str, over: str) -> Preference:  # noqa: A002
        """Prefer one subscription over another."""
        return await self._send(calls.prefer(await self.user(), id, over))

    async def preferences(self) -> list[Preference]:
        """All preferences."""
        return await self._send(calls.preferences(await self.user()))

    async def policy(self) -> Policy:
        """The delivery policy of the user."""
        return await self._send(calls.policy(await self.user()))

    async def set_policy(self, policy: Policy | None = None, **fields: object) -> Policy:
        """Set the delivery policy, given whole or by fields: ``set_policy(mode="sliding", k=3, length=50)``."""
        return await self._send(calls.set_policy(await self.user(), policy or fields))

    async def concepts(self) -> list[Concept]:
        """The concepts that apply to the user: their own, and the common ones for all other words."""
        return await self._send(calls.concepts(await self.user()))

    async def put_concept(self, concept: Concept) -> Concept:
        """Save a concept, for its user or, as an administrator, for everybody."""
        return await self._send(calls.put_concept(concept))

    # advertisements, as a publisher

    async def advertise(
        self,
        id: str,  # noqa: A002
        where: str,
        k: int,
        *,
        rank: str | None = None,
        score: str | None = None,
        publisher: str | None = None,
    ) -> Advertisement:
        """Create an advertisement, or replace the one with this id.

        Each publication under it goes to the `k` best-ranked subscriptions. An administrator names the `publisher`.
        """
        fields = {"where": where, "k": k, "rank": rank, "score": score, "publisher": publisher}
        return await self._send(calls.advertise(id, fields))

    async def withdraw(self, id: str) -> None:  # noqa: A002
        """Remove an advertisement. Events that were published under it stay."""
        await self._send(calls.withdraw(id))

    async def advertisements(self) -> list[Advertisement]:
        """The advertisements of the publisher; for an administrator, all."""
        return await self._send(calls.advertisements())

    # brokers

    async def brokers(self) -> JsonObject:
        """The tree of brokers that the service belongs to. Only an administrator may see it."""
        return await self._send(calls.brokers())

    async def forget_broker(self, name: str) -> None:
        """Remove an edge that is gone for good. Only an administrator may do this."""
        await self._send(calls.forget_broker(name))

    # events and deliveries

    async def publish(
        self,
        events: Event | Mapping[str, object] | Iterable[Event | Mapping[str, object]],
        key: str | None = None,
        *,
        under: str | None = None,
        k: int | None = None,
    ) -> list[Acknowledgement]:
        """Publish one or more events, given as `Event` or in their JSON form; return an acknowledgement of each.

        `under` names the advertisement of all of them, and `k` asks for fewer recipients than it allows.
        """
        several = [events] if isinstance(events, Event | Mapping) else events
        return await self._send(calls.publish(several, key, under, k))

    async def deliveries(
        self, limit: int | None = None, *, newest_first: bool = False, after: int = 0, with_events: bool = False
    ) -> AsyncIterator[ReceivedDelivery]:
        """Past deliveries, at most `limit`; pages are fetched as you iterate."""
        cursor, left = str(after) if after else None, limit
        while left is None or left > 0:
            size = 200 if left is None else min(200, left)
            page = await self._send(calls.deliveries(await self.user(), size, newest_first, cursor, with_events))
            for received in page.deliveries:
                yield received
            if page.next is None:
                return
            cursor, left = page.next, None if left is None else left - size

    async def live(self, after: int | None = None, *, with_events: bool = False) -> AsyncIterator[ReceivedDelivery]:
        """An endless stream of deliveries, after a delivery number or from now on.

        After a disconnect the stream reconnects and resumes; nothing is lost or repeated. If the service asks for a
        `resync`, the missing deliveries are fetched page by page.
        """
        last = None if after is None else str(after)
        user = await self.user()
        failures = 0
        while True:
            lines = SentEvents()
            try:
                async with self._open(user, last, with_events) as stream:
                    if stream.status_code >= 400:
                        await stream.aread()
                        checked(stream)
                    async for line in stream.aiter_lines():
                        for event in lines.take(line):
                            failures = 0
                            if event.kind == "delivery":
                                yield received_of(event.data)
                            elif event.kind == "resync" and last is not None and int(last) < event.data["last"]:
                                async for received in self.deliveries(after=int(last), with_events=with_events):
                                    if received.number > event.data["last"]:
                                        break
                                    yield received
                                    last = str(received.number)
                        last = lines.last_id or last
            except (httpx.TransportError, ServiceError) as error:
                if not is_passing(error):
                    raise
            failures += 1
            await sleep(pause(failures))

    # trials and explanations

    async def try_expression(self, where: str, limit: int = 1000, show: int = 10) -> TrialResult:
        """Count how many of the last events an expression would have matched."""
        return await self._send(calls.try_expression(await self.user(), where, limit, show))

    async def explain(self, event: str) -> JsonObject:
        """Explain why an event was or was not sent to the user."""
        return await self._send(calls.explain(await self.user(), event))

    async def stats(self) -> JsonObject:
        """How evenly deliveries are spread over the subscriptions of the user."""
        return await self._send(calls.stats(await self.user()))

    # sending

    def _open(self, user: str, last: str | None, with_events: bool) -> AbstractAsyncContextManager[httpx.Response]:
        headers = self._headers if last is None else {**self._headers, "Last-Event-ID": last}
        params = {"include": "event"} if with_events else {}
        path = calls.live_path(user)
        patient = httpx.Timeout(30.0, read=_SILENCE)
        return self._http.stream("GET", self._address + path, headers=headers, params=params, timeout=patient)

    async def _send(self, call: Call[_T]) -> _T:
        headers = {**self._headers, **(call.headers or {})}
        content = None if call.json is None else msgspec.json.encode(call.json)
        if content is not None:
            headers["Content-Type"] = "application/json"
        failures = 0
        while True:
            try:
                response = await self._http.request(
                    call.method, self._address + call.path, params=call.params, content=content, headers=headers
                )
                return call.read(checked(response))
            except (httpx.TransportError, ServiceError) as error:
                failures += 1
                if failures == TRIES or not call.again or not is_passing(error):
                    if isinstance(error, httpx.TransportError):
                        raise cannot_reach(self._address, error) from None
                    raise
            await sleep(pause(failures))
