"""Running the kernel over a compiled index."""

from functools import cached_property
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from rankcast.match.index import kernels
from rankcast.match.index.building import plain_scores
from rankcast.match.index.compiled import Compiled
from rankcast.match.index.events import Encoder, EventCodes
from rankcast.match.index.ranking import Ranked, best_by_user
from rankcast.match.index.sorting import in_order
from rankcast.match.index.words import SCORE_ONE, TURN

__all__ = ["Candidates", "Index"]

_FIRST_ROOM = 1 << 16


class Candidates(NamedTuple):
    """Pairs of an event and a subscription by their places; `unsure` ones are for plain evaluation to decide (None: all
    are sure)."""

    event: NDArray[np.int64]
    subscription: NDArray[np.int64]
    unsure: NDArray[np.bool_] | None


class Index:
    """A compiled index that answers."""

    def __init__(self, compiled: Compiled) -> None:
        self.compiled = compiled
        self._room = _FIRST_ROOM

    @cached_property
    def encoder(self) -> Encoder:
        """Gives events their codes."""
        return Encoder(self.compiled)

    def candidates(self, codes: EventCodes, least: int = 0) -> Candidates:
        """All candidates of the events, each once, by event and subscription; `least` is the lowest score in question."""
        events, items = self.found(codes, least)
        event, place, at = in_order(events, self.compiled.place_at.take(items & TURN))
        return Candidates(event, place, items[at] < 0 if items.min(initial=0) < 0 else None)

    def ranked(self, codes: EventCodes) -> Ranked:
        """The best score of each user among the candidates of each event, without the candidates themselves; they must be
        sure and found once (crisp conjunctions and events of single values are)."""
        compiled, users = self.compiled, len(self.compiled.users)
        parts = []
        for first in range(0, len(codes), kernels.BLOCK):  # what a block finds is still in the cache
            block = codes.part(first, min(len(codes), first + kernels.BLOCK))
            found = best_by_user(len(block), *self.found(block), compiled.ranked_user, users, compiled.ranked_score)
            parts.append(found._replace(event=found.event + np.int32(first)))
        return Ranked(*(np.concatenate(columns) for columns in zip(*parts, strict=True))) if parts else Ranked.none()

    def best(self, codes: EventCodes, n: int) -> tuple[NDArray[np.int64], NDArray[np.bool_], bool]:
        """At least the n candidates of one event with the highest scores, if there are so many: places, whether they
        are unsure, and whether these are all candidates. Postings below a score that suffices are not looked at."""
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
        """What the kernel finds: events and turns with the flags of `words`, in no order, perhaps repeated."""
        compiled = self.compiled
        events, items = [], []
        start = 0
        while start < len(codes):
            out_event, out_item = np.empty(self._room, np.int32), np.empty(self._room, np.int32)
            start, size = kernels.match_events(
                compiled.words, compiled.list_start, compiled.level_start, compiled.levels, compiled.instructions,
                compiled.program_words, compiled.group_ends, codes.start, codes.attribute, codes.low,
                codes.high, codes.is_soft, start, least, out_event, out_item,
            )  # fmt: skip
            events.append(out_event[:size])
            items.append(out_item[:size])
            if start < len(codes):
                self._room *= 2
        return np.concatenate([*events, _NONE]), np.concatenate([*items, _NONE])


_NONE = np.zeros(0, np.int32)
