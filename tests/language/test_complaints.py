import pytest

from rankcast.errors import ExpressionError
from rankcast.language import parse
from rankcast.language.complaints import OPERATORS
from rankcast.model import Op, SpecialOp

OPERATOR = f"where an operator should be ({', '.join(OPERATORS)})"
PREDICATE = "where a predicate should be, like year > 1999"
VALUE = "where a value should be, like 'text' or 5"
CONCEPT = "where the name of a concept should be"
GO_ON = "where 'and', 'or' or the end of the expression should be"
EMPTY = "the expression is empty; write one like genre = 'drama', or true for everything"
DOUBLE = "double quotes are for names, strings need single quotes"
WHOLE = "'not' stands before the whole predicate"
PAIR = "[possibility, necessity]"


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        # where a predicate should begin
        ("", EMPTY, 0),
        (" \n", EMPTY, 2),
        ("and a = 1", f"found 'and', {PREDICATE}", 0),
        ("a = 1 and", f"found the end after 'and', {PREDICATE}", 9),
        ("a = 1 or or b = 2", f"found 'or' after 'or', {PREDICATE}", 9),
        ("not", f"found the end after 'not', {PREDICATE}", 3),
        ("()", f"found ')' after '(', {PREDICATE}", 1),
        ("in = 5", f"found 'in', {PREDICATE}; a name that is a keyword needs double quotes: \"in\"", 0),
        ("'genre' = 5", f"found 'genre', {PREDICATE}; names are written without quotes, or in double ones", 0),
        ("5 < a", f"found '5', {PREDICATE}; the name of the attribute comes first", 0),
        # where an operator should be
        ("genre", f"found the end after 'genre', {OPERATOR}; write genre exists, or genre = …", 5),
        ("(genre)", f"found ')' after 'genre', {OPERATOR}; write genre exists, or genre = …", 6),
        ("genre and a = 1", f"found 'and' after 'genre', {OPERATOR}; write genre exists, or genre = …", 6),
        ("genre 'drama'", f"found 'drama' after 'genre', {OPERATOR}", 6),
        ("genre drama", f"found 'drama' after 'genre', {OPERATOR}; write genre = 'drama'", 6),
        ("title startwith 'The'", f"found 'startwith' after 'title', {OPERATOR}; did you mean 'startswith'?", 6),
        ("title like 'The'", f"found 'like' after 'title', {OPERATOR}; did you mean 'contains'?", 6),
        ("genre == 'x'", f"found '==' after 'genre', {OPERATOR}; did you mean '='?", 6),
        ("genre <> 'x'", f"found '<>' after 'genre', {OPERATOR}; did you mean '!='?", 6),
        (
            "release date > 5",
            f"found 'date' after 'release', {OPERATOR}; a name of several words needs double quotes: \"release date\"",
            8,
        ),
        (
            "a not in (1, 2)",
            f"found 'not' after 'a', {OPERATOR}; {WHOLE}: not (a in …), which also holds where a is missing",
            2,
        ),
        ("a not exists", f"found 'not' after 'a', {OPERATOR}; {WHOLE}: not (a exists)", 2),
        ("a not", f"found 'not' after 'a', {OPERATOR}; {WHOLE}: not (a = …), which also holds where a is missing", 2),
        # where a value should be
        ("a =", f"found the end after '=', {VALUE}", 3),
        ("price = cheap", f"found 'cheap' after '=', {VALUE}; strings need single quotes: 'cheap'", 8),
        ('genre = "drama"', f"found \"drama\" after '=', {VALUE}; {DOUBLE}: 'drama'", 8),
        ('genre = "it\'s"', f"found \"it's\" after '=', {VALUE}; {DOUBLE}: 'it''s'", 8),
        ("d > date 2003", f"found 'date' after '>', {VALUE}; write date '2003-01-01', or 'date' in single quotes", 4),
        ("d > time", f"found 'time' after '>', {VALUE}; write time '2003-01-01T20:00:00Z', or 'time' in single", 4),
        ("a => 1", f"found '>' after '=', {VALUE}; did you mean '>='?", 3),
        ("a =< 1", f"found '<' after '=', {VALUE}; did you mean '<='?", 3),
        ("a > = 1", f"found '=' after '>', {VALUE}; did you mean '>='?", 4),
        ("a = = 1", f"found '=' after '=', {VALUE}; one '=' is enough", 4),
        ("a = null", f"found 'null' after '=', {VALUE}; there is no such value, ask with exists", 4),
        ("a = not", f"found 'not' after '=', {VALUE}", 4),
        # lists, intervals, thresholds
        ("a in 1", "found '1' after 'in', where a list in brackets should be: in ('a', 'b')", 5),
        ("a in ()", "in () needs at least one value", 5),
        ("a in (1 2)", "found '2' after '1', where ',' or ')' should be", 8),
        ("a in (1,)", f"found ')' after ',', {VALUE}", 8),
        ("a in (1, 2", "a list opens here and never closes; a ')' is missing", 5),
        ("a between 5", "found the end after '5', where 'and' should be: between 1 and 5", 11),
        ("a between 5 or 6", "found 'or' after '5', where 'and' should be: between 1 and 5", 12),
        ("a is x [0.5]", f"found ']' after '0.5', where ',' should be: {PAIR}; both thresholds are needed", 11),
        ("a is x [0.5 0]", f"found '0' after '0.5', where ',' should be: {PAIR}", 12),
        ("a is x [x, 0]", f"found 'x' after '[', where a number should be: {PAIR}", 8),
        ("a is x [0.5, 0", f"found the end after '0', where ']' should be: {PAIR}", 14),
        ("a is x [0.5, 2]", "the threshold 2 is outside 0..1", 13),
        # concepts
        ("year is", f"found the end after 'is', {CONCEPT}", 7),
        ("year is very", f"found the end after 'very', {CONCEPT}", 12),
        ("year is 5", f"found '5' after 'is', {CONCEPT}; to compare with a value write year = 5", 8),
        ("genre is 'x'", f"found 'x' after 'is', {CONCEPT}; to compare with a value write genre = 'x'", 9),
        # where an expression should go on or end
        ("(a = 1", "a bracket opens here and never closes; a ')' is missing", 0),
        ("a = 1)", "a ')' without a '(' before it", 5),
        ("a = 1 b = 2", f"found 'b' after '1', {GO_ON}", 6),
        ("(a = 1 b = 2)", f"found 'b' after '1', {GO_ON}", 7),
        ("a = 1, b = 2", f"found ',' after '1', {GO_ON}; did you mean 'and'?", 5),
        ("a = 1 adn b = 2", f"found 'adn' after '1', {GO_ON}; did you mean 'and'?", 6),
        ("a = 'it's'", f"found 's' after 'it', {GO_ON}; a quote inside of a string is written twice: ''", 8),
        ("true = 5", f"found '=' after 'true', {GO_ON}; a name that is a keyword needs double quotes: \"true\"", 5),
        ("a = 1 [1, 0] [1, 0]", f"found '[' after ']', {GO_ON}", 13),
        # what the model refuses
        ("a between 5 and 1", "between needs the lower value first, not 5 and 1", 10),
        (
            "d between date '2004-01-01' and date '2003-01-01'",
            "between needs the lower value first, not date '2004-01-01' and date '2003-01-01'",
            10,
        ),
        ("a between 'x' and 1", "between needs two values of one type, not a string and a number", 10),
        ("a between true and false", "between needs numbers, strings or times, not booleans", 10),
        ("a startswith 5", "startswith needs a string, not the number 5", 13),
        ("a < true", "< needs a number, string or time, not the boolean True", 4),
        # signs of other languages, and of word processors
        ("a = 1 && b = 1", "found '&', which means nothing here; write 'and'", 6),
        ("!a = 1", "found '!', which means nothing here; write 'not'", 0),
        ("a = ‘x’", "found '‘', which means nothing here; write straight single quotes: 'text'", 4),
        ("a ≤ 5", "found '≤', which means nothing here; write '<='", 2),
        ("a = 5 % 2", "found '%', which means nothing here", 6),
        ("a = '\ud800'", "text that is not valid Unicode (half of a surrogate pair)", 5),
    ],
)
def test_messages_say_what_was_found_and_what_would_be_right(text, message, position):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.position == position
    assert caught.value.text == text


def test_the_operators_are_those_of_the_model():
    assert set(OPERATORS) == {op.value for op in (*Op, *SpecialOp)}


def test_a_long_piece_is_cut():
    with pytest.raises(ExpressionError) as caught:
        parse("a = " + "b" * 5000)
    assert f"found '{'b' * 40}…'" in caught.value.message
