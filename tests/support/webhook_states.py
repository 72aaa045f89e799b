"""How the webhooks of a store fare."""

from rankcast.service.push.webhooks import Webhooks
from rankcast.store import MessageLog, Store
from rankcast.store.push.webhook_log import Webhook


def state(webhooks: Webhooks, user: str = "ann") -> Webhook:
    """The only webhook of a user."""
    (webhook,) = webhooks.endpoints.of(user)
    return webhook


def counts(store: Store) -> tuple[int, int, int]:
    """How many messages wait, are tried again, are dead."""
    return tuple(MessageLog(store.database).counts())
