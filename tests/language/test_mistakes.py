from datetime import UTC, datetime

import pytest

from rankcast.language import parse
from rankcast.language.mistakes import attribute_kinds, likely_mistakes
from rankcast.model import Event, Interval

START = datetime(2026, 1, 1, tzinfo=UTC)
EVENTS = [
    Event("e1", START, {"genre": ("drama",), "year": (1999,), "price": Interval(5, 9)}),
    Event("e2", START, {"genre": ("noir", "drama"), "code": (7,)}),
    Event("e3", START, {"code": ("x7",)}),
]


@pytest.mark.parametrize(
    ("where", "said"),
    [
        ("genree = 'drama' or year > 1990", ["there is no attribute 'genree' in them; did you mean 'genre'?"]),
        ("size exists", ["there is no attribute 'size' in them"]),
        ("year > '1999'", ["'year' is a number in them, so no comparison with a string holds"]),
        ("not (genre between 1 and 5)", ["'genre' is a string in them, so no comparison with a number holds"]),
        ("year in ('a', true)", ["'year' is a number in them, so no comparison with a boolean or string holds"]),
        ("year in (1999, 'a') and year != 'x' and genre contains 'a' and year exists", []),
        ("code = 7 and code = 'x7'", []),
        ("price < 7 and price = 'x' and price is cheap", []),
        ("true", []),
    ],
)
def test_what_no_event_satisfies(where, said):
    assert list(likely_mistakes(parse(where), attribute_kinds(EVENTS), "them")) == said


def test_without_events_nothing_is_known():
    assert list(likely_mistakes(parse("genree = 'drama'"), attribute_kinds([]), "them")) == []
