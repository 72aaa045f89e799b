import math
from datetime import UTC, datetime

import pytest

from rankcast.fuzzy.sets import CrispTest, number_set, string_set
from rankcast.model import Between, Compare, OneOf, Op

LATER = datetime(2026, 5, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    ("test", "members"),
    [
        (Compare(Op.EQ, 2), [2]),
        (Compare(Op.NE, 2), [1, 1.5, 2.5, 3]),
        (Compare(Op.LT, 2), [1, 1.5]),
        (Compare(Op.LE, 2), [1, 1.5, 2]),
        (Compare(Op.GT, 2), [2.5, 3]),
        (Compare(Op.GE, 2), [2, 2.5, 3]),
        (Between(1.5, 2.5), [1.5, 2, 2.5]),
        (Between(2, 2), [2]),
        (OneOf((3, "2", 1.0, True)), [1, 3]),
    ],
    ids=str,
)
def test_number_sets(test: CrispTest, members: list[float]) -> None:
    numbers = number_set(test)
    assert numbers is not None
    assert [x for x in (1, 1.5, 2, 2.5, 3) if numbers.value(x) == 1] == members
    assert [x for x in (1, 1.5, 2, 2.5, 3) if numbers.negated().value(x) == 0] == members


@pytest.mark.parametrize(
    "test",
    [
        Compare(Op.EQ, True),
        Compare(Op.NE, "2"),
        Compare(Op.LT, LATER),
        Between("a", "b"),
        Between(LATER, LATER),
        OneOf(("a", True)),
        Compare(Op.CONTAINS, "1"),
    ],
    ids=str,
)
def test_what_is_not_about_numbers(test: CrispTest) -> None:
    assert number_set(test) is None


@pytest.mark.parametrize("test", [Compare(Op.EQ, True), Compare(Op.NE, 2), Between(1, 2), OneOf((1, True))], ids=str)
def test_what_is_not_about_strings(test: CrispTest) -> None:
    assert string_set(test) is None


@pytest.mark.parametrize(
    ("test", "members", "size", "others"),
    [
        (Compare(Op.EQ, "b"), ["b"], 1, math.inf),
        (Compare(Op.NE, "b"), ["", "a", "ab", "ba", "c"], math.inf, 1),
        (Compare(Op.LT, "b"), ["", "a", "ab"], math.inf, math.inf),
        (Compare(Op.LE, "b"), ["", "a", "ab", "b"], math.inf, math.inf),
        (Compare(Op.GT, "b"), ["ba", "c"], math.inf, math.inf),
        (Compare(Op.GE, "b"), ["b", "ba", "c"], math.inf, math.inf),
        (Compare(Op.CONTAINS, "b"), ["ab", "b", "ba"], math.inf, math.inf),
        (Compare(Op.STARTSWITH, "b"), ["b", "ba"], math.inf, math.inf),
        (Compare(Op.ENDSWITH, "b"), ["ab", "b"], math.inf, math.inf),
        (Compare(Op.CONTAINS, ""), ["", "a", "ab", "b", "ba", "c"], math.inf, 0),
        (Compare(Op.LT, ""), [], 0, math.inf),
        (Compare(Op.LE, ""), [""], 1, math.inf),
        (Compare(Op.GE, ""), ["", "a", "ab", "b", "ba", "c"], math.inf, 0),
        (Compare(Op.GT, ""), ["a", "ab", "b", "ba", "c"], math.inf, 1),
        (Compare(Op.LT, "\0\0"), [""], 2, math.inf),
        (Between("a", "b"), ["a", "ab", "b"], math.inf, math.inf),
        (Between("a", "a"), ["a"], 1, math.inf),
        (Between("a", "a\0\0"), ["a"], 3, math.inf),
        (OneOf(("c", 1, "a")), ["a", "c"], 2, math.inf),
    ],
    ids=repr,
)
def test_string_sets(test: CrispTest, members: list[str], size: float, others: float) -> None:
    strings = string_set(test)
    assert strings is not None
    assert [text for text in ("", "a", "ab", "b", "ba", "c") if strings.has(text)] == members
    assert (strings.size, strings.others) == (size, others)
