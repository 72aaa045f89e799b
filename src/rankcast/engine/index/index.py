"""Running the kernel over a compiled index."""

from collections.abc import Callable, Iterator
from functools import cached_property, partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index import kernels
from rankcast.engine.index.building import plain_scores
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.events import Encoder, EventCodes
from rankcast.engine.index.one_event import FEW, MARKED, NO_ROOM, SingleSearch
from rankcast.engine.index.ranking import MatchRanking, RankedMatches
from rankcast.engine.index.sorting import in_order
from rankcast.engine.index.words import SCORE_ONE, TURN
from rankcast.matching.batch import Integers, Matches, Reals
from rankcast.model import AttributeValue, Event
from rankcast.plain import Array

_FIRST_ROOM = 1 << 16

_FEW, _LITERALS_PER_EVENT = 8, 1024
"""Fewer events than this are searched for one at a time: so many, and one for each so many shared literals."""


_matches: Callable[[tuple[Integers, Integers, Reals]], Matches] = partial(tuple.__new__, Matches)
"""Makes `Matches` without a call within Python."""


class Candidates(NamedTuple):
    """Pairs of an event and a subscription by their indexes.

    Plain evaluation decides the `unsure` ones (None: all are certain).
    """

    event: NDArray[np.int64]
    subscription: NDArray[np.int64]
    unsure: NDArray[np.bool_] | None


class Index:
    """A compiled index with its kernel."""

    def __init__(self, compiled: CompiledIndex) -> None:
        self.compiled = compiled
        self._room = _FIRST_ROOM
        self._searches: list[SingleSearch] = []  # those that no thread uses now

    @cached_property
    def _data(self) -> tuple[Array, ...]:
        """What the kernel reads of the index, in the order of its parameters."""
        it = self.compiled
        programs = it.instructions, it.set_words
        lists = it.list_start, it.level_start, it.levels, it.literal_start
        return it.words, it.words.view(np.uint16), it.literals, *programs, it.group_ends, it.scored, *lists

    @cached_property
    def _few(self) -> int:
        """From this number of events on, it pays to decide all shared literals first."""
        return _FEW + int(self.compiled.literals.shape[1]) // _LITERALS_PER_EVENT

    @cached_property
    def encoder(self) -> Encoder:
        """The encoder of events."""
        return Encoder(self.compiled)

    def candidates(self, codes: EventCodes, least: int = 0) -> Candidates:
        """All candidates of the events, without duplicates, by event and subscription.

        `least` is the lowest relevant score.
        """
        events, items = self.found(codes, least)
        event, place, at = in_order(events, self.compiled.place_at.take(items & TURN))
        return Candidates(event, place, items[at] < 0 if items.min(initial=0) < 0 else None)

    def ranked(self, codes: EventCodes) -> Iterator[RankedMatches]:
        """The best score of each user among the candidates of each event, one block of events at a time.

        The candidates must be certain and without duplicates (crisp conjunctions and events with single values are).
        Process one block at a time: the next block reuses the memory.
        """
        ranking = self._ranking
        for first in range(0, len(codes), kernels.BLOCK):
            block = codes.part(first, min(len(codes), first + kernels.BLOCK))
            while True:
                reached, size, _ = self._search(block, 0, 0, *ranking.found)
                if reached == len(block):
                    break
                ranking.widen()
            yield ranking.best(size, first, len(block))

    @cached_property
    def _ranking(self) -> MatchRanking:
        return MatchRanking(self.compiled.scored, len(self.compiled.users), _FIRST_ROOM)

    def best(self, codes: EventCodes, n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], bool]:
        """At least the n candidates of one event with the highest scores, if there are that many.

        Returns their places, whether they are unsure, and whether these are all candidates. Postings with a lower
        score than needed are skipped.
        """
        share = n / max(1, self.compiled.size)
        while True:
            share = min(1.0, 10 * share)
            least = int(np.quantile(self._score_sample, 1.0 - share)) if share < 1.0 else 0
            found = self.candidates(codes, least)
            enough = self._scores[found.subscription] * SCORE_ONE >= least
            unsure = np.zeros(len(enough), np.bool_) if found.unsure is None else found.unsure
            if share == 1.0 or np.count_nonzero(enough & ~unsure) >= n:
                return found.subscription[enough], unsure[enough], share == 1.0

    @cached_property
    def _scores(self) -> NDArray[np.float64]:
        return plain_scores(self.compiled.scores)

    @cached_property
    def _score_sample(self) -> NDArray[np.float64]:
        step = max(1, self.compiled.size // 10_000)
        return self._scores[::step] * SCORE_ONE

    def found(self, codes: EventCodes, least: int = 0) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """The kernel's results: events and turns with the flags of `words`, unordered and possibly repeated."""
        events, items = [], []
        start = 0
        while start < len(codes):
            out_event, out_item = np.empty(self._room, np.int32), np.empty(self._room, np.int32)
            start, size, _ = self._search(codes, start, least, out_event, out_item)
            events.append(out_event[:size])
            items.append(out_item[:size])
            if start < len(codes):
                self._room *= 2
        if len(events) == 1:
            return events[0], items[0]
        return np.concatenate([*events, _NONE]), np.concatenate([*items, _NONE])

    def match(self, event: Event) -> Matches | None:
        """The matches of one event; None if some of them are unsure or may be repeated.

        From the event to the arrays in one function, because a call within Python takes as long as two lookups.
        """
        try:
            pairs = b"".join(map(self._known, event.attributes.items()))
        except TypeError:  # an imprecise value, or one that is not known yet
            encoded = self.encoder.pairs(event)
            if encoded is None:
                return None
            pairs = encoded
        searches = self._searches
        search = searches.pop() if searches else SingleSearch(self.compiled)
        size = search.run(search.address, pairs)
        if 0 <= size <= FEW:
            places = search.few_places[:size].copy()
        else:
            while size == NO_ROOM:
                search = SingleSearch(self.compiled, 4 * search.room)
                size = search.run(search.address, pairs)
            if size == MARKED:
                searches.append(search)
                return None
            places = np.sort(search.places[:size]).astype(np.int64)
        searches.append(search)
        degree = np.empty(size)
        degree.fill(1.0)
        return _matches((np.zeros(size, np.int64), places, degree))

    @cached_property
    def _known(self) -> Callable[[tuple[str, AttributeValue]], bytes]:
        return self.encoder.known.get  # type: ignore[return-value]  # None, which `join` refuses, if it is not known

    def _search(
        self, codes: EventCodes, start: int, least: int, out_event: NDArray[np.int32], out_item: NDArray[np.int32]
    ) -> tuple[int, int, bool]:
        """Run the kernel from an event on.

        Returns the first event of the block that did not fit, the number of results, and whether one may have flags.
        """
        found: tuple[int, int, bool] = kernels.match_events(
            *self._data, codes.start, codes.attribute, codes.low, codes.high, codes.is_soft, start, least, self._few,
            out_event, out_item,
        )  # fmt: skip
        return found


_NONE = np.zeros(0, np.int32)
