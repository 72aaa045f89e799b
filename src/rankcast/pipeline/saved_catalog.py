"""A version of a store's catalog in a file, with its compiled index, so that a start need not read and compile it.

A process of its own writes the file, because it needs the catalog as objects, twenty times the memory of the file.
"""

import gc
import os
import sys
from collections.abc import Iterable
from dataclasses import replace
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import msgspec
import numpy as np

from rankcast.engine.reference.shard import hash_of
from rankcast.errors import StoreError
from rankcast.language import RecordTexts, decode_record, dumps, encode_record
from rankcast.model import Always, Catalog, Norm, Policy, Record, Subscription, owner_of
from rankcast.plain import State
from rankcast.store import Store

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from rankcast.engine.index.compiled import CompiledIndex

_FORMAT = 2
"""Raise this number if records are read in another way than before. A file with another number is written anew."""


class SavedCatalog(NamedTuple):
    """A version of the catalog. Its subscriptions have the places of the index, and are decoded when needed."""

    version: int
    catalog: Catalog
    compiled: "CompiledIndex"


class SavedParts:
    """A version of the catalog in a file, which is read part by part. Subscriptions are decoded when needed."""

    def __init__(self, compiled: "CompiledIndex", facts: State) -> None:
        self.compiled = compiled
        self.version: int = facts["version"]
        self._user_hashes: NDArray[np.uint64] = facts["user_hashes"]
        self._owner_hashes: NDArray[np.uint64] = facts["owner_hashes"]
        self._is_shared: NDArray[np.bool_] = facts["is_shared"]

    @classmethod
    def open(cls, store: Store, path: Path, up_to: int) -> "SavedParts | None":
        """The version in a file; None if it is later than `up_to`, or there is none that can be trusted."""
        try:
            if path.stat().st_uid != os.getuid() or path.stat().st_mode & 0o022:
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
        return cls(index, facts)

    def part(self, shard: int = 0, shards: int = 1) -> Catalog:
        """The records of the users of a shard and those that concern everybody, in order.

        About 3 µs per subscription of the shard.
        """
        index, count = self.compiled, np.uint64(shards)
        is_here = self._user_hashes % count == shard
        numbers = np.flatnonzero(is_here)
        names = dict(zip(numbers.tolist(), index.users.take(numbers).to_pylist(), strict=True))
        places = np.flatnonzero(is_here[index.user])
        scores = [None if score != score else score for score in index.scores[places].tolist()]
        users = [names[number] for number in index.user[places].tolist()]

        def subscription(number: int) -> Subscription:
            record = decode_record(index.records[int(places[number])])
            assert isinstance(record, Subscription)
            return record

        subscriptions = Subscription.read_later(index.ids.take(places).to_pylist(), users, scores, subscription)
        others = np.flatnonzero(self._is_shared | (self._owner_hashes % count == shard))
        texts = RecordTexts()
        return Catalog.of_checked(subscriptions, map(texts.decode, index.records.take(index.size + others).to_pylist()))


def shared_file(url: str, folder: Path) -> Path:
    """Where the processes of a machine share the catalog of a store, in a folder that outlives them."""
    return folder / f"index-{blake2b(url.encode(), digest_size=12).hexdigest()}"


def mark_of(store: Store, version: int) -> list[int | None]:
    """What distinguishes a version of this store from the same version of a copy with another history."""
    return [_FORMAT, store.created(), store.changed_at(version)]


def read(store: Store, up_to: int) -> SavedCatalog | None:
    """The saved version of a store's catalog; None if it is later than `up_to`, or there is none that can be trusted."""
    path = store.database.catalog_file
    saved = None if path is None else SavedParts.open(store, path, up_to)
    return None if saved is None else SavedCatalog(saved.version, saved.part(), saved.compiled)


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
    others = [one for one in catalog.records() if not isinstance(one, Subscription)]
    owners = [owner_of(one) for one in others]
    texts = [dumps(encode_record(one)) for records in (subscriptions, others) for one in records]
    facts = {
        "mark": mark,
        "version": version,
        "records": [dumps(encode_record(one)) for one in shared],
        "is_incomplete": bool(catalog.incomplete),
        "is_matching": is_matching,
        "is_vague": any(draft.owner_flags),
        "owner_hashes": _hashes("" if owner is None else owner for owner in owners),
        "is_shared": np.array([owner is None for owner in owners], np.bool_),
    }
    compiled = build(draft, replace(members, records=PackedStrings.of(texts)))
    write_index(compiled, path, facts | {"user_hashes": _hashes(compiled.users)})


def _hashes(users: Iterable[str]) -> "NDArray[np.uint64]":
    """What the shard of each user follows from."""
    return np.fromiter(map(hash_of, users), np.uint64)


def main() -> None:
    """Entry point of a child of the service: its input has the place of the store, that of the file, and a version."""
    url, path, version = msgspec.json.decode(sys.stdin.buffer.read())
    os.umask(0o077)  # what people subscribe to is private
    gc.disable()
    write(url, Path(path), version)
