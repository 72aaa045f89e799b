"""Mining from a store's log on Spark finds what mining in the process finds."""

from datetime import UTC, datetime

import pytest

from rankcast.fuzzy import NumberSummary, ValueSummary
from rankcast.lab.adapting import plan_adaptation, summary_of
from rankcast.language import parse
from rankcast.model import Event, Interval, Subscription
from rankcast.pipeline.spark import summarise_store
from rankcast.store import Store

NOON = datetime(2026, 1, 1, 12, tzinfo=UTC)
WHERES = {"one": "price <= 1500", "two": "kind in ('flat', 'room') and mixed > 3", "three": "mixed = 'word'"}


@pytest.fixture
def store(tmp_path):
    with Store.create(str(tmp_path / "s.db")) as store:
        store.change(put=[Subscription(name, "ann", parse(where)) for name, where in WHERES.items()])
        yield store


def publish(store, numbers) -> None:
    store.publish(
        [
            Event(
                f"e{number}",
                NOON,
                {
                    "price": Interval(number, number + 10) if number % 10 == 0 else (number * 7.25,),
                    "kind": (("flat", "room") if number % 3 else ("room",)) if number < 130 else ("villa", "castle"),
                    "mixed": (f"word{number // 15}",) if number % 5 > 1 else (number,),
                    **({} if number % 2 else {"seldom": (number,)}),
                },
            )
            for number in numbers
        ]
    )


@pytest.mark.parametrize(
    ("attribute", "kind"),
    [("price", NumberSummary), ("kind", ValueSummary), ("mixed", ValueSummary), ("seldom", NumberSummary)],
)
def test_summary_of_a_store_is_the_same_on_spark(spark, store, attribute, kind):
    publish(store, range(100, 160))
    last = store.last_offset()
    publish(store, range(500, 510))  # while Spark counts
    events = [logged.event for logged in store.events(limit=last)]
    wheres = [parse(where) for where in WHERES.values()]
    expected = summary_of(attribute, events, wheres)
    found = summarise_store(spark, store.database.place, attribute, wheres, last)
    assert isinstance(found, kind)
    assert (found.count, found.missing) == (expected.count, expected.missing)
    if isinstance(expected, NumberSummary):
        assert found.digits == expected.digits
        assert found.buckets.keys() == expected.buckets.keys()
    else:
        assert found == expected
    planned = [plan_adaptation(store.catalog(), one, events[::-1], None, is_asked=False) for one in (found, expected)]
    assert planned[0].run is not None, planned[0].reason
    assert planned[0].run.after == planned[1].run.after
