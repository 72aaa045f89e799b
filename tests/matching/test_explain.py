from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast import model
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, MatchFinding, explain_match, matches

NOON = datetime(2026, 5, 1, 12, tzinfo=UTC)
CHEAP = model.LeftShoulder(500, 900)


def cheap(attribute: str, term: model.Term) -> model.Membership:
    return CHEAP


def event(**attributes: model.AttributeValue) -> model.Event:
    return model.Event("e1", NOON, attributes)


@pytest.mark.parametrize(
    ("where", "value", "line"),
    [
        ("x = 'drama'", ("comedy",), "x = 'drama': no, x is comedy"),
        ("x = 'drama'", ("comedy", "drama"), "x = 'drama': yes, x is comedy, drama"),
        ("x > 1", ("2",), "x > 1: no, x is 2, a string"),
        ("x != true", (1,), "x != true: no, x is 1, a number"),
        ("x between 'a' and 'b'", (1.5,), "x between 'a' and 'b': no, x is 1.5, a number"),
        ("x in ('a', 2)", (True,), "x in ('a', 2): no, x is true, a boolean"),
        ("x in ('a', 2)", ("b",), "x in ('a', 2): no, x is b"),
        ("x exists", (NOON,), "x exists: yes, x is 2026-05-01T12:00:00Z"),
        ("x exists", model.Interval(1, 2), "x exists: yes, x is between 1 and 2"),
        ("x is cheap", (600,), "x is cheap: yes, x is 600, to degree 0.75"),
        ("x is cheap", (800,), "x is cheap: no, x is 800, to degree 0.25; 0.5 is needed"),
        ("x is cheap [0, 0]", (900,), "x is cheap [0, 0]: no, x is 900, to degree 0; more than 0 is needed"),
        (
            "x is cheap",
            model.Interval(600, 700),
            "x is cheap: yes, x is between 600 and 700, possible to 0.75 and certain to 0.5",
        ),
        (
            "x is cheap [1, 0]",
            model.Interval(600, 700),
            "x is cheap [1, 0]: no, x is between 600 and 700, possible to 0.75 and certain to 0.5; "
            "possible to 1 is needed",
        ),
        (
            "x <= 650 [1, 0.5]",
            model.Interval(600, 700),
            "x <= 650 [1, 0.5]: no, x is between 600 and 700, possible to 1 and certain to 0; certain to 0.5 is needed",
        ),
        (
            "x < 0 [0, 0]",
            model.Interval(600, 700),
            "x < 0 [0, 0]: no, x is between 600 and 700, possible to 0 and certain to 0; possible to more than 0 is needed",
        ),
        (
            "x < 650",
            model.Term("cheap", (model.Hedge.NOT, model.Hedge.VERY)),
            "x < 650: yes, x is not very cheap, possible to 0.609375 and certain to 0",
        ),
        ("x > 0", model.Gaussian(9, 1), "x > 0: yes, x is gaussian [9, 1], possible to 1 and certain to 1"),
        ("y = 1", (1,), "y = 1: no, there is no y"),
    ],
)
def test_predicates(where: str, value: model.AttributeValue, line: str) -> None:
    assert explain_match(parse(where), event(x=value), cheap).lines() == [line]


def test_a_tree() -> None:
    where = parse("(genre = 'drama' or year < 1990) and not (rating >= 7) and true")
    finding = explain_match(where, event(genre=("comedy",), year=(1980,), rating=(8,)), NO_CONCEPTS)
    assert finding.lines() == [
        "all of these: no, 2 of 3 hold",
        "  any of these: yes, 1 of 2 holds",
        "    genre = 'drama': no, genre is comedy",
        "    year < 1990: yes, year is 1980",
        "  not this: no, it holds",
        "    rating >= 7: yes, rating is 8",
        "  true: yes, it holds for every event",
    ]


def test_findings_are_values() -> None:
    assert explain_match(parse("x = 1"), event(x=(1,)), NO_CONCEPTS) == MatchFinding("x = 1", True, "x is 1")


def test_concepts_in_events_are_everybodys() -> None:
    finding = explain_match(
        parse("price is cheap [0, 0.1]"),
        event(price=model.Term("cheap")),
        lambda a, t: model.LeftShoulder(50, 90),
        shared=cheap,
    )
    assert not finding.holds


def test_long_values_are_cut() -> None:
    (line,) = explain_match(parse("x = 'b'"), event(x=("a" * 500,)), NO_CONCEPTS).lines()
    assert line == f"x = 'b': no, x is {'a' * 59}…"
    table = model.Table(tuple((f"value {n}", 1.0) for n in range(100)))
    assert len(explain_match(parse("x = 'b'"), event(x=table), NO_CONCEPTS).lines()[0]) < 200


@given(
    st.sampled_from(["x = 1", "x is cheap", "x = 1 or x is cheap", "not (x > 5 and y = 'a')", "y != 'a' and x < 9"]),
    st.dictionaries(st.sampled_from("xy"), st.sampled_from([(1,), (700,), ("a",), ("a", "b"), model.Interval(0, 800)])),
)
def test_it_holds_iff_it_matches(where: str, attributes: dict[str, model.AttributeValue]) -> None:
    published = event(**attributes)
    assert explain_match(parse(where), published, cheap).holds is matches(parse(where), published, cheap)
