"""Ordering the constants of a draft, and the codes of its intervals."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rankcast.engine.index.draft import ANY, NO_END, PATTERN, Draft
from rankcast.engine.index.patterns import number_of
from rankcast.engine.index.spaces import KINDS, AttributeSpace, microseconds, split_number
from rankcast.engine.index.texts import PackedStrings
from rankcast.model import Kind
from rankcast.plain import Array, State

Ranks = dict[tuple[int, int], NDArray[np.int64]]
"""By attribute and kind: the rank of each constant, numbered in the order of addition."""

_NUMBER, _STRING, _BOOLEAN, _TIME = (KINDS.index(kind) for kind in (Kind.NUMBER, Kind.STRING, Kind.BOOLEAN, Kind.TIME))


def ordered(draft: Draft) -> tuple[list[AttributeSpace], Ranks]:
    """The space of each attribute, and the ranks of the constants."""
    ranks: Ranks = {}
    spaces = []
    for attribute in range(len(draft.names)):
        numbers, remainders = _numbers(list(draft.constants.get((attribute, _NUMBER), {})))
        order = np.lexsort((remainders, numbers))
        ranks[attribute, _NUMBER] = _inverse(order)
        texts: Any = list(draft.constants.get((attribute, _STRING), {}))
        by_text = sorted(range(len(texts)), key=texts.__getitem__)
        ranks[attribute, _STRING] = _inverse(np.array(by_text, np.int64))
        truths = list(draft.constants.get((attribute, _BOOLEAN), {}))
        ranks[attribute, _BOOLEAN] = np.array([int(bool(truth)) for truth in truths], np.int64)
        moments: Any = draft.constants.get((attribute, _TIME), {})
        times = np.array([microseconds(moment) for moment in moments], np.int64)
        by_time = np.argsort(times)
        ranks[attribute, _TIME] = _inverse(by_time)
        left = remainders[order] if remainders.any() else remainders[:0]
        spaces.append(AttributeSpace(numbers[order], left, [texts[place] for place in by_text], times[by_time]))
    return spaces, ranks


def codes_of(
    draft: Draft, spaces: Sequence[AttributeSpace], ranks: Ranks, sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """The lowest and highest code of each interval of the draft."""
    count = len(draft.interval_kind)
    if not count:
        return np.zeros(0, np.int32), np.zeros(0, np.int32)
    start = np.frombuffer(draft.interval_start, np.int64)
    attribute = np.repeat(np.frombuffer(draft.literal_attribute, np.int32), np.diff(start)).astype(np.int64)
    kind = np.frombuffer(draft.interval_kind, np.int8).astype(np.int64)
    low = np.frombuffer(draft.interval_low, np.int32).astype(np.int64)
    high = np.frombuffer(draft.interval_high, np.int32).astype(np.int64)
    bases = np.array([space.bases for space in spaces], np.int64).reshape(-1, len(KINDS) + 1)
    first = np.zeros((len(spaces), len(KINDS)), np.int64)
    parts, total = [], 0
    for (at, of_kind), part in ranks.items():
        first[at, of_kind] = total
        parts.append(part)
        total += len(part)
    rank = np.concatenate([*parts, np.zeros(1, np.int64)])
    plain = np.minimum(kind, len(KINDS) - 1)
    begin, end = bases[attribute, plain], bases[attribute, plain + 1] - 1
    # The lower bound is 2 i + 1 or 2 i + 2, the upper bound 2 i or 2 i + 1, where i is the number of the constant.
    number = np.where(low == NO_END, 0, (low - 1) >> 1)
    lows = begin + 2 * rank[np.minimum(first[attribute, plain] + number, total)] + low - 2 * number
    number = np.where(high == NO_END, 0, high >> 1)
    highs = begin + 2 * rank[np.minimum(first[attribute, plain] + number, total)] + high - 2 * number
    lows = np.where(low == NO_END, begin, lows)
    highs = np.where(high == NO_END, end, highs)
    lows[kind == ANY] = 0
    highs[kind == ANY] = sizes[attribute[kind == ANY]] - 1
    lows[kind == PATTERN] = highs[kind == PATTERN] = low[kind == PATTERN]
    return lows.astype(np.int32), highs.astype(np.int32)


def columns_of(draft: Draft, names: Sequence[Any], spaces: Sequence[AttributeSpace]) -> State:
    """The columns of `CompiledIndex` that hold names and constants."""
    counts = np.zeros((len(names), 4), np.int64)
    pattern_of = np.full((len(names), 2), -1, np.int32)
    strings: list[str] = []
    for attribute, (name, space) in enumerate(zip(names, spaces, strict=True)):
        patterns: Any = list(draft.constants.get((attribute, PATTERN), {}))
        counts[attribute] = len(space.numbers), len(space.strings), len(space.times), len(patterns)
        strings += patterns or space.strings
        if isinstance(name, tuple):
            pattern_of[attribute] = draft.attribute(name[0]), number_of(name[1])
    exact = [space.remainders if len(space.remainders) else np.zeros(len(space.numbers), np.int16) for space in spaces]
    return {
        "attribute_names": PackedStrings.of("" if isinstance(name, tuple) else name for name in names),
        "pattern_of": pattern_of,
        "constant_counts": counts,
        "numbers": _joined([space.numbers for space in spaces], np.float64),
        "remainders": _joined(exact if any(part.any() for part in exact) else [], np.int16),
        "times": _joined([space.times for space in spaces], np.int64),
        "strings": PackedStrings.of(strings),
    }


def _numbers(constants: list[Any]) -> tuple[NDArray[np.float64], NDArray[np.int16]]:
    pairs = [split_number(number) for number in constants]
    return np.array([near for near, _ in pairs], np.float64), np.array([left for _, left in pairs], np.int16)


def _inverse(order: NDArray[np.int64]) -> NDArray[np.int64]:
    inverse = np.empty(len(order), np.int64)
    inverse[order] = np.arange(len(order))
    return inverse


def _joined(parts: Sequence[Array], dtype: type) -> Array:
    return np.concatenate([*parts, np.zeros(0, dtype)])
