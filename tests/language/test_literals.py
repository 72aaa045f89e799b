import pytest

from rankcast.errors import ExpressionError
from rankcast.language import parse

NUMBERS = "numbers are written like 5, -0.5 or 1e6"
RANGE = "is out of range: integers have 64 bits, reals reach up to 1.7e308"


@pytest.mark.parametrize(
    ("text", "message", "position"),
    [
        ("a = 5abc", f"found '5abc', which is not a number; {NUMBERS}", 4),
        ("a = 1_000", f"found '1_000', which is not a number; {NUMBERS}", 4),
        ("a = 1-2", f"found '1-2', which is not a number; {NUMBERS}", 4),
        ("a = +5", f"found '+5', which is not a number; {NUMBERS}", 4),
        ("a = 5.", f"found '5.', which is not a number; {NUMBERS}", 4),
        ("a = -", f"found '-', which is not a number; {NUMBERS}", 4),
        ("a = 5٣", f"found '5٣', which is not a number; {NUMBERS}", 4),
        ("d > 2003-01-01", "found '2003-01-01', which is not a number; write date '2003-01-01'", 4),
        ("a = 9223372036854775808", f"the number 9223372036854775808 {RANGE}", 4),
        ("a = 1e999", f"the number 1e999 {RANGE}", 4),
        ("a = " + "9" * 5000, f"the number {'9' * 40} {RANGE}", 4),
        ("d > date '2003-13-01'", "'2003-13-01' is not a time: month must be in 1..12", 9),
        ("d > date 'soon'", "'soon' is not a time; write it like '2004-02-13T20:05:00Z', or '2004-02-13' for its", 9),
        (
            "d > date '2003-01-01T10:00:00Z'",
            "a date has no time of day; write date '2003-01-01' or time '2003-01-01T10:00:00Z'",
            9,
        ),
        ("a = 'open", "a string begins here and never ends; close it with ' (a quote inside is written twice", 4),
        ("a = date 'open", "a string begins here and never ends; close it with '", 9),
        ('"open = 1', 'a name in double quotes begins here and never ends; close it with "', 0),
        ('"" = 1', "a name that is empty", 0),
    ],
)
def test_bad_literals(text, message, position):
    with pytest.raises(ExpressionError) as caught:
        parse(text)
    assert caught.value.message.startswith(message)
    assert caught.value.position == position
