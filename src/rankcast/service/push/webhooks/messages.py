"""The content of a message: its id, type and body, identical at every attempt."""

from datetime import datetime
from hashlib import blake2b
from typing import NamedTuple

from rankcast.errors import StoreError
from rankcast.language import dumps, encode_delivery, encode_event, show_time
from rankcast.model import Delivery
from rankcast.plain import JsonObject
from rankcast.service.push.digests import read_digest
from rankcast.store import Store
from rankcast.store.push.webhook_log import DELIVERY, Webhook
from rankcast.store.push.webhook_messages import MessageKey

__all__ = ["TEST", "WebhookMessage", "message_of", "trial_message"]

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
