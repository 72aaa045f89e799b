"""The JSON form of what comes out: deliveries, matches, rejects (semantics: Files)."""

from typing import Any

from rankcast.errors import ModelError, RecordError
from rankcast.language.fields import Fields, text_of
from rankcast.language.times import parse_time, show_time
from rankcast.model import Delivery, Match, Reject

__all__ = ["decode_delivery", "encode_delivery", "encode_match", "encode_reject"]

_DELIVERY = ("user", "event", "seq", "rank", "subscriptions", "published", "forwarded", "window")


def encode_delivery(delivery: Delivery) -> dict[str, Any]:
    """A delivery as an object."""
    return {
        "user": delivery.user,
        "event": delivery.event,
        "seq": delivery.seq,
        "rank": delivery.rank,
        "subscriptions": list(delivery.subscriptions),
        "published": show_time(delivery.published),
        "forwarded": show_time(delivery.forwarded),
        "window": delivery.window,
    }


def decode_delivery(obj: dict[str, Any]) -> Delivery:
    """The delivery that `encode_delivery` wrote."""
    fields = Fields("a delivery", obj, _DELIVERY)
    subscriptions = fields.value("subscriptions")
    if not isinstance(subscriptions, list):
        raise fields.wrong("subscriptions", "a list of strings")
    try:
        return Delivery(
            user=fields.text("user"),
            event=fields.text("event"),
            seq=fields.whole("seq"),
            rank=fields.number("rank"),
            subscriptions=tuple(text_of(name, "each of 'subscriptions' of a delivery") for name in subscriptions),
            published=parse_time(fields.text("published")),
            forwarded=parse_time(fields.text("forwarded")),
            window=fields.whole("window"),
        )
    except ModelError as error:
        raise error if isinstance(error, RecordError) else RecordError(f"a delivery: {error}") from None


def encode_match(match: Match) -> dict[str, Any]:
    """A match as an object."""
    return {"event": match.event, "subscription": match.subscription, "user": match.user, "degree": match.degree}


def encode_reject(reject: Reject) -> dict[str, Any]:
    """A reject as an object."""
    return {"file": reject.file, "line": reject.line, "reason": reject.reason, "raw": reject.raw}
