"""The contents of a digest, read from the log. They are the same at every reading."""

from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from typing import NamedTuple

from rankcast.engine.explain.reasons import Reason
from rankcast.errors import CatalogError
from rankcast.language import dumps, encode_delivery, encode_event, show_time
from rankcast.model import Delivery, Event
from rankcast.plain import JsonObject
from rankcast.service.push.digests.making import deliveries_of
from rankcast.store import DigestLog, Store
from rankcast.store.push.digest_log import KeptDigest, LeftOut
from rankcast.wording import counted

SHOWN = 50
"""The number of deliveries that a digest shows. The others can be read by their numbers."""
BEST = 5
"""The number of omitted events that a digest names. The rest can be listed."""


class Item(NamedTuple):
    """A delivery with its number, its event, and the reason in words."""

    number: int
    delivery: Delivery
    event: Event
    because: tuple[str, ...]


class OmittedEvent(NamedTuple):
    """An entry about an omitted event, and the event."""

    left: LeftOut
    event: Event


@dataclass(frozen=True, slots=True)
class Digest:
    """A digest with its first deliveries and the best of the omitted events."""

    kept: KeptDigest
    items: tuple[Item, ...]
    omitted: tuple[OmittedEvent, ...]

    @property
    def due(self) -> datetime:
        """When the digest was due."""
        return self.kept.due

    @property
    def more(self) -> int:
        """The number of deliveries beyond those shown."""
        return self.kept.delivered - len(self.items)

    def summary(self) -> str:
        """A sentence or two about how many events there were and what happened to them."""
        counts = self.kept.counts
        sent, published = counts["delivered"], f"{counts['published']:,} published"
        considered = sent + counts["left_out"]
        if considered == 0:
            sentences = [f"Nothing for you among {published}."]
        elif counts["left_out"] == 0:
            sentences = [f"{counted(sent, 'event')} for you, of {published}."]
        else:
            sentences = [f"{sent:,} of {counted(considered, 'event')} that match what you want, of {published}."]
        if counts["left_out"]:
            parts = [f"{number:,} {Reason(name).label}" for name, number in counts["reasons"].items()]
            sentences.append(f"Left out: {', '.join(parts)}.")
        if counts["waiting"]:
            sentences.append(f"{counts['waiting']:,} still wait{'s' if counts['waiting'] == 1 else ''} for a decision.")
        if counts["not_examined"]:
            sentences.append(f"Of the {counts['not_examined']:,} oldest it is not known why they were left out.")
        return " ".join(sentences)

    def to_json(self, largest: int | None = None) -> JsonObject:
        """The digest as JSON. If it exceeds `largest` bytes, event contents are omitted, and then items."""
        items = [_item(item) for item in self.items]
        whole = self._json(items)
        if largest is not None and len(dumps(whole)) > largest:
            items = [{**item, "content": None} for item in items]
            while len(dumps(self._json(items))) > largest and items:
                items = items[: len(items) // 2]
            whole = self._json(items)
        return whole

    def _json(self, items: list[JsonObject]) -> JsonObject:
        counts = self.kept.counts
        after, through = self.kept.deliveries
        return {
            "number": self.kept.number,
            "user": self.kept.user,
            "due": show_time(self.kept.due),
            "made": show_time(self.kept.made),
            "schedule": self.kept.schedule,
            "summary": self.summary(),
            "published": counts["published"],
            "matched": counts["matched"],
            "delivered": counts["delivered"],
            "reconsidered": counts["reconsidered"],
            "waiting": counts["waiting"],
            "left_out": {
                "count": counts["left_out"],
                "listed": counts["listed"],
                "reasons": counts["reasons"],
                "best": [
                    {"event": left.event, "rank": left.rank, "reason": left.reason, "detail": left.detail}
                    for left, _ in self.omitted
                ],
            },
            "not_examined": counts["not_examined"],
            "exact": counts["exact"],
            "deliveries": {"after": after, "through": through},
            "items": items,
            "more": self.kept.delivered - len(items),
        }


def read_digest(store: Store, user: str, number: int, limit: int = SHOWN) -> Digest:
    """A digest of a user with its first deliveries; CatalogError if the user has no such digest."""
    log = DigestLog(store.database)
    kept = log.digest(number)
    if kept is None or kept.user != user:
        raise CatalogError(f"user {user!r} has no digest {number}")
    labels: dict[str, str] = kept.counts["labels"]
    items = []
    for place, delivery in islice(deliveries_of(store, kept, limit), limit):
        logged = store.event(delivery.event)
        if logged is not None:
            because = tuple(labels.get(name, name) for name in delivery.subscriptions)
            items.append(Item(place, delivery, logged.event, because))
    omitted = []
    for _, left in log.left_out(number, None, 0, BEST):
        logged = store.event(left.event)
        if logged is not None:
            omitted.append(OmittedEvent(left, logged.event))
    return Digest(kept, tuple(items), tuple(omitted))


def _item(item: Item) -> JsonObject:
    content = encode_event(item.event)
    return {"number": item.number, **encode_delivery(item.delivery), "because": list(item.because), "content": content}
