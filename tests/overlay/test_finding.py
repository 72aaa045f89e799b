"""Finding by boxes gives what plain evaluation gives."""

from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, Expression, Interval, Subscription
from rankcast.overlay import Finder
from rankcast.testing.strategies import conjunctions, events, predicates

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@given(st.one_of(st.lists(predicates(), max_size=8), st.lists(conjunctions(), max_size=6)), events(fuzzy=False))
def test_as_plain_evaluation(wheres: list[Expression], event: Event) -> None:
    subscriptions = [Subscription(f"s{at}", "u", where) for at, where in enumerate(wheres)]
    assert Finder(subscriptions, Catalog()).match(event) == list(OracleMatcher(subscriptions).match(event))


def test_boxes_meet_what_is_no_point() -> None:
    subscriptions = [Subscription("s1", "u", parse("x between 1 and 5")), Subscription("s2", "u", parse("x > 7"))]
    finder = Finder(subscriptions, Catalog())
    for value in ((3,), (2**60,), ("3",), (True,), Interval(4, 8)):
        event = Event("e1", NOW, {"x": value})
        assert finder.match(event) == list(OracleMatcher(subscriptions).match(event))
