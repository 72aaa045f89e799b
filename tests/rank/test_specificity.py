"""semantics: Preference: among the matching subscriptions the most specific count."""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover import NormalForm, Relation, normal_form, relate, weight_of
from rankcast.language import parse
from rankcast.model import Always, And, Compare, LeftShoulder, Op, Predicate, RightShoulder, Subscription
from rankcast.rank import Specificity, event_rank, specificity
from rankcast.rank.specificity import MOST_RELATED
from rankcast.testing.strategies import CONCEPTS, expressions

GENRE = Predicate("genre", Compare(Op.EQ, "drama"))
DIRECTOR = Predicate("director", Compare(Op.EQ, "T. Burton"))
YEAR = Predicate("year", Compare(Op.GT, 1999))


def subscribed(**where):
    return [Subscription(name, "carson", expression) for name, expression in where.items()]


@pytest.fixture
def carson():
    return Specificity(
        subscribed(
            all=Always(),
            drama=GENRE,
            burton=And((GENRE, DIRECTOR)),
            recent=YEAR,
            recent_burton=And((DIRECTOR, GENRE, YEAR)),
            burton_again=And((DIRECTOR, GENRE)),
        )
    )


def test_a_burton_drama_ranks_as_its_most_specific_subscription(carson):
    scores = {"drama": 0.7, "burton": 0.5}
    specific = carson.most_specific(["drama", "burton"])
    assert specific == ("burton",)
    assert event_rank([scores[name] for name in specific], [1.0]) == 0.5


def test_only_matching_ones_count(carson):
    assert carson.most_specific(["all", "drama"]) == ("drama",)
    assert carson.most_specific(["all"]) == ("all",)
    assert carson.most_specific([]) == ()


def test_those_that_only_overlap_all_stay_in_the_given_order(carson):
    assert carson.most_specific(["recent", "all", "burton"]) == ("recent", "burton")
    assert carson.most_specific(["burton", "recent", "all"]) == ("burton", "recent")


def test_equal_ones_both_stay(carson):
    assert carson.most_specific(["drama", "burton", "burton_again"]) == ("burton", "burton_again")


def test_a_chain_leaves_its_end(carson):
    assert carson.most_specific(["all", "drama", "burton", "recent", "recent_burton"]) == ("recent_burton",)


def test_strictly_covers_is_strict_and_directed(carson):
    assert carson.strictly_covers("drama", "burton")
    assert not carson.strictly_covers("burton", "drama")
    assert not carson.strictly_covers("burton", "burton")
    assert not carson.strictly_covers("burton", "burton_again")


def test_each_pair_is_compared_once_and_only_when_needed(monkeypatch):
    asked = []
    plain = NormalForm.covers
    monkeypatch.setattr(NormalForm, "covers", lambda self, *other: asked.append(1) or plain(self, *other))
    found = Specificity(subscribed(drama=GENRE, recent=YEAR, burton=And((GENRE, DIRECTOR))))
    assert asked == []
    for _ in range(3):
        found.most_specific(["recent", "drama"])
        found.most_specific(["drama", "recent"])
    assert len(asked) == 2


def many(count, **more):
    rng = random.Random(5)
    texts = {f"s{number}": f"a >= {rng.randint(0, 40)} and b <= {rng.randint(0, 9)}" for number in range(count)}
    return {name: Subscription(name, "carson", parse(text)) for name, text in {**texts, **more}.items()}


def pairwise(subscriptions, names, meaning=None):
    """The definition: those that strictly cover no other."""
    where = {one.id: one.where for one in subscriptions}
    if sum(weight_of(where[name], meaning).constants for name in names) <= MOST_RELATED:
        return tuple(
            name
            for name in names
            if not any(relate(where[name], where[other], meaning) is Relation.COVERS for other in names)
        )
    forms = {name: normal_form(where[name], meaning) for name in names}

    def strictly(a, b):
        return forms[a].covers(forms[b], 0) and not forms[b].covers(forms[a], 0)

    return tuple(name for name in names if not any(strictly(name, other) for other in names))


@pytest.mark.parametrize("count", [20, 100, 600])
def test_many_subscriptions_give_what_every_pair_gives_while_they_change(count):
    rng = random.Random(count)
    mine = many(count)
    found = Specificity(mine.values())
    for step in range(20):
        name = f"s{rng.randrange(count)}"
        if name in mine and step % 2:
            del mine[name]
        else:
            mine[name] = Subscription(name, "carson", parse(f"a >= {rng.randint(0, 40)}"))
        if step == 10:
            mine["more"] = Subscription("more", "carson", parse("a >= 3 or b = 2 and p contains 'x'"))
        found.update(mine.values())
        names = rng.sample(sorted(mine), min(40, len(mine)))
        assert found.most_specific(names) == pairwise(mine.values(), names)


def test_one_more_subscription_among_many_compares_nothing_else_again(monkeypatch):
    mine = many(600)
    found = Specificity(mine.values())
    found.most_specific(list(mine))
    made = []
    plain = specificity.NormalForm
    monkeypatch.setattr(specificity, "NormalForm", lambda where, meaning: made.append(where) or plain(where, meaning))
    found.update(mine.values())
    found.most_specific(list(mine))
    assert made == []
    mine["new"] = Subscription("new", "carson", parse("a >= 99"))
    found.update(mine.values())
    found.most_specific(list(mine))
    assert made == [mine["new"].where]


def test_only_what_matches_is_compared(monkeypatch):
    mine = many(600)
    made = []
    plain = specificity.NormalForm
    monkeypatch.setattr(specificity, "NormalForm", lambda where, meaning: made.append(where) or plain(where, meaning))
    Specificity(mine.values()).most_specific(["s1", "s2"])
    assert made == [mine["s1"].where, mine["s2"].where]


KINDS = [
    "x > {a} or y < {b}",
    "(x > {a} or y < {b}) and z = {c}",
    "not x > {a} and p in ('w{b}', 'w{c}')",
    "not (x > {a} and y < {b})",
    "p contains '{a}' and p contains '{b}'",
    "p contains '{a}' or q startswith '{b}'",
    "a is low [0.{a}5, 0] and x > {b}",
    "x != {a} and y in ({b}, {c})",
]


@pytest.mark.parametrize("kind", KINDS)
def test_many_of_every_kind_give_what_every_pair_gives(kind):
    rng = random.Random(kind)
    texts = [kind.format(a=rng.randint(0, 9), b=rng.randint(0, 9), c=rng.randint(0, 9)) for _ in range(90)]
    mine = [Subscription(f"s{number}", "carson", parse(text)) for number, text in enumerate(texts)]
    means = {("a", "low"): LeftShoulder(1, 3)}
    names = [one.id for one in mine]
    found = Specificity(mine, lambda attribute, term: means[attribute, term.concept])
    expected = pairwise(mine, names, lambda attribute, term: means[attribute, term.concept])
    assert found.most_specific(names) == expected
    few = names[:9]
    assert found.most_specific(few) == pairwise(mine, few, lambda attribute, term: means[attribute, term.concept])


def test_what_disjunctions_cover_only_as_a_whole_counts_among_few():
    whole = parse("(x > 0 and y > 0) or (x > 0 and z > 0) or (x > 0 and not y > 0 and not z > 0)")
    mine = [Subscription("whole", "carson", whole), Subscription("part", "carson", parse("x > 1"))]
    assert Specificity(mine).most_specific(["whole", "part"]) == ("part",)
    mine += many(120).values()
    names = [one.id for one in mine]
    assert "whole" in Specificity(mine).most_specific(names)
    assert Specificity(mine).most_specific(["whole", "part"]) == ("part",)


def test_too_many_constants_are_not_compared():
    listed = ", ".join(map(str, range(1_000)))
    mine = [Subscription(f"s{number}", "carson", parse(f"x in ({listed}, {number}.5)")) for number in range(60)]
    mine.append(Subscription("all", "carson", parse("x exists")))
    names = [one.id for one in mine]
    found = Specificity(mine)
    assert found.most_specific(names) == tuple(names)
    assert "all" not in found.most_specific(names[-20:])


def test_a_subscription_of_too_many_conjunctions_speaks():
    large = " or ".join(f"(x = {number} and y{number} = 1)" for number in range(65))
    mine = [Subscription(f"s{number}", "carson", parse(large)) for number in range(2)]
    mine += [Subscription("all", "carson", parse("true")), Subscription("x", "carson", parse("x = 3"))]
    assert Specificity(mine).most_specific(["s0", "all", "x", "s1"]) == ("s0", "x", "s1")


def test_a_concept_that_means_something_else_is_compared_again():
    mine = many(600, cheap="price is cheap", below="price <= 100", other="price is dear")
    means = {"cheap": LeftShoulder(50, 90), "dear": RightShoulder(500, 900)}

    def meaning(attribute, term):
        return means[term.concept]

    found = Specificity(mine.values(), meaning)
    assert found.most_specific(["below", "cheap"]) == ("cheap",)
    means["cheap"] = LeftShoulder(50, 150)
    found.update(mine.values(), meaning)
    assert (
        found.most_specific(["below", "cheap"])
        == ("below", "cheap")
        == pairwise(mine.values(), ["below", "cheap"], meaning)
    )


@given(st.lists(expressions(depth=2, fuzzy=True), min_size=2, max_size=8))
def test_every_kind_of_expression_gives_what_every_pair_gives(listed):
    def meaning(attribute, term):
        return CONCEPTS[attribute, term.concept]

    mine = many(60) | {f"x{number}": Subscription(f"x{number}", "carson", where) for number, where in enumerate(listed)}
    names = [name for name in mine if name.startswith("x")] + ["s1", "s2"]
    few = [mine[name] for name in names]
    expected = pairwise(few, names, meaning)
    assert Specificity(few, meaning).most_specific(names) == expected
    assert Specificity(mine.values(), meaning).most_specific(names) == expected


@given(st.lists(expressions(depth=2, fuzzy=True), min_size=2, max_size=12), st.integers(0, 3))
def test_what_is_compared_in_advance_changes_nothing(wheres, more):
    """Prepared in steps, wholly or in part, the most specific are the same."""

    def meaning(attribute, term):
        return CONCEPTS[attribute, term.concept]

    subscriptions = [Subscription(f"s{place}", "ann", where) for place, where in enumerate(wheres)]
    ids = [one.id for one in subscriptions]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(specificity, "MOST_RELATED", 1)
        patch.setattr(specificity, "_AT_ONCE", 2)
        prepared = Specificity(subscriptions, meaning)
        looks = iter([False] * more + [True])
        prepared.prepare(lambda: next(looks, True))
        assert prepared.most_specific(ids) == Specificity(subscriptions, meaning).most_specific(ids)
        assert prepared.prepare(lambda: False)
        assert prepared.most_specific(ids) == Specificity(subscriptions, meaning).most_specific(ids)


def test_a_prepared_user_compares_nothing_at_the_first_event(monkeypatch):
    subscriptions = [Subscription(f"s{n}", "ann", parse(f"x >= {n} or y < {n}")) for n in range(300)]
    prepared = Specificity(subscriptions)
    assert not prepared.prepare(lambda: True)
    while not prepared.prepare(iter([False] * 400 + [True]).__next__):
        pass
    monkeypatch.setattr("rankcast.cover.strict_covers.StrictCovers.add", None)  # it would fail
    assert prepared.most_specific([f"s{n}" for n in (1, 5, 9)]) == ("s1", "s5", "s9")
    assert prepared.most_specific([one.id for one in subscriptions]) == tuple(one.id for one in subscriptions)
