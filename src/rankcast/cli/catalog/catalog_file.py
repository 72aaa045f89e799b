"""Reads a catalog file that adds to the catalog of a store."""

from collections.abc import Callable
from pathlib import Path

from rankcast.cli.bad_lines import checked, reject_of
from rankcast.errors import CatalogError, RankcastError
from rankcast.language import decode_record, numbered_lines
from rankcast.model import Advertisement, Catalog, Concept, Policy, Preference, Record, Reject, Subscription

__all__ = ["read"]

# Kinds are processed in this order, so that a record comes after those it refers to, wherever their lines are.
_ORDER = (Concept, Subscription, Policy, Preference, Advertisement)


def read(path: Path, base: Catalog, on_line: Callable[[int], None]) -> tuple[list[Record], list[Reject]]:
    """The records of a file that fit the catalog `base`, and the lines that do not.

    A record may refer to records in `base`, for example a preference between subscriptions of the store. It replaces
    a record of the same id in `base`. If two lines have the same id, the first counts. O(lines + records of `base`).
    """
    decoded: list[tuple[int, bytes, Record]] = []
    bad: list[Reject] = []
    for number, line in numbered_lines(path):
        on_line(number)
        try:
            decoded.append((number, line, decode_record(checked(line))))
        except RankcastError as error:
            bad.append(reject_of(path, number, line, error))
    combined = Catalog(list(base.records()))
    first: dict[tuple[str, ...], int] = {}
    good: list[Record] = []
    for number, line, record in sorted(decoded, key=lambda one: _ORDER.index(type(one[2]))):
        try:
            if _key(record) in first:
                raise CatalogError(f"duplicate {' '.join(_key(record))}, first on line {first[_key(record)]}")
            combined.put(record)
            first[_key(record)] = number
            good.append(record)
        except RankcastError as error:
            bad.append(reject_of(path, number, line, error))
    return good, sorted(bad, key=lambda reject: reject.line)


def _key(record: Record) -> tuple[str, ...]:
    """The unique key of a record: its kind, and its id within the kind."""
    kind = type(record).__name__.lower()
    match record:
        case Subscription() | Advertisement():
            return kind, repr(record.id)
        case Policy():
            return kind, "of", repr(record.user)
        case Preference():
            return kind, "of", repr(record.user), "for", repr(record.prefer), "over", repr(record.over)
        case Concept():
            whose = ("of", repr(record.user)) if record.user is not None else ()
            return kind, repr(record.name), "on", repr(record.attribute), *whose
