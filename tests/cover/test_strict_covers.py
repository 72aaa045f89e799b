"""Strict covers of many expressions are those of every pair."""

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover import NormalForm, Relation, StrictCovers, normal_form, relate
from rankcast.cover.outlines import OutlineShape, outline_of
from rankcast.language import parse
from rankcast.model import Expression, Membership, Term
from rankcast.testing.strategies import CONCEPTS, conjunctions, expressions


def meaning(attribute: str, term: Term) -> Membership:
    return CONCEPTS[attribute, term.concept]


def agree(covers: StrictCovers, kept: dict[str, Expression]) -> None:
    for a, general in kept.items():
        for b, special in kept.items():
            expected = relate(general, special, meaning) is Relation.COVERS
            assert covers.strictly_covers(a, b) is expected, (general, special)


@given(
    st.lists(st.one_of(conjunctions(fuzzy=True), expressions(depth=2, fuzzy=True)), min_size=2, max_size=12), st.data()
)
def test_each_pair_is_as_the_definition_says_while_expressions_come_and_go(listed, data):
    covers, kept = StrictCovers(), {}
    for number, where in enumerate(listed):
        covers.add(str(number), normal_form(where, meaning))
        kept[str(number)] = where
        if data.draw(st.integers(0, 3)) == 0:
            gone = data.draw(st.sampled_from(sorted(kept)))
            covers.remove(gone)
            del kept[gone]
    assert len(covers) == len(kept)
    agree(covers, kept)
    names = sorted(kept)
    strict = {(a, b) for a in names for b in names if covers.strictly_covers(a, b)}
    assert covers.most_specific(names) == tuple(a for a in names if not any((a, b) in strict for b in names))


EDGES = [
    "x > 1",
    "x >= 1",
    "x >= 1.0000000000000002",
    "x > 1 and x < 3",
    "x = 9007199254740993",
    "x >= 9007199254740992",
    "x >= 9007199254740993",
    "x in (1, 2, 7)",
    "x between 1 and 7",
    "x != 3",
    "not x exists",
    "x exists",
    "not x exists or x > 1",
    "x != 3 and x != 5",
    "x < 3 or x > 5",
    "x in (1, 2)",
    "x in (1, 2, 3, 7)",
    "x = 1 and y > 0 or x = 2 and z > 0",
    "x < 2 or x between 3 and 4 or x > 6",
    "x = 1",
    "x between 2 and 2",
    "p in ('a', 'ab', 'b')",
    "p in ('ab', 'aab')",
    "p = 'a' and y > 0 or p = 'b' and z > 0",
    "p startswith 'ab'",
    "p endswith 'b'",
    "p endswith 'ab'",
    "p contains 'ab'",
    "not p contains 'a'",
    "p != 'a'",
    "p < 'b'",
    "p contains 'a' and p contains 'b'",
    "p contains 'a' or p startswith 'b'",
    "x exists or not x exists",
    "x > 1 and x < 1",
    "y = 1 and not y = 1",
    "p = 'a'",
    "p = 'b'",
    "p in ('a', 'b')",
    "p startswith 'a'",
    "p contains 'a'",
    "p >= 'a'",
    "p = 'a' or p = 'a' and x > 1",
    "p = 'a' and p = 'b'",
    "x > 1 and p = 'a'",
    "x > 1 or p = 'a'",
    "(x > 1 or p = 'a') and y > 0",
    "f = true",
    "f = false",
    "t > date '2026-01-01'",
    "t >= date '9000-01-01'",
    "a is low",
    "a is low [0.5, 0]",
    "a is very low",
    "a is low and b is high",
    "not a is low",
    "a <= 3",
    "a < 3",
]


def test_edges_of_every_kind():
    kept = {text: parse(text) for text in EDGES}
    kept["too large"] = parse(" and ".join(f"(a{n} = 1 or b{n} = 1)" for n in range(9)))
    kept["too large, the same"] = parse(" and ".join(f"(a{n} = 1 or b{n} = 1)" for n in range(9)))
    kept["too large, another"] = parse(" and ".join(f"(a{n} = 2 or b{n} = 1)" for n in range(9)))
    kept["everything"] = parse("true")
    covers = StrictCovers()
    for name, where in kept.items():
        covers.add(name, normal_form(where, meaning))
    agree(covers, kept)
    for name in list(kept)[::2]:
        covers.remove(name)
        del kept[name]
    agree(covers, kept)


def test_rows_and_values_are_used_again():
    covers = StrictCovers()
    for number in range(1_000):
        covers.add(f"s{number}", normal_form(parse(f"p = 'w{number}' and x > {number}")))
        if number >= 10:
            covers.remove(f"s{number - 10}")
    assert len(covers) == 10
    assert len(covers._used) <= 128
    covers.add("all", normal_form(parse("x > 0")))
    assert covers.most_specific(["all", "s999"]) == ("s999",)


def test_pairs_that_outlines_decide_are_not_compared_one_by_one(monkeypatch):
    asked = []
    plain = NormalForm.covers
    monkeypatch.setattr(NormalForm, "covers", lambda self, other: asked.append(1) or plain(self, other))
    rng = random.Random(4)
    covers = StrictCovers()
    start = datetime(2026, 1, 1, tzinfo=UTC)
    for number in range(300):
        low, day = rng.randint(0, 50), (start + timedelta(days=rng.randint(0, 9))).date().isoformat()
        covers.add(str(number), normal_form(parse(f"x > {low} and p = 'w{rng.randint(0, 3)}' and t >= date '{day}'")))
    assert not asked


def test_an_outline_says_when_it_is_not_the_whole():
    assert outline_of(normal_form(parse("x > 1"))).is_exact
    assert not outline_of(normal_form(parse("x in (1, 7, 9)"))).spans["x"].is_exact
    around = outline_of(normal_form(parse("x = 1 and y = 1 or x = 9 and z = 1")))
    assert not around.is_exact
    assert around.spans["x"].low == (1.0, 0)
    assert around.spans["x"].high == (9.0, 1)
    assert outline_of(normal_form(parse("p = 'a'"))).spans["p"].shape is OutlineShape.THESE
    assert outline_of(normal_form(parse("x > 1 and x < 1"))) is None
