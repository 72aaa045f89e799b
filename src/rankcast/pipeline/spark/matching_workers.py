"""Matching in Spark's Python workers: the index, as it reaches the tasks, and the matches of a batch of rows."""

import os
import tempfile
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import blake2b
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import SparkFiles

from rankcast.engine.index.arrow import ArrowRows, codes_of_batch
from rankcast.engine.index.building import build
from rankcast.engine.index.files import read_index, write_index
from rankcast.engine.index.matcher import draft_of
from rankcast.engine.index.questions import Senses
from rankcast.engine.index.segments import IndexSegment
from rankcast.engine.isolation import MatcherByUser, reason
from rankcast.language import decode_record, dumps, encode_record
from rankcast.language.columns import arrow_schema
from rankcast.language.plain_rows import attributes_of, plain_rows
from rankcast.matching.batch import Integers, Matches, merged
from rankcast.model import Always, Catalog, Event, Match, Not, Policy, Preference, Record, Subscription
from rankcast.overlay import Admission, CatalogFunctions, functions_of, use_functions
from rankcast.pipeline.spark.inputs import shared_lines
from rankcast.pipeline.spark.packets import FailedMatch, MatchedTable
from rankcast.pipeline.spark.workers import WHOLE, outcomes

_MATCHED_TOGETHER = 1_000
"""Events that are matched together."""


@dataclass(frozen=True)
class ShippedIndex:
    """An index file as bytes, with the other records that matching needs: concepts, advertisements, norms.

    Spark sends it to each executor once. The first task on a node writes the file into the folder of the Spark
    session, which Spark removes at the end; every task maps it.
    """

    name: str
    content: bytes = field(repr=False)
    shared: bytes = field(repr=False)
    of_users: bytes = field(repr=False)
    """Policies, reduced to their norms. If there are advertisements, whole policies, and preferences. The subscriptions
    of users of whom one cannot be in the index."""
    functions: CatalogFunctions = field(repr=False)
    homes: bytes = field(repr=False)
    """The shard of each user of the index."""

    @classmethod
    def of_catalog(cls, catalog: Catalog, lives_in: Callable[[str], int] = lambda user: 0) -> "ShippedIndex":
        """Compile the subscriptions of a catalog. `lives_in` gives the shard of a user."""
        subscriptions, unfit = list(catalog.subscriptions.values()), list[Subscription]()
        try:
            draft, indexed = draft_of(subscriptions, catalog.meaning_of, keep_records=True)
        except Exception:  # caused by one user's subscription; the tasks match this user without the index
            users = {one.user for one in subscriptions if not _can_be_indexed(one, catalog)}
            unfit = [one for one in subscriptions if one.user in users]
            fit = [replace(one, where=_NEVER) if one.user in users else one for one in subscriptions]
            draft, indexed = draft_of(fit, catalog.meaning_of, keep_records=True)
        with tempfile.TemporaryDirectory(prefix="rankcast-") as folder:
            file = Path(folder) / "index"
            write_index(build(draft, indexed), file)
            content = file.read_bytes()
        shared, of_users = shared_lines(catalog), _lines_of_users(catalog, unfit)
        homes = np.array([lives_in(user) for user in indexed.users], np.uint32).tobytes()
        name = blake2b(b"\0".join((content, shared, of_users, homes)), digest_size=16).hexdigest()
        return cls(name, content, shared, of_users, functions_of(catalog), homes)

    def matcher(self) -> "TaskMatcher":
        """The matcher, in a task. The process keeps the last one for the next task."""
        known = _LAST.get(self.name)
        if known is None or self.functions:
            use_functions(self.functions)
            path = self._file(Path(SparkFiles.getRootDirectory()))
            known = TaskMatcher(IndexSegment(read_index(path)[0]), self)
            _LAST.clear()
            _LAST[self.name] = known
        return known

    def _file(self, folder: Path) -> Path:
        """The mapped file. Tasks that write it at the same time write the same, and each replaces it whole."""
        path = folder / f"rankcast-index-{self.name}"
        if not path.exists():
            handle, unfinished = tempfile.mkstemp(dir=folder)
            with os.fdopen(handle, "wb") as file:
                file.write(self.content)
            Path(unfinished).replace(path)
        return path


_NEVER = Not(Always())


def _can_be_indexed(subscription: Subscription, catalog: Catalog) -> bool:
    try:
        draft_of([subscription], catalog.meaning_of)
    except Exception:
        return False
    return True


def _lines_of_users(catalog: Catalog, unfit: Sequence[Subscription]) -> bytes:
    policies = list(catalog.policies.values())
    if not catalog.advertisements:
        policies = [Policy(one.user, norm=one.norm) for one in policies if one.norm is not Policy(one.user).norm]
    records: list[Record] = [*unfit, *policies]
    if catalog.advertisements:
        records += [one for one in catalog.records() if isinstance(one, Preference)]
    return "\n".join(dumps(encode_record(one)) for one in records).encode()


class TaskMatcher:
    """Matches the rows of a task. Nearly all are matched by columns; only the others become objects."""

    def __init__(self, segment: IndexSegment, shipped: ShippedIndex) -> None:
        self._segment = segment
        self._shared = [decode_record(line) for line in shipped.shared.splitlines()]
        of_users = [decode_record(line) for line in shipped.of_users.splitlines()]
        self._of_users = [one for one in of_users if not isinstance(one, Subscription)]
        self._unfit = {one.id: one for one in of_users if isinstance(one, Subscription)}
        self._unfit_users = {one.user for one in self._unfit.values()}
        self._catalog = Catalog(self._shared)
        with_norms = Catalog([*self._shared, *(one for one in self._of_users if isinstance(one, Policy))])
        self._senses = Senses.of_catalog(with_norms)
        self._home_of_user = np.frombuffer(shipped.homes, np.uint32).astype(np.int64)

    def names(self, numbers: Integers) -> tuple[pa.Array, pa.Array]:
        """The ids and the users of subscriptions."""
        return self._segment.names(numbers)

    def homes(self, numbers: Integers) -> Integers:
        """The shards of subscriptions."""
        return self._home_of_user[self._segment.compiled.user[numbers]]

    def home_of(self, user: str) -> int:
        """The shard of a user."""
        return int(self._home_of_user[self._numbers_of_users[user]])

    def match_batch(self, batch: pa.RecordBatch, admits: bool) -> Iterator[MatchedTable]:
        """The valid events with their matches, a part at a time, because one event may match very many subscriptions.

        If `admits`, an event under an advertisement matches only the subscriptions that it goes to. A subscription
        that fails is a failure of its user and the event alone.
        """
        for start in range(0, batch.num_rows, _MATCHED_TOGETHER):
            yield self._matched(batch.slice(start, _MATCHED_TOGETHER), admits)

    def _matched(self, batch: pa.RecordBatch, admits: bool) -> MatchedTable:
        is_plain = pa.array(np.zeros(batch.num_rows, np.bool_)) if self._unfit else _plain(batch)
        mask = is_plain.to_numpy(zero_copy_only=False)
        plain, others = batch.filter(is_plain), batch.filter(pc.invert(is_plain))
        failures: list[FailedMatch] = []
        found = self._by_columns(plain, failures)
        if not others.num_rows:
            return MatchedTable(_table(plain), plain["id"], found, failures)
        valid = [(row, one) for row, one in enumerate(outcomes(others, self._catalog)) if isinstance(one, Event)]
        events = [event for _, event in valid]
        place_of_plain, place_of_other = np.flatnonzero(mask), np.flatnonzero(~mask)[[row for row, _ in valid]]
        places = np.concatenate((place_of_plain, place_of_other)).astype(np.int64)
        order = np.argsort(places)
        new = np.empty(len(places), np.int64)
        new[order] = np.arange(len(places))
        failures = [one._replace(place=int(new[one.place])) for one in failures]
        failed: list[FailedMatch] = []
        more = self._by_objects(events, failed)
        if self._unfit:
            for place, event in enumerate(events):
                more = merged(more, self._user_by_user(place, event, self._unfit_users, failed))
        if admits:
            more = self._admitted(events, more, failed)
        after = len(place_of_plain)
        failures += [one._replace(place=int(new[after + one.place])) for one in failed]
        ids = pa.array([event.id for event in events], pa.string())
        ids = pa.concat_arrays([plain["id"], ids]) if plain.num_rows else ids
        return MatchedTable(
            _table(batch.take(pa.array(places[order]))),
            ids.take(pa.array(order)),
            merged(found._replace(event=new[found.event]), more._replace(event=new[after + more.event])),
            failures,
        )

    def _by_columns(self, batch: pa.RecordBatch, failures: list[FailedMatch]) -> Matches:
        if not batch.num_rows:
            return _NOTHING
        attributes = attributes_of(_without_whole(batch))

        def found(start: int, end: int) -> Matches:
            part = attributes.slice(start, end - start)
            codes = codes_of_batch(self._segment.index.encoder, part)
            return self._segment.match_codes(codes, ArrowRows(part), self._senses)

        def whole(place: int) -> Event:
            (row,) = ArrowRows(attributes.slice(place, 1))
            return Event.kept(batch["id"][place].as_py(), row.time, row.attributes, None, None, None, 0)

        return self._one_by_one(found, whole, 0, batch.num_rows, failures)

    def _by_objects(self, events: Sequence[Event], failures: list[FailedMatch]) -> Matches:
        def found(start: int, end: int) -> Matches:
            return self._segment.match_batch(events[start:end], self._senses)

        return self._one_by_one(found, events.__getitem__, 0, len(events), failures) if events else _NOTHING

    def _one_by_one(
        self,
        found: Callable[[int, int], Matches],
        event_at: Callable[[int], Event],
        start: int,
        end: int,
        failures: list[FailedMatch],
    ) -> Matches:
        """The matches of a range of events. If it fails, the two halves are tried, down to one event and its users."""
        try:
            matches = found(start, end)
            return matches._replace(event=matches.event + start)
        except Exception:  # caused by one event, or by one user's subscription
            if end - start > 1:
                middle = (start + end) // 2
                halves = (
                    self._one_by_one(found, event_at, *half, failures) for half in ((start, middle), (middle, end))
                )
                return Matches(*(np.concatenate(columns) for columns in zip(*halves, strict=True)))
        others = [user for user in self._numbers_of_users if user not in self._unfit_users]
        return self._user_by_user(start, event_at(start), others, failures)

    def _user_by_user(self, place: int, event: Event, users: Collection[str], failures: list[FailedMatch]) -> Matches:
        matched, failed = self._by_user.match(event, users)
        failures += [FailedMatch(place, event.id, user, why) for user, why in failed.items()]
        numbers = [self._number_of[one.id] for one, _ in matched]
        degrees = np.array([degree for _, degree in matched], np.float64)
        return Matches(np.full(len(numbers), place, np.int64), np.array(numbers, np.int64), degrees)

    def _admitted(self, events: Sequence[Event], found: Matches, failures: list[FailedMatch]) -> Matches:
        """The matches without those that the publishers' advertisements rule out."""
        keep = np.ones(len(found.event), np.bool_)
        for place, event in enumerate(events):
            if event.advertisement is None:
                continue
            own = slice(*np.searchsorted(found.event, (place, place + 1)).tolist())
            numbers, degrees = found.subscription[own].tolist(), found.degree[own].tolist()
            pairs = [(self._subscriptions[number], degree) for number, degree in zip(numbers, degrees, strict=True)]
            try:
                chosen = {one.id for one, _ in self._admission.admitted(event, pairs)}
            except Exception as error:
                failures.append(FailedMatch(place, event.id, None, reason(error)))
                chosen = set()
            keep[own] = [one.id in chosen for one, _ in pairs]
        return Matches(found.event[keep], found.subscription[keep], found.degree[keep])

    @cached_property
    def _everything(self) -> Catalog:
        """The whole catalog, which only advertisements and failures need."""
        subscriptions = (self._unfit.get(one.id, one) for one in self._segment.subscriptions())
        return Catalog([*self._shared, *subscriptions, *self._of_users])

    @cached_property
    def _subscriptions(self) -> list[Subscription]:
        return list(self._everything.subscriptions.values())

    @cached_property
    def _number_of(self) -> dict[str, int]:
        return {one.id: number for number, one in enumerate(self._subscriptions)}

    @cached_property
    def _admission(self) -> Admission:
        return Admission(self._everything)

    @cached_property
    def _by_user(self) -> MatcherByUser:
        return MatcherByUser(self._everything)

    @cached_property
    def _numbers_of_users(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self._segment.compiled.users)}


def match_rows(batches: Iterator[pa.RecordBatch], index: ShippedIndex, admits: bool) -> Iterator[pa.RecordBatch]:
    """The matches of each batch of events."""
    matcher = index.matcher()
    for batch in batches:
        for found in matcher.match_batch(batch, admits):
            names, users = matcher.names(found.matches.subscription)
            columns = [found.ids.take(pa.array(found.matches.event)), names, users, pa.array(found.matches.degree)]
            yield pa.RecordBatch.from_arrays(columns, schema=arrow_schema(Match))


_LAST: dict[str, TaskMatcher] = {}

_NOTHING = Matches(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))


def _plain(batch: pa.RecordBatch) -> pa.Array:
    """Which rows can be matched by columns."""
    if batch.schema.names == [WHOLE]:
        return pa.array(np.zeros(batch.num_rows, np.bool_))
    plain = plain_rows(_without_whole(batch))
    return pc.and_(plain, batch[WHOLE].is_null()) if WHOLE in batch.schema.names else plain


def _without_whole(batch: pa.RecordBatch) -> pa.RecordBatch:
    return batch.select([name for name in batch.schema.names if name != WHOLE])


def _table(batch: pa.RecordBatch) -> pa.Table:
    return pa.Table.from_batches([batch])
