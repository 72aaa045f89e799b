"""Records of a catalog in one line, for tests of stores."""

from rankcast.language import decode_record
from rankcast.model import Advertisement, Concept, Policy, Preference, Subscription


def likes(name: str, user: str = "ann", where: str = "true") -> Subscription:
    return decode_record({"kind": "subscription", "id": name, "user": user, "where": where})


def concept(name: str, user: str | None = None, corner: float = 5) -> Concept:
    whose = {} if user is None else {"user": user}
    return decode_record({"kind": "concept", "name": name, "attribute": "price", "left_shoulder": [1, corner]} | whose)


def policy(user: str, k: int = 2) -> Policy:
    return decode_record({"kind": "policy", "user": user, "mode": "sliding", "k": k, "length": 4})


def prefers(user: str, best: str, other: str) -> Preference:
    return decode_record({"kind": "preference", "user": user, "prefer": best, "over": other})


def advertisement(name: str, where: str = "true") -> Advertisement:
    return decode_record({"kind": "advertisement", "id": name, "publisher": "shop", "where": where, "k": 3})
