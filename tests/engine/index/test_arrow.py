"""Events that come as columns match as the same events one by one."""

from datetime import UTC, date, datetime

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.engine.index import LiveIndex, Senses
from rankcast.engine.index.arrow import ArrowRows
from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import EPOCH, Event, Subscription
from rankcast.testing import strategies

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)


def meaning(attribute, term):
    return strategies.CONCEPTS[attribute, term.concept]


SENSES = Senses(lambda user: meaning, shared=meaning)


def live(*texts):
    return LiveIndex.create(None, [Subscription(text, "u", parse(text)) for text in texts])


def columns_of(events):
    """The events as a table; attributes that have several kinds of value are left to the first kind."""
    names = sorted({name for event in events for name in event.attributes})
    columns = {}
    for name in names:
        values = [event.attributes.get(name) for event in events]
        kind = next(type(value[0]) for value in values if value is not None)
        kept = [value if value is not None and type(value[0]) is kind else None for value in values]
        several = any(value is not None and len(value) > 1 for value in kept)
        columns[name] = [value and (list(value) if several else value[0]) for value in kept]
        columns[name] = [None if value == [] else value for value in columns[name]]
    table = pa.table(columns) if columns else pa.table({"none": [None] * len(events)})
    plain = [
        Event(f"e{i}", EPOCH, {name: _tuple(column[i]) for name, column in columns.items() if column[i] is not None})
        for i in range(len(events))
    ]
    return table, plain


def _tuple(value):
    return tuple(value) if isinstance(value, list) else (value,)


@given(strategies.subscriptions(max_size=8, fuzzy=True), st.lists(strategies.events(), min_size=1, max_size=5))
def test_columns_match_as_events_do(subscriptions, events):
    index = LiveIndex.create(None, subscriptions, SENSES)
    table, plain = columns_of(events)
    expected = index.match_batch(plain)
    rows = zip(expected.event.tolist(), expected.subscription, expected.user, expected.degree.tolist(), strict=True)
    found = index.match_arrow(table)
    assert [tuple(row.values()) for row in found.to_pylist()] == list(rows)
    assert [one.attributes for one in ArrowRows(table)] == [one.attributes for one in plain]


def test_every_type_of_column():
    texts = ["n = 3", "x > 0.5", "big = 9007199254740993", "p startswith 'a'", "q = 'x' and q = 'y'", "b = true"]
    texts += ["t < time '2026-01-02T00:00:00Z'", "d = date '2026-01-03'", "c = 'red'"]
    index = live(*texts)
    table = pa.table(
        {
            "n": pa.array([3, None], pa.int32()),
            "x": pa.array([0.25, 0.75]),
            "big": pa.array([9007199254740992, 9007199254740993], pa.int64()),
            "p": ["ab", None],
            "q": [["x", "y"], ["y"]],
            "b": [True, None],
            "t": pa.array([NOON, None], pa.timestamp("us", "UTC")),
            "d": pa.array([date(2026, 1, 3), None]),
            "c": pa.array([None, "red"]).dictionary_encode(),
            "nobody asks": [1, 2],
        }
    )
    found = [(row["event"], row["subscription"]) for row in index.match_arrow(table).to_pylist()]
    assert found == [
        *((0, text) for text in texts if text.split()[0] in ("n", "p", "q", "b", "t", "d")),
        (1, "x > 0.5"),
        (1, "big = 9007199254740993"),
        (1, "c = 'red'"),
    ]
    assert index.match_arrow(table.slice(0, 0)).num_rows == 0
    assert index.match_arrow(table.to_batches()[0]).equals(index.match_arrow(table))


def test_an_empty_list_is_an_absent_attribute():
    table = pa.table({"q": pa.array([[], ["x"], None], pa.list_(pa.string()))})
    assert live("q exists").match_arrow(table)["event"].to_pylist() == [1]


def test_changes_and_users_count():
    index = live("n = 3")
    index.put(Subscription("more", "v", parse("n exists")))
    table = pa.table({"n": [3, 4]})
    assert index.match_arrow(table)["subscription"].to_pylist() == ["n = 3", "more", "more"]
    assert index.match_arrow(table, users=["u"])["event"].to_pylist() == [0]


@pytest.mark.parametrize(
    ("column", "complaint"),
    [
        ([1.0, float("nan")], "'n': nan"),
        ([{"between": [1, 2]}] * 2, "'n': imprecise values"),
        ([[1.0, float("inf")]] * 2, "'n': inf"),
    ],
)
def test_what_no_event_may_have(column, complaint):
    with pytest.raises(ModelError, match=complaint):
        live("n = 3").match_arrow(pa.table({"n": column}))
