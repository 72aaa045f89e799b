import pytest
from hypothesis import given, settings

from rankcast.language import label, parse
from rankcast.testing import wild


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("genre = 'drama' and year > 1999", "genre is drama and year above 1999"),
        ("genre != 'drama' or year < 1999", "genre is not drama or year below 1999"),
        ("year >= 1999 and year <= 2004", "year at least 1999 and year at most 2004"),
        ("(a = 1 or b = 2) and c = 3", "(a is 1 or b is 2) and c is 3"),
        ("a = 1 and b = 2 or c = 3", "(a is 1 and b is 2) or c is 3"),
        ("not genre in ('short', 'news', 'ad')", "not (genre is short, news or ad)"),
        ("genre in ('short')", "genre is short"),
        ("rating between 7 and 10", "rating from 7 to 10"),
        ("mpaa exists", "mpaa is given"),
        ("title startswith 'The ' and title contains 'x'", "title starts with 'The ' and title contains x"),
        ("title endswith ''", "title ends with ''"),
        ("price is not very cheap [0.8, 0]", "price is not very cheap (possible to 0.8, certain to 0)"),
        ("colour = true or sold = false", "colour is yes or sold is no"),
        ("release_date >= date '2003-01-01'", "release date from 2003-01-01"),
        ("start < time '2026-05-01T20:00:00Z'", "start before 2026-05-01 20:00:00 UTC"),
        ("true", "everything"),
    ],
)
def test_words_for_people(text, words):
    assert label(parse(text)) == words


@settings(max_examples=40)
@given(wild.expressions())
def test_every_expression_has_a_label(expression):
    assert label(expression)
