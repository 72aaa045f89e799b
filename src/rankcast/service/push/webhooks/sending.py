"""Makes the messages for one endpoint, sends one after another, and handles the outcomes: retries, pauses, dead letters."""

import asyncio
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import blake2b
from typing import NamedTuple

from rankcast.errors import RankcastError, StoreError
from rankcast.language import dumps, encode_delivery, encode_event, show_time
from rankcast.model import Delivery
from rankcast.plain import JsonObject
from rankcast.service.push.digests import Digests, read_digest
from rankcast.service.push.webhooks.posting import Poster, PostOutcome
from rankcast.service.push.webhooks.signing import signed_headers
from rankcast.store import MessageLog, Store, WebhookLog
from rankcast.store.push.webhook_log import DELIVERY, Webhook
from rankcast.store.push.webhook_messages import Failure, MessageKey

_DELAYS = tuple(timedelta(seconds=seconds) for seconds in (5, 5 * 60, 30 * 60, 2 * 3600, 5 * 3600, 8 * 3600, 10 * 3600))


@dataclass(frozen=True, slots=True)
class RetrySchedule:
    """The retry schedule, the same for all endpoints.

    `delays` are the times between the attempts of one message: eight attempts over about 25 hours. `jitter` lengthens
    a delay by up to this fraction. A hash of endpoint, message and attempt gives the fraction, so that a replay waits
    equally long and messages that failed together are not retried together.

    A failing endpoint is paused, longer after each consecutive failure, up to `longest_pause`. An endpoint that is
    down therefore gets one request in ten minutes, however many messages wait. After `disable_after` of only failures
    it is disabled. `longest_wait` bounds the delay that a receiver may ask for with `Retry-After`.
    """

    delays: tuple[timedelta, ...] = _DELAYS
    jitter: float = 0.1
    first_pause: timedelta = timedelta(seconds=1)
    longest_pause: timedelta = timedelta(minutes=10)
    disable_after: timedelta = timedelta(days=3)
    longest_wait: timedelta = timedelta(days=1)

    @property
    def attempts(self) -> int:
        """The number of attempts before a message becomes a dead letter."""
        return len(self.delays) + 1

    def delay(self, webhook: str, message: str, attempts: int, asked: timedelta | None = None) -> timedelta | None:
        """The delay after this many failed attempts, at least `asked`; None after the last attempt."""
        if attempts >= self.attempts:
            return None
        drawn = self.delays[attempts - 1] * (1 + self.jitter * _share(webhook, message, attempts))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))

    def pause(self, webhook: str, failures: int, asked: timedelta | None = None) -> timedelta:
        """How long an endpoint is paused after this many consecutive failures, whichever message is next."""
        # Thirty doublings exceed any longest pause; more would overflow.
        grown = min(self.first_pause * float(2 ** min(failures - 1, 30)), self.longest_pause)
        drawn = grown * (1 + self.jitter * _share(webhook, "pause", failures))
        return max(drawn, min(asked or timedelta(0), self.longest_wait))


def _share(*stable: object) -> float:
    """A pseudo-random number in 0..1 that depends only on the arguments."""
    digest = blake2b("\0".join(map(str, stable)).encode(), digest_size=8).digest()
    return int.from_bytes(digest) / 2**64


TEST = "webhook.test"
"""The type of a test message."""

_LARGEST = 16 * 1024


class WebhookMessage(NamedTuple):
    """A message without the headers of the attempt."""

    id: str
    body: bytes


def message_of(store: Store, webhook: Webhook, key: MessageKey) -> WebhookMessage:
    """The message about a delivery or a digest.

    It is derived from the log, which never changes, so every attempt sends the same bytes under the same id.
    """
    if key.type == DELIVERY:
        found = next(iter(store.deliveries(webhook.user, key.number - 1, 1)), None)
        if found is None or found[0] != key.number:
            raise StoreError(f"there is no delivery {key.number} to {webhook.user!r}")
        when, data = found[1].forwarded, _delivery(store, *found)
    else:
        digest = read_digest(store, webhook.user, key.number)
        when, data = digest.due, digest.to_json(_LARGEST)
    return WebhookMessage(_hashed(webhook.id, key.type, str(key.number)), _body(key.type, when, data))


def trial_message(webhook: Webhook, now: datetime) -> WebhookMessage:
    """A test message for an endpoint."""
    body = _body(TEST, now, {"user": webhook.user, "webhook": webhook.id})
    return WebhookMessage(_hashed(webhook.id, TEST, show_time(now)), body)


def _delivery(store: Store, number: int, delivery: Delivery) -> JsonObject:
    logged = store.event(delivery.event)
    content = None if logged is None else encode_event(logged.event)
    if content is not None and len(dumps(content)) > _LARGEST:
        # A large body burdens every receiver, even those that do not need it. The event can be fetched by its id.
        content = None
    return {"number": number, **encode_delivery(delivery), "content": content}


def _body(type_: str, when: datetime, data: JsonObject) -> bytes:
    return dumps({"type": type_, "timestamp": show_time(when), "data": data}).encode()


def _hashed(*stable: str) -> str:
    # Only letters and digits: a full stop would make the signed text ambiguous.
    return "msg_" + blake2b("\0".join(stable).encode(), digest_size=16).hexdigest()


class _Attempt(NamedTuple):
    webhook: Webhook
    key: MessageKey
    number: int
    message: WebhookMessage


class Sender:
    """Sends messages to endpoints and records the outcomes. Store access is in threads, off the event loop.

    An endpoint receives its messages in order, one at a time. A message that fails is retried later under the same
    id, and the others continue. If the process dies between a response and its record, the message is sent again:
    delivery is at-least-once, and the receiver can recognize the id.
    """

    def __init__(self, store: Store, digests: Digests, poster: Poster, retrying: RetrySchedule) -> None:
        self._store = store
        self._digests = digests
        self._poster = poster
        self._retrying = retrying
        self._webhooks = WebhookLog(store.database)
        self._messages = MessageLog(store.database)

    def ready(self) -> list[Webhook]:
        """The endpoints to which something may be sent now, except during quiet hours of their users."""
        found = self._messages.ready(self._clock())
        quiet = self._digests.quiet_among({webhook.user for webhook in found})
        return [webhook for webhook in found if webhook.user not in quiet]

    async def send(self, webhook: str, most: int) -> bool:
        """Send the next messages of an endpoint, at most `most`. Returns whether it accepted that many.

        Accepted messages are recorded together in one transaction.
        """
        found = await asyncio.to_thread(self._messages.next, webhook, self._clock(), most)
        accepted: list[MessageKey] = []
        failed: tuple[_Attempt, PostOutcome] | None = None
        try:
            for key, attempts in found:
                attempt = await asyncio.to_thread(self._attempt, webhook, key, attempts + 1)
                if attempt is None:
                    break
                outcome = await self._post(attempt.webhook, attempt.message)
                if not outcome.accepted:
                    failed = attempt, outcome
                    break
                accepted.append(key)
        finally:
            await asyncio.to_thread(self._note, webhook, accepted, failed)
        return len(accepted) == most

    async def trial(self, webhook: Webhook) -> PostOutcome:
        """Send a test message once, even to a disabled endpoint. Nothing is recorded."""
        return await self._post(webhook, trial_message(webhook, self._clock()))

    def _clock(self) -> datetime:
        return self._store.database.clock()

    def _attempt(self, webhook: str, key: MessageKey, number: int) -> _Attempt | None:
        """The message to send now; None if the endpoint was removed or disabled meanwhile, or in quiet hours."""
        known = self._webhooks.webhook(webhook)
        if known is None or not known.active or self._digests.quiet(known.user) is not None:
            return None
        return _Attempt(known, key, number, message_of(self._store, known, key))

    async def _post(self, webhook: Webhook, message: WebhookMessage) -> PostOutcome:
        now = self._clock()
        try:
            headers = signed_headers(webhook.signing(now), message.id, now, message.body)
        except RankcastError as error:  # the secret cannot be decrypted or used: only this endpoint fails
            return PostOutcome(None, f"not sent: {error}")
        return await self._poster.post(webhook.url, headers, message.body, now)

    def _note(self, webhook: str, accepted: list[MessageKey], failed: tuple[_Attempt, PostOutcome] | None) -> None:
        now = self._clock()
        if accepted:
            self._messages.accepted(webhook, accepted, now)
        if failed is None:
            return
        attempt, outcome = failed
        if outcome.gone:
            self._webhooks.disable(webhook, f"{outcome.reason}: the receiver wants no more messages")
            return
        known = self._webhooks.webhook(webhook) or attempt.webhook
        self._messages.failed(webhook, attempt.key, attempt.number, self._failure(known, attempt, outcome, now), now)

    def _failure(self, webhook: Webhook, attempt: _Attempt, outcome: PostOutcome, now: datetime) -> Failure:
        delay = self._retrying.delay(webhook.id, attempt.message.id, attempt.number, outcome.retry_after)
        pause = self._retrying.pause(webhook.id, webhook.failures + 1, outcome.retry_after)
        failing = now - (webhook.failing_since or now)
        disabled = None
        if failing >= self._retrying.disable_after:
            disabled = f"nothing but failures for {failing.days} days; the last: {outcome.reason}"
        return Failure(outcome.reason, None if delay is None else now + delay, now + pause, disabled)
