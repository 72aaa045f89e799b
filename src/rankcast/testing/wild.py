"""Hypothesis strategies over everything that the model allows: odd names, any text, huge numbers, distant times.

Use them for round trips and hostile input. For matching use `rankcast.testing.strategies`, where values coincide.
"""

from datetime import UTC, datetime, timedelta
from functools import cache

from hypothesis import strategies as st

from rankcast import model
from rankcast.language.tokens import HEDGES, KEYWORDS

_KEYWORDS = sorted({*KEYWORDS, *HEDGES, *(op.value for op in model.Op if op.value.isalpha()), "date", "time"})

_texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
_far = st.one_of(st.integers(-(10**15), 10**15), st.floats(-1e15, 1e15), st.integers(-9, 9))
_degrees = st.floats(0, 1)
_whole = st.integers(-(2**63), 2**63 - 1)
_numbers = st.one_of(_whole, st.floats(allow_nan=False, allow_infinity=False), st.integers(-9, 9))
_times = st.one_of(
    st.datetimes(timezones=st.just(UTC)).map(lambda time: time.replace(fold=0)),
    st.dates().map(lambda day: datetime(day.year, day.month, day.day, tzinfo=UTC)),
)


@cache
def names() -> st.SearchStrategy[str]:
    """Names of attributes, concepts and users: words, keywords, any non-empty text without control characters."""
    return st.one_of(
        st.sampled_from(["genre", "release date", 'a"b', "día", "x.y", "1st", "TRUE", *_KEYWORDS]),
        st.text(st.characters(exclude_categories=["Cs", "Cc"]), min_size=1, max_size=12),
    )


@cache
def scalars() -> st.SearchStrategy[model.Scalar]:
    """A value of any kind."""
    return st.one_of(_texts, st.sampled_from(["'", "''", "it's", "\n", '"']), st.booleans(), _numbers, _times)


@cache
def terms() -> st.SearchStrategy[model.Term]:
    """Some concept with up to three hedges."""
    return st.builds(model.Term, names(), st.lists(st.sampled_from(model.Hedge), max_size=3).map(tuple))


@cache
def _predicates() -> st.SearchStrategy[model.Predicate]:
    ordered = st.sampled_from([_texts, _numbers, _times])
    tests = st.one_of(
        st.sampled_from(model.Op).flatmap(_compares),
        st.builds(model.OneOf, st.lists(scalars(), min_size=1, max_size=4).map(tuple)),
        ordered.flatmap(lambda values: st.tuples(values, values)).map(lambda ends: model.Between(*sorted(ends))),
        st.just(model.Exists()),
        st.builds(model.Is, terms()),
    )
    limits = st.one_of(st.none(), st.builds(model.Thresholds, _degrees, _degrees))
    return st.builds(model.Predicate, names(), tests, limits)


def _compares(op: model.Op) -> st.SearchStrategy[model.Compare]:
    values = scalars() if model.Kind.NUMBER in op.declared.kinds else _texts
    return values.filter(lambda value: model.is_operand(op, value)).map(lambda value: model.Compare(op, value))


@cache
def expressions() -> st.SearchStrategy[model.Expression]:
    """Some expression of a few predicates."""
    leaves: st.SearchStrategy[model.Expression] = st.one_of(_predicates(), st.just(model.Always()))
    return st.recursive(
        leaves,
        lambda smaller: st.one_of(
            st.builds(model.And, st.lists(smaller, min_size=2, max_size=3).map(tuple)),
            st.builds(model.Or, st.lists(smaller, min_size=2, max_size=3).map(tuple)),
            st.builds(model.Not, smaller),
        ),
        max_leaves=8,
    )


@cache
def memberships() -> st.SearchStrategy[model.Membership]:
    """Some membership function."""

    def ascending(count: int) -> st.SearchStrategy[list[float]]:
        return st.lists(_far, min_size=count, max_size=count).map(sorted)

    corners = st.lists(st.tuples(_far, _degrees), min_size=1, max_size=4)
    keys = st.sampled_from([_texts, _far])
    return st.one_of(
        ascending(4).map(lambda xs: model.Trapezoid(*xs)),
        ascending(3).map(lambda xs: model.Triangle(*xs)),
        ascending(2).map(lambda xs: model.Interval(*xs)),
        ascending(2).map(lambda xs: model.LeftShoulder(*xs)),
        ascending(2).map(lambda xs: model.RightShoulder(*xs)),
        st.builds(model.Gaussian, _far, st.floats(1e-9, 1e9)),
        corners.map(lambda points: model.Piecewise(tuple(sorted(points, key=lambda point: point[0])))),
        keys.flatmap(lambda key: st.dictionaries(key, _degrees, min_size=1, max_size=4)).map(
            lambda degrees: model.Table(tuple(degrees.items()))
        ),
    )


@cache
def events() -> st.SearchStrategy[model.Event]:
    """Some event."""
    value: st.SearchStrategy[model.AttributeValue] = st.one_of(
        scalars().map(lambda one: (one,)),
        st.lists(_texts, min_size=1, max_size=3, unique=True).map(tuple),
        st.lists(st.booleans(), min_size=1, unique=True).map(tuple),
        st.lists(_numbers, min_size=2, max_size=4, unique=True).map(tuple),
        st.lists(_times, min_size=2, max_size=3, unique=True).map(tuple),
        memberships(),
        terms(),
    )
    shared = {
        "id": names(),
        "time": _times,
        "attributes": st.dictionaries(names(), value, max_size=5),
        "source": st.one_of(st.none(), names()),
    }
    k = st.one_of(st.none(), st.integers(1, 100))
    return st.one_of(st.builds(model.Event, **shared), st.builds(model.Event, **shared, advertisement=names(), k=k))


@cache
def policies() -> st.SearchStrategy[model.Policy]:
    """Some policy, whether or not it fits a catalog."""
    weight = st.floats(0, 1e6)
    length = st.one_of(
        st.builds(model.Length, st.integers(1, 10**6), st.sampled_from([model.Unit.EVENTS, model.Unit.MATCHED])),
        st.timedeltas(timedelta(milliseconds=1), timedelta(days=3660)).map(
            lambda time: model.Length(time, model.Unit.TIME)
        ),
    )
    novelty = st.builds(
        model.Filter,
        novelty=st.sampled_from(model.FilterKind),
        rate=st.floats(0.001, 1),
        period=st.integers(1000, 10**6),
        scoring=st.sampled_from(model.Scoring),
        update=st.sampled_from(model.Update),
        aging=_degrees,
        rates=st.sampled_from(model.RateSpan),
        seed=_whole,
        minimum=st.floats(-1e6, 1e6),
        credit=st.sampled_from(model.Credit),
        half_life=st.one_of(st.none(), st.integers(1, 10**6)),
        exact=st.booleans(),
    )
    starts = st.dictionaries(names(), weight, max_size=2)
    decay = st.one_of(
        st.builds(
            model.Decaying,
            st.just(model.Decay.LINEAR),
            st.floats(0.001, 9),
            st.floats(0.001, 9),
            period=length,
            betas=starts,
        ),
        st.builds(
            model.Decaying,
            st.just(model.Decay.EXPONENTIAL),
            alpha=st.floats(0.001, 0.999),
            window=length,
            preferred=st.booleans(),
        ),
    )
    return st.builds(
        model.Policy,
        user=names(),
        mode=st.sampled_from(model.Mode),
        k=st.integers(1, 100),
        length=length,
        sigma=_degrees,
        calm=_degrees,
        aggregate=st.sampled_from(model.Aggregate),
        specific=st.booleans(),
        objective=st.sampled_from(model.ObjectiveName),
        distance=st.sampled_from(model.DistanceName),
        levels=st.sampled_from(model.Levels),
        norm=st.sampled_from(model.Norm),
        ties=st.sampled_from(model.Ties),
        select=st.sampled_from(model.Select),
        weights=st.dictionaries(names(), weight, max_size=2),
        attributes=st.one_of(st.none(), st.lists(names(), min_size=1, max_size=2).map(tuple)),
        score=st.dictionaries(st.sampled_from(model.ScorePart), st.floats(0.1, 9), min_size=1),
        filter=st.one_of(st.none(), novelty),
        origin=_times,
        authority=st.dictionaries(names(), _degrees, max_size=2),
        half_life=st.timedeltas(timedelta(seconds=1), timedelta(days=3660)),
        novelty=st.builds(
            model.NoveltyPart,
            st.sampled_from([model.Scoring.RATE, model.Scoring.INTERVAL, model.Scoring.DECAY]),
            _degrees,
        ),
        decay=decay,
    )


@cache
def records() -> st.SearchStrategy[model.Record]:
    """Some record, whether or not it fits a catalog."""
    return st.one_of(
        st.builds(
            model.Subscription,
            names(),
            names(),
            expressions(),
            st.one_of(st.none(), _degrees),
            st.floats(0, 1e6, exclude_min=True),
        ),
        st.builds(model.Preference, names(), names(), names()),
        policies(),
        st.builds(model.Concept, names(), names(), memberships(), st.one_of(st.none(), names())),
        st.builds(
            model.Advertisement,
            names(),
            names(),
            expressions(),
            st.integers(1, 100),
            st.sampled_from(model.Ranking),
            st.sampled_from(model.ScorerName),
        ),
    )
