"""semantics: Covering: examples of each relation, and the limit that it states."""

from datetime import UTC, datetime

import pytest

from rankcast.cover import Relation, relate
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import Event, Table

EQUAL, COVERS, COVERED, OVERLAPS, DISJOINT = Relation
WHEN = datetime(2004, 2, 13, tzinfo=UTC)


@pytest.mark.parametrize(
    ("a", "relation", "b"),
    [
        # semantics: Covering
        ("p contains 'b'", COVERS, "p endswith 'ab'"),
        ("x >= 1 and x <= 5", EQUAL, "x between 1 and 5"),
        ("p = 'a'", OVERLAPS, "p = 'b'"),
        ("x = 1 or x = 2", EQUAL, "x in (1, 2)"),
        ("(x > 1 and y = 1) or p = 'a'", COVERS, "(x > 2 and y = 1 and p exists) or (p = 'a' and z exists)"),
        # semantics: Events and subscriptions
        ("not (x = 1)", COVERS, "x != 1"),
        ("not (genre in ('short', 'news'))", DISJOINT, "genre = 'news'"),
        # semantics: Preference
        ("genre = 'drama'", COVERS, "genre = 'drama' and director = 'T. Burton'"),
        # numbers: one value, on a dense line
        ("x > 1 and x < 2", OVERLAPS, "x > 1.5"),
        ("x > 1 and x < 2", COVERS, "x = 1.5"),
        ("x < 5 or x >= 5", COVERED, "x exists"),
        ("x < 5 or x > 5", EQUAL, "x != 5"),
        ("x != 5 and x between 4 and 6", EQUAL, "x between 4 and 6 and not (x = 5)"),
        ("x >= 1 and x <= 1", EQUAL, "x = 1"),
        ("x = 1", EQUAL, "x = 1.0"),
        ("x < 1", DISJOINT, "x >= 1"),
        ("x in (1, 2, 3) and x in (2, 3, 4)", EQUAL, "x in (2, 3)"),
        ("x = 9007199254740993", DISJOINT, "x = 9007199254740992"),
        # times
        ("t >= date '2003-01-01'", COVERS, "t > time '2003-01-01T00:00:00Z' and t <= date '2004-01-01'"),
        ("t < date '2003-01-01'", DISJOINT, "t > 5"),
        # strings: several values, which do not combine
        ("p >= 'a' and p <= 'b'", COVERS, "p between 'a' and 'b'"),
        ("p = 'a' or p = 'b'", EQUAL, "p in ('a', 'b')"),
        ("p != 'a'", OVERLAPS, "p = 'a'"),
        ("p != 'b'", COVERS, "p startswith 'a'"),
        ("p != 'abc'", COVERS, "p contains 'x'"),
        ("p startswith 'ab'", COVERED, "p startswith 'a' and p contains 'b'"),
        ("p >= 'ab' and p < 'ac'", COVERS, "p startswith 'ab'"),
        ("p between 'ab' and 'abz'", COVERED, "p startswith 'ab'"),
        ("p startswith ''", EQUAL, "p contains '' and p >= ''"),
        ("p < '' and y = 1", EQUAL, "x = 1 and x = 2"),
        ("p contains 'a' or p contains 'b'", COVERS, "p startswith 'xa' or p endswith 'by'"),
        ("p = 'a' and not (p != 'a')", COVERED, "p = 'a'"),
        ("not (p != 'a')", COVERED, "not (p contains 'b')"),
        # booleans: both at once are possible
        ("f = true", OVERLAPS, "f = false"),
        ("f != true", EQUAL, "f = false"),
        ("f in (true, false)", EQUAL, "f = true or f = false"),
        ("f = true and f = false", COVERED, "f = true"),
        # kinds: one to an attribute
        ("p = 'a'", DISJOINT, "p = 1"),
        ("x = 1", DISJOINT, "x = true"),
        ("x in (1, 'a')", EQUAL, "x = 1 or x = 'a'"),
        ("x in (1, 'a') and x < 5", EQUAL, "x = 1"),
        ("x = 1 and x = 'a'", EQUAL, "y < '' or y != 1 and not (y exists)"),
        ("x exists", COVERS, "x in (1, 'a', true)"),
        ("not (x = 1)", COVERS, "x = 'a'"),
        # what nothing matches, and what everything does
        ("x = 1 and x = 2", COVERED, "y = 1"),
        ("y = 1", COVERS, "x = 1 and x = 2"),
        ("x exists or not (x exists)", EQUAL, "true"),
        ("not true", EQUAL, "x < 1 and x > 1"),
        # no conjunction of the first covers alone
        ("x < 3 or y = 1 or x > 5 or y != 1", COVERS, "y > 0 and x between 3 and 5"),
        ("(x < 3 and y < 3) or (x >= 3 and y < 3) or (x exists and y >= 3)", COVERS, "x > 1 and y between 2 and 4"),
        # two concepts without a meaning: the same term compares by its thresholds
        ("x is cheap", COVERS, "x is cheap [0.8, 0]"),
        ("x is cheap [0.5, 0.3]", EQUAL, "x is cheap"),
        ("x is cheap [0, 0.6]", COVERED, "x is cheap"),
        ("x is cheap", OVERLAPS, "x is very cheap"),
        ("x is cheap", OVERLAPS, "y is cheap"),
        ("x is cheap", DISJOINT, "not (x is cheap [0.3, 0])"),
        ("not (x is cheap [0.8, 0])", COVERS, "not (x is cheap)"),
        ("x exists", COVERS, "x is cheap"),
        ("x is cheap", DISJOINT, "x = true"),
        ("x is cheap", OVERLAPS, "x <= 100"),
        # thresholds on crisp predicates change nothing for crisp events
        ("x <= 5 [1, 1]", EQUAL, "x <= 5"),
    ],
)
def test_examples(a, relation, b):
    assert relate(parse(a), parse(b)) is relation
    assert relate(parse(b), parse(a)) is relation.inverse


def test_inverse():
    assert [relation.inverse for relation in Relation] == [EQUAL, COVERED, COVERS, OVERLAPS, DISJOINT]
    assert all(relation.inverse.inverse is relation for relation in Relation)


def test_equal_conjunctions_agree_on_an_imprecise_event():
    """semantics: Several predicates on one value. `tests/matching/test_joint.py` tries random ones."""
    two, one = parse("x >= 1 and x <= 5"), parse("x between 1 and 5")
    event = Event("e", WHEN, {"x": Table(((0, 1.0), (6, 1.0)))})
    assert relate(two, one) is EQUAL
    assert not matches(two, event, NO_CONCEPTS)
    assert not matches(one, event, NO_CONCEPTS)
