"""The kernel: room that runs out, blocks of events, scores below the least."""

from datetime import UTC, datetime

import numpy as np

from rankcast.engine.index import IndexMatcher
from rankcast.engine.index.kernels import BLOCK
from rankcast.engine.index.words import SCORE_ONE
from rankcast.language import parse
from rankcast.model import Event, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def searched(index, codes, room, start=0, least=0):
    compiled = index.compiled
    event, item = np.empty(room, np.int32), np.empty(room, np.int32)
    reached, size, _ = index._search(codes, start, least, event, item)
    return reached, sorted(zip(event[:size].tolist(), compiled.place_at[item[:size]].tolist(), strict=True))


def index_of(texts, scores=None):
    given = [Subscription(f"s{i}", "u", parse(text), scores and scores[i]) for i, text in enumerate(texts)]
    return IndexMatcher(given).index


def events(count):
    return [Event(f"e{i}", NOON, {"a": (i % 7,)}) for i in range(count)]


def test_it_stops_before_the_block_that_has_no_room(layout):
    index = index_of([f"a = {i}" for i in range(7)])
    codes = index.encoder.encode(events(2 * BLOCK))
    expected = [(place, place % 7) for place in range(2 * BLOCK)]
    assert searched(index, codes, 2 * BLOCK) == (2 * BLOCK, expected)
    assert searched(index, codes, BLOCK + 10) == (BLOCK, expected[:BLOCK])
    assert searched(index, codes, BLOCK, start=BLOCK) == (2 * BLOCK, expected[BLOCK:])
    assert searched(index, codes, BLOCK - 1) == (0, [])


def test_a_group_that_has_no_room_is_not_begun(layout):
    index = index_of(["a = 1"] * 5)
    codes = index.encoder.encode([Event("e", NOON, {"a": (1,)})])
    assert searched(index, codes, 4) == (0, [])
    assert searched(index, codes, 5) == (1, [(0, place) for place in range(5)])


def test_postings_below_the_least_score_are_left_out(layout):
    index = index_of(["a = 1", "a >= 0 and a = 1", "a = 1 and a <= 5"], [0.2, 0.9, 0.5])
    codes = index.encoder.encode([Event("e", NOON, {"a": (1,)})])
    assert searched(index, codes, 9, least=int(0.4 * SCORE_ONE)) == (1, [(0, 1), (0, 2)])
