import pytest

from rankcast.model import (
    EPOCH,
    AttributeValue,
    Event,
    Gaussian,
    Interval,
    LeftShoulder,
    Table,
    Term,
    Trapezoid,
    Triangle,
)
from rankcast.service.studies.attribute_study import Axis, axis_of, bars_of, middle, study, suitable_attributes


def events(*values: AttributeValue, name: str = "price") -> list[Event]:
    return [Event(f"e{number}", EPOCH, {name: value}) for number, value in enumerate(values)]


def test_numbers_ranges_words_and_texts_are_told_apart() -> None:
    found = study("price", events((1,), (2.5,), Interval(2, 4), Triangle(1, 5, 6), Term("cheap"), ("much", "more")))
    assert found.numbers == (1.0, 2.5, 3.0, 5.0)
    assert (found.ranges, found.words, dict(found.texts)) == (2, 1, {"much": 1, "more": 1})
    assert not found.is_textual
    assert (
        found.label()
        == "5 values in the last 6 events; 2 of them ranges, drawn at their middle; 1 only words, not drawn"
    )


def test_what_no_event_has_is_an_empty_study() -> None:
    found = study("price", events((1,), name="size"))
    assert (found.numbers, found.is_textual) == ((), False)
    assert axis_of(found, []) == Axis("price")
    assert bars_of(found, axis_of(found, [])) == []


def test_the_axis_shows_the_data_and_the_functions() -> None:
    found = study("price", events(*((x,) for x in range(50, 101))))
    axis = axis_of(found, [LeftShoulder(20, 140)])
    assert axis.low <= 20 < 140 <= axis.high
    assert not axis.log


def test_skewed_numbers_are_drawn_on_a_logarithmic_axis() -> None:
    found = study("votes", events(*((10 ** (x / 20),) for x in range(120)), name="votes"))
    axis = axis_of(found, [])
    assert axis.log
    assert axis.low > 0
    bars = bars_of(found, axis)
    assert max(height for _, _, height in bars) == 1
    assert all(start < end for start, end, _ in bars)


def test_bars_count_every_number() -> None:
    found = study("x", events(*((x,) for x in [0, 0, 0, 5, 10]), name="x"))
    heights = [height for _, _, height in bars_of(found, Axis("x", 0, 10))]
    assert sorted(heights) == pytest.approx([1 / 3, 1 / 3, 1])


def test_texts_are_categories_the_commonest_first() -> None:
    found = study("city", events(("b",), ("a",), ("b",), name="city"))
    axis = axis_of(found, [Table((("c", 0.5),))])
    assert axis.categories == (("b", 1.0), ("a", 0.5), ("c", 0.0))


def test_attributes_with_concepts_come_first_and_free_text_not_at_all() -> None:
    many = [Event(f"e{n}", EPOCH, {"title": (f"text {n}",), "size": (n,), "genre": ("drama",)}) for n in range(50)]
    assert suitable_attributes(["zeal"], many) == ["zeal", "size", "genre"]


@pytest.mark.parametrize(
    ("membership", "place"),
    [(Trapezoid(0, 2, 4, 9), 3), (Triangle(0, 2, 9), 2), (Gaussian(7, 1), 7), (LeftShoulder(2, 4), 3)],
)
def test_the_middle_is_where_a_value_may_well_lie(membership: Trapezoid, place: float) -> None:
    assert middle(membership) == place
