"""One compiled index, with the subscriptions that have been removed from it since."""

from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index.building import plain_scores
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.events import EventCodes
from rankcast.engine.index.index import Index
from rankcast.engine.index.questions import Questions, Senses
from rankcast.engine.index.sorting import in_order
from rankcast.engine.index.words import TURN
from rankcast.errors import StoreError
from rankcast.language import decode_record
from rankcast.matching.batch import Integers, Matches
from rankcast.model import Event, Subscription

if TYPE_CHECKING:
    import pyarrow as pa


class SegmentMatches(NamedTuple):
    """Matches by event index and by place in the segment, with ids, users and degrees."""

    event: NDArray[np.int64]
    place: NDArray[np.int64]
    subscription: list[str]
    user: list[str]
    degree: NDArray[np.float64]

    @classmethod
    def joined(cls, parts: Sequence["SegmentMatches"]) -> "SegmentMatches":
        """All parts combined, sorted by event."""
        if len(parts) == 1:
            return parts[0]
        event = np.concatenate([part.event for part in parts] or [np.zeros(0, np.int64)])
        order = np.argsort(event, kind="stable")
        names = [name for part in parts for name in part.subscription]
        users = [user for part in parts for user in part.user]
        return cls(
            event[order],
            np.concatenate([part.place for part in parts] or [np.zeros(0, np.int64)])[order],
            [names[i] for i in order.tolist()],
            [users[i] for i in order.tolist()],
            np.concatenate([part.degree for part in parts] or [np.zeros(0)])[order],
        )


class IndexSegment:
    """A compiled index with the subscriptions in it that still exist.

    The subscriptions themselves are given, or read from the records of the index.
    """

    def __init__(self, compiled: CompiledIndex, subscriptions: Sequence[Subscription] | None = None) -> None:
        self.compiled = compiled
        self.index = Index(compiled)
        self.count = compiled.size
        self._given = subscriptions
        self._removed: NDArray[np.bool_] | None = None
        self._questions: Questions | None = None
        self.number: Integers | None = None
        """The owner's number for each subscription, ascending, if the owner has set it."""
        self._read = lru_cache(maxsize=1 << 16)(self._decoded)

    def place_of(self, name: str) -> int | None:
        """The place of an existing subscription."""
        place = self.compiled.place_of(name)
        return None if place is None or (self._removed is not None and self._removed[place]) else place

    def remove(self, name: str) -> None:
        """Mark a subscription as removed, if it exists."""
        place = self.place_of(name)
        if place is None:
            return
        if self._removed is None:
            self._removed = np.zeros(self.compiled.size, np.bool_)
        self._removed[place] = True
        self.count -= 1

    def leave_out(self, is_left_out: NDArray[np.bool_]) -> None:
        """Mark the subscriptions at some places as removed."""
        if is_left_out.any():
            self._removed, self.count = is_left_out, self.compiled.size - int(is_left_out.sum())

    def subscription(self, place: int) -> Subscription:
        """The subscription at a place."""
        return self._given[place] if self._given is not None else self._read(place)

    def subscriptions(self) -> Iterator[Subscription]:
        """The existing subscriptions, in order."""
        for place in range(self.compiled.size):
            if self._removed is None or not self._removed[place]:
                yield self.subscription(place)

    def match_batch(self, events: Sequence[Event], senses: Senses, users: Iterable[str] | None = None) -> Matches:
        """The matches of the events, with subscriptions by place; if `users` is given, only theirs."""
        if len(events) == 1 and self._removed is None and users is None:
            found = self.index.match(events[0])
            if found is not None:
                return found
        return self.match_codes(self.index.encoder.encode(events, senses.shared), events, senses, users)

    def match_codes(
        self, codes: EventCodes, events: Sequence[Event], senses: Senses, users: Iterable[str] | None = None
    ) -> Matches:
        """The matches of encoded events. Only vague predicates look at the events themselves."""
        event, item = self.index.found(codes)
        turn = item & TURN
        place = self.compiled.place_at.take(turn)
        keep = self._kept(place, users)
        if keep is not None:
            event, item, turn, place = event[keep], item[keep], turn[keep], place[keep]
        degree = None
        if item.min(initial=0) < 0:
            holds, degree = self._decided(codes, events, senses, event, turn, item < 0)
            if holds is not None:
                event, place, degree = event[holds], place[holds], degree[holds]
        pairs = in_order(event, place)
        return Matches(pairs.event, pairs.place, np.ones(len(pairs.at)) if degree is None else degree.take(pairs.at))

    def _kept(self, place: NDArray[np.int32], users: Iterable[str] | None) -> NDArray[np.bool_] | None:
        """Which places hold existing subscriptions of these users; None for all."""
        keep = None if self._removed is None else ~self._removed[place]
        if users is None:
            return keep
        wanted = [number for name in set(users) if (number := self._user_numbers.get(name)) is not None]
        of_users = np.isin(self.compiled.user[place], wanted)
        return of_users if keep is None else keep & of_users

    def _decided(
        self,
        codes: EventCodes,
        events: Sequence[Event],
        senses: Senses,
        event: NDArray[np.int32],
        turn: NDArray[np.int32],
        unsure: NDArray[np.bool_],
    ) -> tuple[NDArray[np.bool_] | None, NDArray[np.float64]]:
        """Whether each pair holds (None: all do), and to what degree. Certain pairs hold to degree 1."""
        if unsure.all():
            return self._asked(senses).decide(events, codes.is_soft, event, turn)
        holds, degree = np.ones(len(event), np.bool_), np.ones(len(event))
        asked, degree[unsure] = self._asked(senses).decide(events, codes.is_soft, event[unsure], turn[unsure])
        holds[unsure] = True if asked is None else asked
        return holds, degree

    def match_numbers(self, events: Sequence[Event], senses: Senses) -> Matches:
        """The matches of the events, with subscriptions by number."""
        assert self.number is not None, "the index was made without numbers"
        event, place, degree = self.match_batch(events, senses)
        return Matches(event, self.number[place], degree)

    def look_at(self, places: Integers, senses: Senses) -> None:
        """Examine the questions of these subscriptions now, not on first use."""
        self._asked(senses).look_at(places)

    def names(self, places: Integers) -> "tuple[pa.Array, pa.Array]":
        """The ids and the users of subscriptions."""
        return self.compiled.ids.take(places), self.compiled.users.take(self.compiled.user[places])

    def named(self, matches: Matches) -> SegmentMatches:
        """The matches with ids and users."""
        event, place, degree = matches
        names, users = self.names(place)
        return SegmentMatches(event, place, names.to_pylist(), users.to_pylist(), degree)

    def top(self, event: Event, n: int, senses: Senses) -> list[tuple[str, float]]:
        """The n best matching subscriptions with their scores, ties by id."""
        codes = self.index.encoder.encode([event], senses.shared)
        # Some candidates may fail evaluation or be removed: ask for more until enough are left.
        wanted = n
        while True:
            places, unsure, is_all = self.index.best(codes, wanted)
            kept = [
                place
                for place, is_unsure in zip(places.tolist(), unsure.tolist(), strict=True)
                if (self._removed is None or not self._removed[place])
                and (not is_unsure or self._asked(senses).evaluated(place, event)[0])
            ]
            if is_all or len(kept) >= n:
                break
            wanted *= 4
        scores = plain_scores(self.compiled.scores[np.array(kept, np.int64)])
        pairs = [(self.compiled.ids[place], score) for place, score in zip(kept, scores.tolist(), strict=True)]
        return sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:n]

    def _asked(self, senses: Senses) -> Questions:
        if self._questions is None:
            self._questions = Questions(self.compiled, self.subscription, senses)
        elif self._questions.senses is not senses:
            self._questions.senses = senses
        return self._questions

    def _decoded(self, place: int) -> Subscription:
        if not len(self.compiled.records):
            raise StoreError(
                f"subscription {self.compiled.ids[place]!r}: this index was built without its subscriptions, which "
                "imprecise events, vague subscriptions, explanations and compaction need; build it from texts (`where`)"
            )
        record = decode_record(self.compiled.records[place])
        assert isinstance(record, Subscription)
        return record

    @cached_property
    def _user_numbers(self) -> dict[str, int]:
        return {name: number for number, name in enumerate(self.compiled.users)}
