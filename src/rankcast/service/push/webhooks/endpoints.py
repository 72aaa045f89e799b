"""The webhook endpoints of users: creating, changing and removing them, and their dead letters."""

from collections.abc import Sequence
from datetime import timedelta
from secrets import token_hex

from rankcast.errors import CatalogError, ModelError, did_you_mean
from rankcast.model import check_scalar
from rankcast.service.push.webhooks.addresses import check_url
from rankcast.service.push.webhooks.signing import new_secret
from rankcast.store import MessageLog, Store, WebhookLog
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, Secret, Webhook
from rankcast.store.push.webhook_messages import MessageCounts, MessageKey, WaitingMessage

TYPES = (DELIVERY, DIGEST)
"""The message types that an endpoint can choose."""

_MOST = 20
_LONGEST = 200
_ROTATION = timedelta(days=1)


class Endpoints:
    """The webhooks of users over one store. Thread-safe. A user cannot access the endpoints of another.

    `allow_private` permits plain http, and addresses outside the public Internet.
    """

    def __init__(self, store: Store, allow_private: bool = False) -> None:
        self._store = store
        self._log = WebhookLog(store.database)
        self._messages = MessageLog(store.database)
        self._allow_private = allow_private

    def add(
        self, user: str, url: str, description: str = "", types: Sequence[str] | None = None
    ) -> tuple[Webhook, str]:
        """Create an endpoint for future deliveries. Returns it with its secret, which is not shown again."""
        self._check(url, description, types)
        check_scalar(user)
        secret = new_secret()
        webhook = Webhook(
            id=f"wh_{token_hex(8)}",
            user=user,
            url=url,
            created=self._store.database.clock(),
            secrets=(Secret(secret),),
            description=description,
            types=None if types is None else tuple(types),
        )
        kept = self._log.add(webhook, _MOST)
        if kept is None:
            raise ModelError(f"user {user!r} has {_MOST} webhooks already; remove one first")
        return kept, secret

    def of(self, user: str) -> list[Webhook]:
        """The endpoints of a user, oldest first."""
        return self._log.webhooks(user)

    def get(self, user: str, webhook_id: str) -> Webhook:
        """One of the user's endpoints; CatalogError if there is none with that id."""
        found = self._log.webhook(webhook_id)
        if found is None or found.user != user:
            raise CatalogError(f"user {user!r} has no webhook {webhook_id[:80]!r}")
        return found

    def change(self, user: str, webhook_id: str, url: str, description: str, types: Sequence[str] | None) -> Webhook:
        """Change URL, description and message types. Sending continues where it was."""
        webhook = self.get(user, webhook_id)
        self._check(url, description, types)
        self._log.change(webhook.id, url, description, types)
        return self.get(user, webhook_id)

    def rotate(self, user: str, webhook_id: str) -> tuple[Webhook, str]:
        """Create a new secret. For a day, messages are also signed with the old one, so the receiver can switch."""
        webhook = self.get(user, webhook_id)
        secret = new_secret()
        self._log.rotate(webhook.id, secret, self._store.database.clock() + _ROTATION)
        return self.get(user, webhook_id), secret

    def enable(self, user: str, webhook_id: str) -> Webhook:
        """Enable an endpoint. Sending continues from where it stopped."""
        self._log.enable(self.get(user, webhook_id).id)
        return self.get(user, webhook_id)

    def disable(self, user: str, webhook_id: str) -> Webhook:
        """Disable an endpoint. Messages since then are sent when it is enabled again."""
        self._log.disable(self.get(user, webhook_id).id, "disabled by the user")
        return self.get(user, webhook_id)

    def remove(self, user: str, webhook_id: str) -> None:
        """Remove an endpoint and its pending messages."""
        self._log.remove(self.get(user, webhook_id).id)

    def counts(self, user: str, webhook_id: str) -> MessageCounts:
        """The number of messages that are waiting, being retried, or dead."""
        return self._messages.counts(self.get(user, webhook_id).id)

    def dead(
        self, user: str, webhook_id: str, after: MessageKey | None = None, limit: int = 50
    ) -> list[WaitingMessage]:
        """Messages that failed at every attempt."""
        return self._messages.dead(self.get(user, webhook_id).id, after, limit)

    def replay(self, user: str, webhook_id: str, keys: Sequence[MessageKey] | None = None) -> int:
        """Retry dead letters, either the given ones or all, under their original ids. Returns how many."""
        return self._messages.replay(self.get(user, webhook_id).id, keys, self._store.database.clock())

    def _check(self, url: str, description: str, types: Sequence[str] | None) -> None:
        check_url(url, self._allow_private)
        check_scalar(description)
        if len(description) > _LONGEST:
            raise ModelError(f"the description has {len(description)} characters; at most {_LONGEST} are allowed")
        for name in types or ():
            if name not in TYPES:
                raise ModelError(f"there are no messages of type {name[:80]!r}{did_you_mean(name, TYPES)}")
        if types is not None and not types:
            raise ModelError("'types' must name at least one type of message, or be left out")
