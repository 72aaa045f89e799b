"""The extent of subscriptions: the table of semantics: Producer-side top-k, what has no end, and that covering never makes it smaller."""

from datetime import UTC, datetime

import pytest
from hypothesis import assume, given

from rankcast.cover import normal_form
from rankcast.language import parse
from rankcast.model import And, Expression
from rankcast.overlay import AdvertisedSpace, Extent, extent
from rankcast.testing.strategies import conjunctions

EVERYWHERE = AdvertisedSpace(parse("true"))


def measured(text: str, space: str = "true") -> Extent:
    return extent(normal_form(parse(text)), AdvertisedSpace(parse(space)))


def test_the_paper_s_table_ranks_the_same() -> None:
    boxes = {
        "s1": (1, 10, 1, 10), "s2": (1, 10, 1, 5), "s3": (3, 7, 1, 8), "s4": (9, 10, 9, 10),
        "s5": (1, 5, 1, 5), "s6": (3, 10, 2, 4), "s7": (3, 6, 1, 5),
    }  # fmt: skip
    areas = {name: measured(f"x between {a} and {b} and y between {c} and {d}") for name, (a, b, c, d) in boxes.items()}
    assert [areas[name].amount for name in boxes] == [81, 36, 28, 1, 16, 14, 12]
    assert sorted(areas, key=lambda name: areas[name], reverse=True) == ["s1", "s2", "s3", "s5", "s6", "s7", "s4"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("true", Extent(0, 1)),
        ("x > 5", Extent(0, 1)),
        ("x between 1 and 3", Extent(-1, 2)),
        ("x = 3", Extent(-2, 1)),
        ("x in (1, 2, 5)", Extent(-2, 3)),
        ("x >= 0 and x < 10 and x != 5", Extent(-1, 10)),
        ("p = 'a'", Extent(-1, 1)),
        ("p in ('a', 'b')", Extent(-1, 2)),
        ("p startswith 'a'", Extent(0, 1)),
        ("x between 0 and 2 or x between 5 and 6", Extent(-1, 3)),
        ("x between 0 and 2 or y = 1", Extent(-1, 2)),
        ("t between date '2026-01-01' and date '2026-01-02'", Extent(-1, 86_400)),
        ("x > 5 and x < 3", Extent(float("-inf"), 0)),
    ],
)
def test_what_is_bounded_counts(text: str, expected: Extent) -> None:
    assert measured(text) == expected


def test_the_space_gives_the_bounds_that_a_subscription_leaves_open() -> None:
    space = "x between 0 and 10 and y between 0 and 5"
    assert measured("x > 4", space) == Extent(-2, 30)
    assert measured("true", space) == Extent(-2, 50)
    assert measured("x between 8 and 20", space) == Extent(-2, 10)
    assert AdvertisedSpace(parse(space)).extent == Extent(-2, 50)


def test_the_space_of_a_disjunction_is_its_hull() -> None:
    assert AdvertisedSpace(parse("x between 0 and 1 or x between 5 and 9")).bounds == {("x", "numbers"): (0, 9)}
    assert AdvertisedSpace(parse("x between 0 and 1 or y = 5")).bounds == {}
    start = datetime(2026, 1, 1, tzinfo=UTC).timestamp()
    assert AdvertisedSpace(parse("t >= date '2026-01-01'")).bounds == {("t", "times"): (start, float("inf"))}


@given(conjunctions(), conjunctions())
def test_what_covers_is_never_smaller(general: Expression, more: Expression) -> None:
    forms = normal_form(general), normal_form(And((general, more)))
    assume(all(form.conjunctions is not None and len(form.conjunctions) <= 1 for form in forms))
    space = AdvertisedSpace(parse("a between 0 and 5 and b between 0 and 2"))
    assert extent(forms[0], EVERYWHERE) >= extent(forms[1], EVERYWHERE)
    assert extent(forms[0], space) >= extent(forms[1], space)
