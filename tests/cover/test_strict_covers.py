"""Strict covers of many expressions are those of every pair."""

import random
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover import NormalForm, normal_form
from rankcast.cover.strict_covers import StrictCovers, part_outlines
from rankcast.language import parse
from rankcast.model import Expression, Membership, Term
from rankcast.testing.strategies import CONCEPTS, conjunctions, expressions


def meaning(attribute: str, term: Term) -> Membership:
    return CONCEPTS[attribute, term.concept]


def outlined(where: Expression):
    return part_outlines(normal_form(where, meaning))


def strictly_by_parts(general: Expression, special: Expression) -> bool:
    a, b = normal_form(general, meaning), normal_form(special, meaning)
    return a.covers(b, 0) and not b.covers(a, 0)


def agree(covers: StrictCovers, kept: dict[str, Expression]) -> None:
    for a, general in kept.items():
        for b, special in kept.items():
            assert covers.strictly_covers(a, b) is strictly_by_parts(general, special), (general, special)


def alternatives():
    """Disjunctions of what can be compared with many at once, and conjunctions of `not`, `in` and patterns."""
    return st.lists(st.sampled_from(PARTS), min_size=1, max_size=3).map(lambda parts: parse(" or ".join(parts)))


@given(
    st.lists(st.one_of(conjunctions(), expressions(depth=2), st.deferred(alternatives)), min_size=2, max_size=14),
    st.data(),
)
def test_each_pair_is_as_the_definition_says_while_expressions_come_and_go(listed, data):
    covers, kept, new = StrictCovers(), {}, {}
    for number, where in enumerate(listed):
        outlines = outlined(where)
        if outlines is None:
            continue
        new[str(number)] = outlines
        kept[str(number)] = where
        if data.draw(st.integers(0, 2)) == 0:
            covers.add(new)
            new = {}
            if data.draw(st.integers(0, 1)) == 0:
                gone = data.draw(st.sampled_from(sorted(kept)))
                covers.remove(gone)
                del kept[gone]
    covers.add(new)
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


PARTS = [
    *(text for text in EDGES if " or " not in text),
    "x > 1 and y < 2",
    "not x > 1",
    "not x > 2 and not y < 3",
    "not (x = 1 or y = 2)",
    "not p = 'a'",
    "not p in ('a', 'b') and x > 0",
    "p > 'a'",
    "p between 'a' and 'b'",
    "p between 'ab' and 'aby'",
    "p != 'xay'",
    "p > ''",
    "p in ('xa', 'ya')",
    "p contains 'xa'",
    "p endswith 'xa'",
    "x in (1, 2, 3) and y in (1, 2)",
    "x in (1, 3) and y = 1",
    "f = true and x > 1",
    "f != true",
    "t < date '2026-01-01' and f = false",
    "x != 3 and x != 7",
]


def test_edges_of_every_kind():
    kept = {text: parse(text) for text in dict.fromkeys(EDGES + PARTS)}
    kept["everything"] = parse("true")
    kept = {name: where for name, where in kept.items() if outlined(where) is not None}
    assert len(kept) > 60
    covers = StrictCovers()
    covers.add({name: outlined(where) for name, where in list(kept.items())[:20]})
    covers.add({name: outlined(where) for name, where in list(kept.items())[20:]})
    agree(covers, kept)
    for name in list(kept)[::2]:
        covers.remove(name)
        del kept[name]
    agree(covers, kept)


def test_every_pair_of_alternatives():
    rng = random.Random(3)
    texts = {" or ".join(rng.sample(PARTS, rng.randint(1, 3))) for _ in range(60)}
    kept = {text: parse(text) for text in sorted(texts)}
    kept = {name: where for name, where in kept.items() if outlined(where) is not None}
    assert len(kept) > 30
    covers = StrictCovers()
    covers.add({name: outlined(where) for name, where in kept.items()})
    agree(covers, kept)


def test_rows_and_values_are_used_again():
    covers = StrictCovers()
    for number in range(400):
        covers.add({f"s{number}": outlined(parse(f"p = 'w{number}' and x > {number} or y = {number}"))})
        if number >= 10:
            covers.remove(f"s{number - 10}")
    assert len(covers) == 10
    assert len(covers._below) <= 128
    assert len(covers._parts) <= 64
    assert len(covers._columns["x"]._numbers._codes) < 1_200
    covers.add({"all": outlined(parse("x > 0 or y exists"))})
    assert covers.most_specific(["all", "s399"]) == ("s399",)


def test_the_most_specific_of_any_subset_while_many_come_and_go():
    """What was found for one subset is remembered, and must not be believed for another."""
    rng = random.Random(5)
    covers, kept = StrictCovers(), dict[str, Expression]()
    for turn in range(40):
        new = {f"s{turn}.{n}": parse(f"x >= {rng.randint(0, 40)} and y <= {rng.randint(0, 8)}") for n in range(10)}
        covers.add({name: outlined(where) for name, where in new.items()})
        kept |= new
        for gone in rng.sample(sorted(kept), 6):
            covers.remove(gone)
            del kept[gone]
        for count in (2, len(kept) // 3, len(kept)):
            names = rng.sample(sorted(kept), count)
            expected = [a for a in names if not any(covers.strictly_covers(a, b) for b in names)]
            assert covers.most_specific(names) == tuple(expected)
    agree(covers, dict(rng.sample(sorted(kept.items()), 20)))


def test_many_at_once_are_not_compared_one_by_one(monkeypatch):
    asked = []
    monkeypatch.setattr(NormalForm, "covers", lambda self, other, comparisons=0: asked.append(1))
    rng = random.Random(4)
    start = datetime(2026, 1, 1, tzinfo=UTC)
    forms = {}
    for number in range(300):
        low, day = rng.randint(0, 50), (start + timedelta(days=rng.randint(0, 9))).date().isoformat()
        text = f"x > {low} and p = 'w{rng.randint(0, 3)}' and t >= date '{day}' or not y < {low}"
        forms[str(number)] = outlined(parse(text))
    StrictCovers().add(forms)
    assert not asked


def test_what_asks_for_several_strings_or_for_a_degree_is_not_outlined():
    assert outlined(parse("x > 1 or p contains 'a'")) is not None
    assert outlined(parse("p contains 'a' and p contains 'b'")) is None
    assert outlined(parse("p = 'a' and not p = 'b'")) is None
    assert outlined(parse(" and ".join(f"(a{n} = 1 or b{n} = 1)" for n in range(9)))) is None
    assert outlined(parse("x > 1 and x < 1")) == ()
