"""Limits on the number of records of one owner."""

from collections import Counter
from collections.abc import Sequence
from typing import Literal, NamedTuple, assert_never

from rankcast.model import (
    Advertisement,
    Catalog,
    Concept,
    Expression,
    Policy,
    Preference,
    Record,
    Subscription,
    predicates_of,
)
from rankcast.service.problems import Problem
from rankcast.service.settings import Limits


class _Counted(NamedTuple):
    """The records of one kind and one owner, which are counted against a limit."""

    kind: Literal["subscription", "concept", "advertisement"]
    owner: str


def check_counts(catalog: Catalog, records: Sequence[Record], limits: Limits) -> None:
    """Refuse records that would take their owner over a limit.

    `catalog` must hold at least all records of the owners. Replacing a record adds none, and shared concepts are not
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
            case "advertisement":
                most = limits.advertisements
                have = sum(one.publisher == counted.owner for one in catalog.advertisements.values())
                said = f"a publisher may have {most:,} advertisements"
            case other:
                assert_never(other)
        if have + count > most:
            raise Problem(422, "limit", said)
    for user in {record.user for record in records if isinstance(record, Subscription)}:
        _check_predicates(catalog, user, [one for one in records if isinstance(one, Subscription)], limits)


def _check_predicates(catalog: Catalog, user: str, records: Sequence[Subscription], limits: Limits) -> None:
    """Refuse subscriptions that would give all subscriptions of a user too many predicates in total."""
    mine = {one.id: one.where for one in (*catalog.subscriptions_of(user), *records) if one.user == user}
    if len(mine) * limits.predicates <= limits.predicates_of_one:
        return
    count = sum(map(_predicates, mine.values()))
    if count > limits.predicates_of_one:
        raise Problem(
            422,
            "limit",
            f"all subscriptions of user {user!r} together would have {count:,} predicates; here the limit is "
            f"{limits.predicates_of_one:,}: remove some, or say it with fewer",
            pointer="/where",
        )


_known: dict[int, tuple[Expression, int]] = {}
_MOST_KNOWN = 100_000


def _predicates(where: Expression) -> int:
    """The number of predicates in an expression. Cached, because every change counts all of a user's."""
    found = _known.get(id(where))
    if found is None or found[0] is not where:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        found = _known[id(where)] = where, sum(1 for _ in predicates_of(where))
    return found[1]


def _slot(record: Record) -> tuple[tuple[str, ...], _Counted | None]:
    """The key of a record, and the group in which the record is counted."""
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
