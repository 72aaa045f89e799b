"""How many records one owner may have."""

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Record, Subscription
from rankcast.serve.problems import Problem
from rankcast.serve.settings import Limits

__all__ = ["check_counts"]


class _Counted(NamedTuple):
    """Records of one kind of one owner; their number is limited."""

    kind: str
    owner: str


def check_counts(catalog: Catalog, records: Sequence[Record], limits: Limits) -> None:
    """Refuse records with which their owner would have more than is allowed.

    `catalog` holds at least all that the owners have. What replaces a record adds none; concepts that all share are not
    counted.
    """
    added = {slot: counted for record in records for slot, counted in [_slot(record)] if counted is not None}
    new = Counter(counted for slot, counted in added.items() if not _is_there(catalog, slot))
    for counted, count in new.items():
        match counted.kind:
            case "subscription":
                most, have = limits.subscriptions, len(catalog.subscriptions_of(counted.owner))
                said = f"a user may have {most:,} subscriptions"
            case "concept":
                most, have = limits.concepts, sum(one.user == counted.owner for one in catalog.concepts.values())
                said = f"a user may have {most:,} concepts of their own"
            case _:
                most = limits.advertisements
                have = sum(one.publisher == counted.owner for one in catalog.advertisements.values())
                said = f"a publisher may have {most:,} advertisements"
        if have + count > most:
            raise Problem(422, "limit", said)


def _slot(record: Record) -> tuple[tuple[str, ...], _Counted | None]:
    """What identifies a record, and among what it is counted."""
    match record:
        case Subscription():
            return ("subscription", record.id), _Counted("subscription", record.user)
        case Concept():
            name = ("concept", record.attribute, record.name, record.user or "")
            return name, None if record.user is None else _Counted("concept", record.user)
        case Advertisement():
            return ("advertisement", record.id), _Counted("advertisement", record.publisher)
        case Policy() | Preference():
            return ("", ""), None


def _is_there(catalog: Catalog, slot: tuple[str, ...]) -> bool:
    match slot:
        case ("subscription", name):
            return name in catalog.subscriptions
        case ("concept", attribute, name, user):
            return (attribute, name, user) in catalog.concepts
    return slot[1] in catalog.advertisements
