"""The kernel: room that runs out, blocks of events, scores below the least, pairs in order."""

from datetime import UTC, datetime

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from rankcast.language import parse
from rankcast.match.index import IndexMatcher
from rankcast.match.index.kernels import BLOCK, match_events, pack, unpack
from rankcast.match.index.words import CHECK, REPEAT, SCORE_ONE
from rankcast.model import Event, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def searched(index, codes, room, start=0, least=0):
    compiled = index.compiled
    event, item = np.empty(room, np.int32), np.empty(room, np.int32)
    reached, size = match_events(
        compiled.words, compiled.list_start, compiled.level_start, compiled.levels, compiled.instructions,
        compiled.program_words, compiled.group_ends, codes.start, codes.attribute, codes.low, codes.high, codes.is_soft,
        start, least, event, item,
    )  # fmt: skip
    return reached, sorted(zip(event[:size].tolist(), compiled.place_at[item[:size]].tolist(), strict=True))


def index_of(texts, scores=None):
    given = [Subscription(f"s{i}", "u", parse(text), scores and scores[i]) for i, text in enumerate(texts)]
    return IndexMatcher(given).index


def events(count):
    return [Event(f"e{i}", NOON, {"a": (i % 7,)}) for i in range(count)]


def test_it_stops_before_the_block_that_has_no_room():
    index = index_of([f"a = {i}" for i in range(7)])
    codes = index.encoder.encode(events(2 * BLOCK))
    expected = [(place, place % 7) for place in range(2 * BLOCK)]
    assert searched(index, codes, 2 * BLOCK) == (2 * BLOCK, expected)
    assert searched(index, codes, BLOCK + 10) == (BLOCK, expected[:BLOCK])
    assert searched(index, codes, BLOCK, start=BLOCK) == (2 * BLOCK, expected[BLOCK:])
    assert searched(index, codes, BLOCK - 1) == (0, [])


def test_a_group_that_has_no_room_is_not_begun():
    index = index_of(["a = 1"] * 5)
    codes = index.encoder.encode([Event("e", NOON, {"a": (1,)})])
    assert searched(index, codes, 4) == (0, [])
    assert searched(index, codes, 5) == (1, [(0, place) for place in range(5)])


def test_postings_below_the_least_score_are_left_out():
    index = index_of(["a = 1", "a >= 0 and a = 1", "a = 1 and a <= 5"], [0.2, 0.9, 0.5])
    codes = index.encoder.encode([Event("e", NOON, {"a": (1,)})])
    assert searched(index, codes, 9, least=int(0.4 * SCORE_ONE)) == (1, [(0, 1), (0, 2)])


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), max_size=12))
def test_pairs_are_sorted_and_each_is_there_once(found):
    checked = {2, 3}
    flags = [CHECK if turn in checked else 0 for _, turn in found]
    item = np.array([turn | REPEAT | int(flag) for (_, turn), flag in zip(found, flags, strict=True)], np.int64)
    place_at = np.array([40, 30, 20, 10, 0], np.int32)
    pairs = np.empty(len(found), np.int64)
    pack(np.array([event for event, _ in found], np.int32), item.astype(np.int32), place_at, pairs)
    pairs.sort()
    event, place, unsure = np.empty_like(pairs), np.empty_like(pairs), np.empty(len(pairs), np.bool_)
    size, marked = unpack(pairs, event, place, unsure)
    expected = sorted({(event, int(place_at[turn]), turn in checked) for event, turn in found})
    assert list(zip(event[:size].tolist(), place[:size].tolist(), unsure[:size].tolist(), strict=True)) == expected
    assert marked == sum(is_checked for *_, is_checked in expected)
