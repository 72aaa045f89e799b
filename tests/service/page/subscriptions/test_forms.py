import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.errors import ModelError
from rankcast.language import parse, show
from rankcast.model import Kind
from rankcast.service.page.subscriptions.forms import (
    Condition,
    Form,
    FormShape,
    expression_of,
    form_of,
    join_texts,
    split_texts,
)
from rankcast.testing.strategies import expressions


@pytest.mark.parametrize(
    ("text", "shape", "sizes"),
    [
        ("true", FormShape.ALL, [0]),
        ("genre = 'drama'", FormShape.ALL, [1]),
        ("genre = 'drama' and year between 1990 and 1999", FormShape.ALL, [2]),
        ("genre = 'drama' or genre in ('a', 'b, c')", FormShape.ANY, [2]),
        ("(a = 1 and b = 2) or c exists", FormShape.DNF, [2, 1]),
        ("(a = 1 or b = 2) and c is not very cheap [0.7, 0.1]", FormShape.CNF, [2, 1]),
        ("seen = true and at >= time '2026-05-01T20:00:00Z' and price = 1.0", FormShape.ALL, [3]),
    ],
)
def test_there_and_back(text: str, shape: FormShape, sizes: list[int]) -> None:
    form = form_of(parse(text))
    assert form is not None
    assert form.shape is shape
    assert [len(group) for group in form.groups] == sizes
    assert show(expression_of(form)) == show(parse(text))


@pytest.mark.parametrize(
    "text", ["not a = 1", "a = 1 and (b = 2 or (c = 3 and d = 4))", "a in (1, 'x')", "a = ''", "a = 1 and not b = 2"]
)
def test_what_has_no_form(text: str) -> None:
    assert form_of(parse(text)) is None


@given(expressions(fuzzy=True))
def test_a_form_means_its_expression(expression: object) -> None:
    form = form_of(expression)
    if form is not None:
        assert expression_of(form) == expression


def test_values_are_read_by_the_kind_of_their_attribute() -> None:
    def said(kind: Kind | None, *texts: str, op: str = "=") -> str:
        return show(expression_of(Form(FormShape.ALL, [[Condition("a", op, list(texts), kind)]])))

    assert said(None, "5") == "a = 5"
    assert said(None, "5x") == "a = '5x'"
    assert said(Kind.STRING, "5") == "a = '5'"
    assert said(Kind.BOOLEAN, "Yes") == "a = true"
    assert said(Kind.TIME, "2004-02-13", op="<") == "a < date '2004-02-13'"
    assert said(Kind.NUMBER, "5", op="contains") == "a contains 5"
    assert said(None, "5", op="contains") == "a contains '5'"
    with pytest.raises(ModelError, match="a: 'five' is not a number"):
        said(Kind.NUMBER, "five")
    with pytest.raises(ModelError, match="a: between needs the lower value first"):
        said(Kind.NUMBER, "5", "3", op="between")


def test_what_is_not_complete_is_left_out() -> None:
    half = Condition("year", "between", ["1990"])
    assert show(expression_of(Form(FormShape.ALL, [[half, Condition("a", "=", ["1"])]]))) == "a = 1"
    assert show(expression_of(Form(FormShape.DNF, [[half], [Condition()]]))) == "true"


@given(
    st.lists(st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1).map(str.strip).filter(bool))
)
def test_lists_with_commas(texts: list[str]) -> None:
    assert split_texts(join_texts(texts)) == texts
