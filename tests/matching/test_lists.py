"""Lists of numbers and times (semantics: Events and subscriptions): in every engine, as plain evaluation decides."""

import pyarrow as pa
import pytest

from rankcast.choose.distance import distance
from rankcast.cover import Relation, relate
from rankcast.engine.index import IndexMatcher
from rankcast.engine.index.arrow import codes_of_batch
from rankcast.language import decode_event, parse
from rankcast.language.plain_rows import plain_rows
from rankcast.language.tables import events_of_table
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import EPOCH, Event, Subscription

NOON = "2026-05-01T12:00:00Z"
EVENTS = {
    "list": {"x": [3, 7]},
    "one": {"x": 7},
    "one in a list": {"x": [7.0]},
    "times": {"x": [{"time": NOON}, {"time": "2026-05-02"}]},
    "text": {"x": "7"},
    "texts": {"x": ["7", "8"]},
    "none": {},
}
HOLDS = {
    "x contains 7": {"list", "one", "one in a list"},
    "x contains 7.0": {"list", "one", "one in a list"},
    "x contains 5": set(),
    f"x contains time '{NOON}'": {"times"},
    "x contains '7'": {"text", "texts"},
    "x exists": {"list", "one", "one in a list", "times", "text", "texts"},
    "x = 7": {"one", "one in a list"},
    "x != 5": {"one", "one in a list"},
    "x > 1": {"one", "one in a list"},
    "x between 1 and 9": {"one", "one in a list"},
    "x in (3, 7)": {"one", "one in a list"},
    "not x contains 7": {"times", "text", "texts", "none"},
    "not x > 1": {"list", "times", "text", "texts", "none"},
    "x contains 3 and x contains 7": {"list"},
    "x contains 3 and not x contains 5": {"list"},
    "x > 1 or x contains 3": {"list", "one", "one in a list"},
}


def event(name: str):
    return decode_event({"id": name, "time": "2026-01-01", "attributes": EVENTS[name]})


@pytest.mark.parametrize("text", HOLDS)
def test_what_holds_for_a_list(text):
    assert {name for name in EVENTS if matches(parse(text), event(name), NO_CONCEPTS)} == HOLDS[text]


def test_the_index_agrees():
    subscriptions = [Subscription(text, "ann", parse(text)) for text in HOLDS]
    index = IndexMatcher(subscriptions)
    for name in EVENTS:
        found = {subscription.id for subscription, _ in index.match(event(name))}
        assert found == {text for text, names in HOLDS.items() if name in names}, name


@pytest.mark.parametrize(
    ("first", "second", "relation"),
    [
        ("x contains 7", "x = 7", Relation.COVERS),
        ("x contains 7", "x contains 7.0", Relation.EQUAL),
        ("x contains 7", "x contains 8", Relation.OVERLAPS),
        ("x contains 7", "x = 8", Relation.DISJOINT),
        ("x contains 7", "x > 8", Relation.DISJOINT),
        ("x exists", "x contains 7", Relation.COVERS),
        ("x contains 7", "x contains 7 and x contains 8", Relation.COVERS),
        ("x contains 7 or x contains 8", "x in (7, 8)", Relation.COVERS),
        ("not x contains 7", "x != 7", Relation.COVERS),
        (f"x contains time '{NOON}'", f"x = time '{NOON}'", Relation.COVERS),
        (
            f"x < 1 or x >= 1 or x < '' or x >= '' or x in (true, false) or x < time '{NOON}' or x >= time '{NOON}'",
            "x exists",
            Relation.COVERED,
        ),
        ("x >= 1 and x <= 5", "x between 1 and 5", Relation.EQUAL),
    ],
)
def test_covering(first, second, relation):
    assert relate(parse(first), parse(second)) is relation


@pytest.mark.parametrize("kind", [pa.float64(), pa.int64()])
def test_columns_of_lists(kind):
    columns = {
        "id": ["a", "b", "c", "d", "e"],
        "time": pa.array([EPOCH] * 5, pa.timestamp("us", "UTC")),
        "x": pa.array([[3, 7], [7], [7, 7], [], None], pa.list_(kind)),
    }
    batch = pa.record_batch(columns)
    assert plain_rows(batch).to_pylist() == [True] * 5
    read = list(events_of_table(batch))
    assert [one.attributes.get("x") for one in read] == [(3, 7), (7,), (7,), None, None]
    encoder = IndexMatcher([Subscription(text, "ann", parse(text)) for text in HOLDS]).index.encoder
    one_by_one, by_columns = encoder.encode(read), codes_of_batch(encoder, batch.select(["x"]))
    for name in ("start", "attribute", "low", "high"):
        assert getattr(one_by_one, name).tolist() == getattr(by_columns, name).tolist()


def test_the_distance_is_that_of_sets():
    a, b = (Event(name, EPOCH, {"x": values}) for name, values in (("a", (1, 2, 3)), ("b", (2.0, 3, 4, 5))))
    assert distance(a, b) == pytest.approx(1 - 2 / 5)
