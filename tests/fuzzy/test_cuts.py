"""Alpha-cuts: for crisp values exactly what matching decides, for imprecise ones what it needs (semantics: Approximate matching, Indexing)."""

import math
from datetime import UTC, datetime
from random import Random
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast import model
from rankcast.fuzzy import alpha_cut, cuts_of, degree, outline_of, possibility_necessity
from rankcast.fuzzy.cuts import AlphaCut, Span
from rankcast.matching import matches

NOT, VERY, SOMEWHAT = model.Hedge.NOT, model.Hedge.VERY, model.Hedge.SOMEWHAT
HEDGES = [
    (),
    (NOT,),
    (VERY,),
    (SOMEWHAT,),
    (VERY, NOT),
    (SOMEWHAT, NOT),
    (NOT, VERY),
    (NOT, NOT),
    (VERY, NOT, SOMEWHAT),
]
LEVELS = [0.0, 1e-10, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0]
SHAPES = [
    model.Trapezoid(0, 1, 2, 4),
    model.Trapezoid(1, 1, 2, 2),
    model.Trapezoid(0, 0, 500, 900),
    model.Trapezoid(1e9, 1e9 + 1e-6, 2e9, 2e9 + 3e-6),
    model.Triangle(0.1, 0.3, 0.7),
    model.Triangle(-1e-300, 0, 1e-300),
    model.Interval(1, 5),
    model.Interval(3, 3),
    model.LeftShoulder(500, 900),
    model.RightShoulder(-0.1, 0.2),
    model.Gaussian(10, 2),
    model.Gaussian(1e9, 1e-4),
    model.Piecewise(((0, 0.2), (1, 0.8), (1, 0.4), (2, 0.4), (3, 1.0), (4, 0.0))),
    model.Piecewise(((0, 0.5),)),
    model.Table(((1, 0.3), (2, 0.5), (4, 1.0))),
]

grid = st.one_of(st.integers(0, 8), st.floats(0, 8), st.just(4 + 1e-7))
degrees = st.one_of(st.sampled_from([0.0, 0.5, 1.0]), st.floats(0, 1))
hedges = st.lists(st.sampled_from(model.Hedge), max_size=2).map(tuple)
levels = st.one_of(st.integers(0, 4).map(lambda quarter: quarter / 4), st.floats(0, 1))


@st.composite
def numeric(draw):
    kind = draw(st.sampled_from(get_args(model.Membership)))
    if kind is model.Gaussian:
        return model.Gaussian(draw(grid), draw(st.floats(0.1, 4)))
    if kind is model.Piecewise:
        return model.Piecewise(tuple((x, draw(degrees)) for x in sorted(draw(st.lists(grid, min_size=1, max_size=5)))))
    if kind is model.Table:
        return model.Table(tuple((x, draw(degrees)) for x in draw(st.lists(grid, min_size=1, max_size=3, unique=True))))
    count = {model.Trapezoid: 4, model.Triangle: 3}.get(kind, 2)
    return kind(*sorted(draw(st.lists(grid, min_size=count, max_size=count))))


def near(x: float) -> list[float]:
    steps = [0.0, *(sign * 10.0**-e * max(abs(x), 1e-300) for e in range(0, 19, 2) for sign in (1, -1))]
    return [x + step for step in steps] + [math.nextafter(x, math.inf), math.nextafter(x, -math.inf)]


def places(cut: AlphaCut) -> set[float]:
    ends = {end for span in cut.spans for end in span if math.isfinite(end)} | {0.0, 1.0}
    return {x for end in ends for x in near(end) if math.isfinite(x)}


@pytest.mark.parametrize("mu", SHAPES, ids=str)
def test_a_number_is_inside_iff_the_predicate_holds(mu):
    for words in HEDGES:
        for tp, tn in [(level, 0.0) for level in LEVELS] + [(0.0, 0.4), (0.2, 0.8)]:
            cut = alpha_cut(mu, words, tp, tn)
            least = max(tp, tn) - 1e-9
            for x in places(cut):
                at = degree(mu, words, x)
                if abs(at - least) > 1e-15:
                    assert cut.has(x) == (at > 0 and at >= least), (words, tp, tn, x)


@pytest.mark.parametrize("words", [(), (NOT,), (VERY,), (SOMEWHAT,), (VERY, NOT)])
def test_the_ends_of_straight_sides_are_right_to_the_last_bit(words):
    for mu in (
        model.Trapezoid(0, 1, 2, 4),
        model.Trapezoid(0, 0, 500, 900),
        model.LeftShoulder(500, 900),
        model.RightShoulder(-0.1, 0.2),
    ):
        for tp in LEVELS:
            cut = alpha_cut(mu, words, tp)
            for x in places(cut):
                at = degree(mu, words, x)
                assert cut.has(x) == (at > 0 and at >= tp - 1e-9), (mu, tp, x)


@given(numeric(), hedges, levels, levels, grid)
def test_cuts_agree_with_the_oracle(mu, words, tp, tn, x):
    predicate = model.Predicate("x", model.Is(model.Term("c", words)), model.Thresholds(tp, tn))
    event = model.Event("e", datetime(2026, 1, 1, tzinfo=UTC), {"x": (x,)})
    assert alpha_cut(mu, words, tp, tn).has(x) == matches(predicate, event, lambda attribute, term: mu)


@given(numeric(), hedges, levels, levels, numeric(), hedges)
def test_what_holds_for_an_imprecise_value_is_admitted(mu, words, tp, tn, pi, known):
    possibility, necessity = possibility_necessity(mu, words, pi, known)
    if possibility > 0 and possibility >= tp - 1e-9 and necessity >= tn - 1e-9:
        cuts = cuts_of(mu, words, tp, tn)
        assert cuts.admits(outline_of(pi, known))
        assert cuts.admits(outline_of(pi, known, least=tp))


def test_admission_is_worth_something():
    # Of random intervals and concepts, most of what does not hold is not admitted.
    random, spared, failed = Random(4), 0, 0
    for _ in range(1_000):
        mu = model.Trapezoid(*sorted(random.uniform(0, 100) for _ in range(4)))
        low = random.uniform(0, 100)
        pi = model.Interval(low, low + 10)
        possibility, necessity = possibility_necessity(mu, (), pi)
        if possibility < 0.5 or necessity < 0.5:
            failed += 1
            spared += not cuts_of(mu, (), 0.5, 0.5).admits(outline_of(pi))
    assert spared == failed > 500  # an interval is its own core, so here the condition is exact


def test_strings_are_named_or_all_but_named():
    condition = model.Table((("new", 1.0), ("used", 0.4)))
    assert alpha_cut(condition) == AlphaCut(strings=frozenset({"new"}))
    cut = alpha_cut(condition, (NOT,), 0.6)
    assert cut == AlphaCut(strings=frozenset({"new"}), others=True)
    assert cut.has("used")
    assert cut.has("old")
    assert not cut.has("new")
    assert not cut.has(3)


STRINGS = [model.Table((("a", 1.0), ("b", 0.6))), model.Table((("b", 1.0), ("c", 0.3))), model.Table((("a", 0.2),))]


@pytest.mark.parametrize("pi", STRINGS)
@pytest.mark.parametrize("mu", STRINGS)
def test_imprecise_strings_are_admitted_if_they_hold(mu, pi):
    for words in HEDGES[:4]:
        for known in HEDGES[:2]:
            for tp, tn in [(0.0, 0.0), (0.5, 0.0), (0.5, 0.3), (1.0, 1.0)]:
                possibility, necessity = possibility_necessity(mu, words, pi, known)
                if possibility > 0 and possibility >= tp and necessity >= tn:
                    assert cuts_of(mu, words, tp, tn).admits(outline_of(pi, known))


def test_spans_are_ascending_and_apart():
    wave = model.Piecewise(((0, 0.0), (1, 1.0), (2, 0.0), (3, 1.0), (4, 0.0)))
    spans = alpha_cut(wave, tp=0.5).spans
    assert [(round(low, 6), round(high, 6)) for low, high in spans] == [(0.5, 1.5), (2.5, 3.5)]
    assert alpha_cut(model.Interval(1, 5), (NOT,)).spans == (
        Span(-math.inf, math.nextafter(1, 0)),
        Span(math.nextafter(5, 6), math.inf),
    )


def test_booleans_and_times_are_never_inside():
    cut = alpha_cut(model.Interval(0, 5))
    assert cut.has(1)
    assert not cut.has(True)
    assert not cut.has(datetime(2026, 1, 1, tzinfo=UTC))
