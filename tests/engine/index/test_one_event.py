"""One event at a time: the search by address. `test_matcher` compares it with plain evaluation on random input."""

from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

import pytest

from rankcast.engine.index import IndexMatcher
from rankcast.engine.index.one_event import FEW
from rankcast.language import parse
from rankcast.model import Event, Interval, Subscription

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def index_of(texts):
    return IndexMatcher([Subscription(f"s{i}", "u", parse(text)) for i, text in enumerate(texts)]).index


def event(**values):
    return Event(
        "e", NOON, {name: value if isinstance(value, Interval) else (value,) for name, value in values.items()}
    )


def test_room_grows_for_an_event_with_many_matches(layout):
    index = index_of([f"a >= {i}" for i in range(3_000)])
    assert index.match(event(a=2_500)).subscription.tolist() == list(range(2_501))
    assert index.match(event(a=3)).subscription.tolist() == [0, 1, 2, 3]
    assert len(index._searches) == 1


@pytest.mark.parametrize("count", [0, 1, FEW - 1, FEW, FEW + 1, 2 * FEW])
def test_few_places_are_in_order_as_many_are(count):
    bounds = [(7 * i) % 211 for i in range(211)]  # the order of the search is not that of the places
    index = index_of([f"a >= {bound}" for bound in bounds])
    found = index.match(event(a=count - 1)).subscription
    assert found.tolist() == [i for i, bound in enumerate(bounds) if bound < count]
    index.match(event(a=210))
    assert len(found) == count, "an answer stays as it is when the next event is searched for"
    assert found.tolist() == sorted(found.tolist())


def test_what_does_not_fit_the_room_is_searched_all_the_same(layout):
    index = index_of([f"a >= {i % 40} and b >= {i % 9} and c = {i % 3}" for i in range(1_500)])
    asked = event(a=30, b=7, c=1)
    expected = index.match(asked).subscription.tolist()
    assert expected == [i for i in range(1_500) if i % 40 <= 30 and i % 9 <= 7 and i % 3 == 1]
    (search,) = index._searches
    search.table[15:20, 1] = 1, 1, 2, 2, 3  # one list, one span, two runs, three postings
    assert index.match(asked).subscription.tolist() == expected


def test_a_run_that_is_too_long_for_its_head_is_divided():
    index = index_of([f"a > 5 and b != {i}" for i in range(25_000)])
    assert len(index.compiled.words) > 65_535
    events = [event(a=6, b=24_000)] * 20
    expected = [i for i in range(25_000) if i != 24_000]
    assert index.match(events[0]).subscription.tolist() == expected
    found = index.candidates(index.encoder.encode(events))
    assert found.subscription.tolist() == 20 * expected
    assert index.match(event(a=5, b=1)).subscription.tolist() == []


def test_nothing_is_left_of_the_event_before(layout):
    index = index_of(["a = 1 and b = 2", "a = 1", "b = 2 and c != 3", "not (a = 1)", "a between 0 and 5 and b >= 1"])
    assert index.match(event(a=1, b=2, c=4)).subscription.tolist() == [0, 1, 2, 4]
    assert index.match(event(b=2)).subscription.tolist() == [3]
    assert index.match(event()).subscription.tolist() == [3]
    assert index.match(event(z=7)).subscription.tolist() == [3]


def test_one_and_true_are_different(layout):
    index = index_of(["a = 1", "a = true", "b = 0", "b = false"])
    for _ in range(2):  # unknown values, then known ones
        assert index.match(event(a=1, b=0)).subscription.tolist() == [0, 2]
        assert index.match(event(a=True, b=False)).subscription.tolist() == [1, 3]
        assert index.match(event(a=1.0, b=False)).subscription.tolist() == [0, 3]


def test_known_numbers_are_not_taken_for_booleans():
    texts = ["a = 1", "a = true", "a = 0", "a = false"]
    index = index_of(texts)
    both = ((1,), (True,), (0,), (False,), (1.0,), (0, 1), (False, True), (True, False), (1, 0))
    for values in (*both, *both):
        codes = index.encoder.codes("a", values).tolist()
        assert codes == index_of(texts).encoder.codes("a", values).tolist(), values
    assert index.encoder.codes("a", (0, 1)).tolist() != index.encoder.codes("a", (False, True)).tolist()


def test_imprecise_values_are_left_to_the_search_with_flags():
    assert index_of(["a = 1"]).match(event(a=Interval(0, 5))) is None


def test_threads_do_not_share_what_the_search_writes():
    index = index_of([f"a >= {i} and b <= {i % 50}" for i in range(2_000)])
    events = [event(a=i % 2_000, b=i % 50) for i in range(3_000)]
    expected = [index.match(one).subscription.tolist() for one in events]
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda one: index.match(one).subscription.tolist(), events))
    assert found == expected
