"""A version of a store's catalog in a file, with its compiled index, so that a start need not read and compile it.

A process of its own writes the file, because it needs the catalog as objects, twenty times the memory of the file.
"""

import gc
import os
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec

from rankcast.errors import StoreError
from rankcast.language import RecordTexts, decode_record, dumps, encode_record
from rankcast.model import Always, Catalog, Norm, Policy, Record, Subscription
from rankcast.store import Store

if TYPE_CHECKING:
    from rankcast.engine.index.compiled import CompiledIndex

__all__ = ["SavedCatalog", "main", "mark_of", "read", "write"]

_FORMAT = 1
"""Raise this number if records are read in another way than before. A file with another number is written anew."""


class SavedCatalog(NamedTuple):
    """A version of the catalog. Its subscriptions have the places of the index, and are decoded when needed."""

    version: int
    catalog: Catalog
    compiled: "CompiledIndex"


def mark_of(store: Store, version: int) -> list[int | None]:
    """What distinguishes a version of this store from the same version of a copy with another history."""
    return [_FORMAT, store.created(), store.changed_at(version)]


def read(store: Store, up_to: int) -> SavedCatalog | None:
    """The saved version of a store's catalog; None if it is later than `up_to`, or there is none that can be trusted.

    About 3 µs per subscription.
    """
    path = store.database.catalog_file
    try:
        if path is None or path.stat().st_uid != os.getuid() or path.stat().st_mode & 0o022:
            return None
        from rankcast.engine.index.files import read_index  # with numba, in half a second

        index, facts = read_index(path)
        version = facts["version"]
        if version > up_to or facts["mark"] != mark_of(store, version):
            return None
        if facts["is_incomplete"] or not facts["is_matching"]:
            return None
    except (OSError, StoreError, KeyError):
        return None

    def subscription(place: int) -> Subscription:
        record = decode_record(index.records[place])
        assert isinstance(record, Subscription)
        return record

    names, texts = list(index.users), RecordTexts()
    users = [names[number] for number in index.user.tolist()]
    scores = [None if score != score else score for score in index.scores.tolist()]
    subscriptions = Subscription.read_later(index.ids, users, scores, subscription)
    others = map(texts.decode, index.records.part(index.size, len(index.records)))
    return SavedCatalog(version, Catalog.of_checked(subscriptions, others), index)


def write(url: str, path: Path, version: int) -> None:
    """Write the file of a version of a store's catalog."""
    from rankcast.engine.index.building import build
    from rankcast.engine.index.files import write_index
    from rankcast.engine.index.matcher import draft_of
    from rankcast.engine.index.texts import PackedStrings

    with Store.open(url) as store:
        mark = mark_of(store, version)
        catalog = store.catalog_part(lambda user: True, version)
    subscriptions, is_matching = list(catalog.subscriptions.values()), True
    try:
        draft, members = draft_of(subscriptions, catalog.meaning_of)
    except Exception:  # caused by one user's subscription; everybody is matched without the index
        is_matching = False
        draft, members = draft_of([replace(one, where=Always()) for one in subscriptions], catalog.meaning_of)
    norms = [Policy(one.user, norm=one.norm) for one in catalog.policies.values() if one.norm is not Norm.MIN]
    shared: list[Record] = [*catalog.concepts.values(), *norms, *catalog.advertisements.values()]
    others = (one for one in catalog.records() if not isinstance(one, Subscription))
    texts = [dumps(encode_record(one)) for records in (subscriptions, others) for one in records]
    facts = {
        "mark": mark,
        "version": version,
        "records": [dumps(encode_record(one)) for one in shared],
        "is_incomplete": bool(catalog.incomplete),
        "is_matching": is_matching,
        "is_vague": any(draft.owner_flags),
    }
    write_index(build(draft, replace(members, records=PackedStrings.of(texts))), path, facts)


def main() -> None:
    """Entry point of a child of the service: its input has the place of the store, that of the file, and a version."""
    url, path, version = msgspec.json.decode(sys.stdin.buffer.read())
    os.umask(0o077)  # what people subscribe to is private
    gc.disable()
    write(url, Path(path), version)
