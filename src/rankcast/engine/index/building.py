"""Building a compiled index from a draft: ordered constants, statistics, keys, words."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index import filing
from rankcast.engine.index.compiled import CompiledIndex
from rankcast.engine.index.draft import PATTERN, Draft
from rankcast.engine.index.ordering import codes_of, columns_of, ordered
from rankcast.engine.index.spaces import AttributeSpace
from rankcast.engine.index.statistics import Sample, costs
from rankcast.engine.index.texts import PackedStrings
from rankcast.engine.index.words import GROUP, MOST_LITERALS, MOST_SHARED, REPEATED, SCORE_ONE, SPLIT
from rankcast.plain import Array

Sampler: TypeAlias = Callable[[Sequence[str], Sequence[AttributeSpace]], Sample]
"""Encodes past events, given the names of the attributes (empty for pattern attributes) and their spaces."""

_MOST_BLOCKS = 4
"""The most blocks under which an interval is filed. More blocks give fewer candidates and more postings."""

_LONG = 64
"""A longer list of postings is divided by a second key."""

_OFTEN = 4
"""A literal that at least so many postings have is shared."""

_LEVELS = 32


@dataclass(frozen=True)
class IndexedSubscriptions:
    """The subscriptions of an index.

    They have ids, users, scores (NaN for none), and the index of each one's expression in the draft. `records` holds
    them as JSON if the index should store them.
    """

    ids: PackedStrings
    user: NDArray[np.int32]
    users: PackedStrings
    scores: NDArray[np.float64]
    owner: NDArray[np.int64]
    records: PackedStrings = field(default_factory=lambda: PackedStrings.of(()))


def build(
    draft: Draft,
    members: IndexedSubscriptions,
    sampler: Sampler | None = None,
    progress: Callable[[float], None] = lambda share: None,
) -> CompiledIndex:
    """Compile an index. Without past events, the values in the subscriptions stand for the values of future events.

    O(n log n) for n literals in all entries; temporarily needs about 200 bytes per subscription.
    """
    names = sorted(draft.names, key=draft.names.__getitem__)
    spaces, ranks = ordered(draft)
    sizes = np.array([space.size for space in spaces], np.int64)
    for (attribute, kind), constants in draft.constants.items():
        if kind == PATTERN:
            sizes[attribute] = len(constants) + 1  # so that an imprecise value is never a point
    progress(0.1)
    low, high = codes_of(draft, spaces, ranks, sizes)
    literals = _Literals(draft, low, high)
    entry_start = _view(draft.entry_start, np.int64)
    entry_literals = _view(draft.entry_literals, np.int32).copy()  # copied because it will be sorted
    plain = ["" if isinstance(name, tuple) else name for name in names]
    sample = sampler(plain, spaces) if sampler else None
    cost = costs(literals.attribute, literals.start, low, high, entry_literals, sizes, sample)
    progress(0.3)
    count = len(entry_start) - 1
    first, second = np.empty(count, np.int64), np.empty(count, np.int64)
    filing.choose_keys(entry_start, entry_literals, literals.key, cost, literals.is_point, first, second)
    keys = _at(literals.key, _at(entry_literals, first))
    is_used = np.zeros((len(names), _LEVELS), np.bool_)
    blocks = filing.count_blocks(keys, literals.start, low, high, literals.attribute, _MOST_BLOCKS, is_used)
    is_used[literals.attribute[literals.is_point], 0] = True
    base, level_start, levels, list_count = _bases(is_used, sizes)
    lists, entries = np.empty(int(blocks.sum()), np.int64), np.empty(int(blocks.sum()), np.int64)
    filing.fill_blocks(keys, literals.start, low, high, literals.attribute, _MOST_BLOCKS, base, lists, entries)
    progress(0.4)
    flags, score = _flags_and_scores(draft, members)
    flags |= (blocks > 1) * SPLIT
    flags[(keys >= 0) & _at(literals.is_scattered, keys).astype(np.bool_)] |= REPEATED
    shared = _Shared(literals, entry_literals, first)
    second[_at(shared.number, _at(entry_literals, second)) < 0] = -1
    others = _at(entry_literals, second)[entries]
    is_long = (np.bincount(lists, minlength=list_count)[lists] > _LONG) & (others >= 0) & (lists > 0)
    second_attribute = _at(literals.attribute, np.where(is_long, others, -1))
    codes = _at(low, _at(literals.start, np.where(is_long, others, -1)))
    seconds = np.where(is_long, base[second_attribute, 0] + codes, -1) if len(names) else np.full(len(lists), -1)
    ranges, count = int(shared.start(len(names))[-1]), shared.count
    runs = filing.choose_runs(
        entries, lists, seconds, entry_start, entry_literals, first, second, shared.number, ranges, count, literals.is_point
    )  # fmt: skip
    order = np.lexsort((-score[entries], (seconds << 16) + runs, lists))
    progress(0.6)
    lists, seconds, second_attribute, entries, runs = (
        column[order] for column in (lists, seconds, second_attribute, entries, runs)
    )
    payload, group_ends, place_at = _turns(draft, members, entries)
    list_start = np.empty(list_count + 1, np.int64)
    instructions, set_words, set_at = _sets(draft, literals, entry_start, entry_literals)
    rest = (
        lists, seconds, second_attribute, runs, entries, list_start, entry_start, entry_literals, first, second, payload, flags,
        _view(draft.entry_program, np.int32), shared.number, set_at, literals.attribute, literals.start, low, high,
        literals.is_point, max(1, len(names)), np.empty(len(entries), np.int32),
    )  # fmt: skip
    words = np.empty(0, np.int32)
    words = np.empty(filing.write_lists(words, words.view(np.uint16), True, *rest), np.int32)
    progress(0.8)
    filing.write_lists(words, words.view(np.uint16), False, *rest)
    progress(1.0)
    return CompiledIndex(
        words=words,
        literals=shared.ends(set_at),
        literal_start=shared.start(len(names)),
        list_start=list_start,
        level_start=level_start,
        levels=levels,
        instructions=instructions,
        set_words=set_words,
        group_ends=group_ends,
        place_at=place_at,
        scored=np.stack((plain_scores(members.scores)[place_at], members.user[place_at]), axis=1),
        **columns_of(draft, names, spaces),
        ids=members.ids,
        user=members.user,
        users=members.users,
        scores=members.scores,
        by_id=members.ids.in_order(),
        records=members.records,
    )


def plain_scores(scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """The scores, with 1 for those that were not given."""
    return np.where(np.isnan(scores), 1.0, scores)


class _Literals:
    """The draft's literals as arrays."""

    def __init__(self, draft: Draft, low: NDArray[np.int32], high: NDArray[np.int32]) -> None:
        self.attribute = _view(draft.literal_attribute, np.int32)
        self.flags = _view(draft.literal_flags, np.int8).astype(np.int32)
        self.key = _view(draft.literal_key, np.int32)
        self.start = _view(draft.interval_start, np.int64)
        self.low, self.high = low, high
        wide = np.concatenate([np.zeros(1, np.int64), np.cumsum(low < high)])
        # Several intervals that are not all points: two of them may lie in one block.
        self.is_scattered = (np.diff(self.start) > 1) & (np.diff(wide[self.start]) > 0)
        self.is_range = (np.diff(self.start) == 1) & (self.flags == 0)
        self.is_point = self.is_range & (_at(low, self.start[:-1]) == _at(high, self.start[:-1]))


class _Shared:
    """The literals that many postings have, numbered: ranges by attribute and in order, then sets.

    The key of an entry does not count if it is a point, because postings leave it out.
    """

    def __init__(self, literals: _Literals, entry_literals: NDArray[np.int32], first: NDArray[np.int64]) -> None:
        count = len(literals.attribute)
        keys = entry_literals[first[first >= 0]]
        keys = keys[literals.is_point[keys]]
        uses = np.bincount(entry_literals, minlength=count) - np.bincount(keys, minlength=count)
        chosen = np.flatnonzero(uses >= _OFTEN)
        if len(chosen) > MOST_SHARED:
            chosen = np.sort(chosen[np.argsort(-uses[chosen], kind="stable")[:MOST_SHARED]])
        low, high = (_at(ends, literals.start[chosen]) for ends in (literals.low, literals.high))
        order = np.lexsort((high, low, literals.attribute[chosen], ~literals.is_range[chosen]))
        self._literals, self._chosen = literals, chosen[order]
        self._low, self._high = low[order], high[order]
        self.count = len(chosen)
        self.number = np.full(count, -1, np.int32)
        self.number[self._chosen] = np.arange(len(chosen))

    def ends(self, set_at: NDArray[np.int64]) -> NDArray[np.int32]:
        """The lowest and the highest code of each; for a set, its word and nothing."""
        is_range = self._literals.is_range[self._chosen]
        low = np.where(is_range, self._low, set_at[self._chosen])
        return np.stack((low, np.where(is_range, self._high, 0))).astype(np.int32)

    def start(self, attributes: int) -> NDArray[np.int32]:
        """Where the ranges of each attribute begin, followed by the end, where the sets begin."""
        ranges = self._chosen[self._literals.is_range[self._chosen]]
        return np.searchsorted(self._literals.attribute[ranges], np.arange(attributes + 1)).astype(np.int32)


def _view(column: Any, dtype: type) -> Array:
    return np.frombuffer(column, dtype) if len(column) else np.zeros(0, dtype)


def _at(column: Array, places: Array) -> Array:
    """The column at these places; -1 outside of it."""
    inside = (places >= 0) & (places < len(column))
    found = np.full(len(places), -1, column.dtype)
    found[inside] = column[places[inside]]
    return found


def _bases(
    is_used: NDArray[np.bool_], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], int]:
    """The first list of each attribute and level; list 0 holds the entries without a key."""
    base = np.full(is_used.shape, -1, np.int64)
    level_start, levels, total = [0], [], 1
    for attribute, size in enumerate(sizes.tolist()):
        for level in np.flatnonzero(is_used[attribute]).tolist():
            base[attribute, level] = total
            levels.append((level, total))
            total += ((size - 1) >> level) + 1
        level_start.append(len(levels))
    return base, np.array(level_start, np.int32), np.array(levels, np.int32).reshape(-1, 2), total


def _flags_and_scores(draft: Draft, members: IndexedSubscriptions) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Flags and highest score of each entry."""
    owner = _view(draft.entry_owner, np.int32)
    owners = len(draft.owner_flags)
    is_group = np.bincount(members.owner, minlength=owners) > 1
    best = np.zeros(owners)
    np.maximum.at(best, members.owner, plain_scores(members.scores))
    flags = _view(draft.owner_flags, np.int8).astype(np.int32) | (is_group * GROUP)
    flags = (flags | (np.bincount(owner, minlength=owners) > 1) * REPEATED).astype(np.int32)
    return flags[owner], np.ceil(best * SCORE_ONE).astype(np.int32)[owner]


def _turns(
    draft: Draft, members: IndexedSubscriptions, entries: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int32]]:
    """The payload of each entry, the first and last turn of each group, and the place of each turn.

    `entries` lists the entry of each posting in order.
    """
    owner = _view(draft.entry_owner, np.int32)
    owners = len(draft.owner_flags)
    # Assigned in reverse, so that the first posting of each expression is kept; expressions without one come last.
    posting = len(entries) + np.arange(owners)
    posting[owner[entries[::-1]]] = np.arange(len(entries) - 1, -1, -1)
    place_at = np.argsort(posting[members.owner], kind="stable").astype(np.int32)
    in_turn = members.owner[place_at]
    first = np.flatnonzero(np.diff(in_turn, prepend=-1))
    last = np.append(first[1:], len(in_turn))
    is_group = last - first > 1
    payload = np.zeros(owners, np.int32)
    payload[in_turn[first]] = np.where(is_group, np.cumsum(is_group) - 1, first)
    ends = np.stack((first[is_group], last[is_group]), axis=1).astype(np.int32)
    return payload[owner], ends, place_at


def _sets(
    draft: Draft, literals: _Literals, entry_start: NDArray[np.int64], entry_literals: NDArray[np.int32]
) -> tuple[NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """The instructions, the words of sets, and where the set of each literal is among these (-1: it has none).

    Sets are the literals of programs, those that are not one range, and those of an entry with very many.
    """
    instructions = np.array(draft.instructions, np.int32).reshape(-1, 3)
    is_set = ~literals.is_range
    is_set[instructions[:, 0]] = True
    place = np.arange(len(entry_literals)) - np.repeat(entry_start[:-1], np.diff(entry_start))
    is_set[entry_literals[place >= MOST_LITERALS]] = True
    chosen = np.flatnonzero(is_set)
    out = np.zeros(int((2 + 2 * np.diff(literals.start)[chosen]).sum()) + 1, np.int32)
    at, set_at = np.zeros(len(chosen), np.int64), np.full(len(is_set), -1, np.int64)
    filing.write_literals(
        chosen, literals.attribute, literals.flags, literals.start, literals.low, literals.high, out, at
    )
    set_at[chosen] = at
    instructions[:, 0] = set_at[instructions[:, 0]]
    return instructions, out, set_at
