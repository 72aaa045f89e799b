"""What holds of every expression and every event."""

from collections.abc import Callable
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from rankcast import model
from rankcast.language import parse
from rankcast.matching import evaluate, matches
from rankcast.matching.joint import is_imprecise

DEGREES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
MEMBERSHIPS: st.SearchStrategy[model.Membership] = st.one_of(
    st.lists(st.integers(0, 4), min_size=2, max_size=2).map(sorted).map(lambda xs: model.Interval(*xs)),
    st.lists(st.integers(0, 4), min_size=3, max_size=3).map(sorted).map(lambda xs: model.Triangle(*xs)),
    st.lists(st.integers(0, 4), min_size=2, max_size=2).map(sorted).map(lambda xs: model.LeftShoulder(*xs)),
    st.dictionaries(st.sampled_from("abc"), DEGREES, min_size=1).map(lambda d: model.Table(tuple(d.items()))),
    st.dictionaries(st.integers(0, 4), DEGREES, min_size=1).map(lambda d: model.Table(tuple(d.items()))),
)
WORDS = st.lists(st.sampled_from(["not", "very", "somewhat"]), max_size=2).map(
    lambda words: "".join(f"{w} " for w in words)
)
TERMS = st.tuples(st.sampled_from(["low", "odd"]), st.lists(st.sampled_from(model.Hedge), max_size=2)).map(
    lambda pair: model.Term(pair[0], tuple(pair[1]))
)
ATTRIBUTE_VALUES = st.one_of(
    st.sets(st.sampled_from("abc"), min_size=1).map(sorted).map(tuple),
    st.sampled_from([(0,), (1,), (2.5,), (4,), (True,), (False, True)]),
    MEMBERSHIPS,
    TERMS,
)
EVENTS = st.dictionaries(st.sampled_from("xyz"), ATTRIBUTE_VALUES).map(
    lambda attributes: model.Event("e1", datetime(2004, 2, 13, tzinfo=UTC), attributes)
)
TESTS = st.one_of(
    st.sampled_from(
        [
            "= 1",
            "!= 1",
            "= 'a'",
            "!= 'b'",
            "< 2",
            ">= 2.5",
            "> 'a'",
            "contains 'b'",
            "between 1 and 3",
            "exists",
            "= true",
            "in (1, 'a', true)",
            "between 'a' and 'b'",
            "startswith 'c'",
        ]
    ),
    st.tuples(WORDS, st.sampled_from(["low", "odd"])).map(lambda pair: f"is {pair[0]}{pair[1]}"),
)
THRESHOLDS = st.sampled_from(["", "", "[0, 0]", "[1, 0]", "[0.3, 0.3]", "[1, 1]"])
PREDICATES = st.tuples(st.sampled_from("xyz"), TESTS, THRESHOLDS).map(lambda parts: parse(" ".join(parts)))


def joined(parts: st.SearchStrategy[model.Expression]) -> st.SearchStrategy[model.Expression]:
    several = st.lists(parts, min_size=2, max_size=3).map(tuple)
    return st.one_of(several.map(model.And), several.map(model.Or), parts.map(model.Not))


EXPRESSIONS: st.SearchStrategy[model.Expression] = st.recursive(PREDICATES, joined, max_leaves=6)
VAGUE: dict[str, Callable[[str], model.Membership]] = {
    "low": lambda attribute: model.Table((("a", 1.0), ("b", 0.5))) if attribute == "z" else model.LeftShoulder(1, 3),
    "odd": lambda attribute: model.Table(((1, 1.0), (3, 0.7))) if attribute != "y" else model.Gaussian(2, 1),
}


def vague(attribute: str, term: model.Term) -> model.Membership:
    return VAGUE[term.concept](attribute)


@given(EXPRESSIONS, EVENTS, st.sampled_from(model.Norm))
def test_matches_is_the_truth_of_evaluate(where: model.Expression, published: model.Event, norm: model.Norm) -> None:
    found = evaluate(where, published, vague, norm)
    assert matches(where, published, vague) is found.holds
    assert 0 <= found.necessity <= 1
    assert 0 <= found.possibility <= 1
    if not found.holds:
        assert (found.possibility, found.necessity) == (0, 0)
    elif norm is not model.Norm.LUKASIEWICZ:
        assert found.possibility > 0


@given(EXPRESSIONS, EXPRESSIONS, EVENTS)
def test_boolean_laws(a: model.Expression, b: model.Expression, published: model.Event) -> None:
    def holds(where: model.Expression) -> bool:
        return matches(where, published, vague)

    assert holds(model.Not(a)) is not holds(a)
    if not is_imprecise(published) or not shared_attributes(a, b):
        assert holds(model.And((a, b))) is (holds(a) and holds(b))
        assert holds(model.Or((a, b))) is (holds(a) or holds(b))


def shared_attributes(a: model.Expression, b: model.Expression) -> set[str]:
    of_a, of_b = ({predicate.attribute for predicate in model.predicates_of(where)} for where in (a, b))
    return of_a & of_b
