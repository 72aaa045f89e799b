"""SPEC 2: among the matching subscriptions the most specific count."""

import pytest

from rankcast.model import Always, And, Compare, Op, Predicate, Subscription
from rankcast.rank import Specificity, event_rank, specificity

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


def test_each_pair_is_related_once_and_only_when_needed(monkeypatch):
    asked = []
    plain = specificity.relate

    def counting(a, b, meaning):
        asked.append((a, b))
        return plain(a, b, meaning)

    monkeypatch.setattr(specificity, "relate", counting)
    found = Specificity(subscribed(drama=GENRE, recent=YEAR, burton=And((GENRE, DIRECTOR))))
    assert asked == []
    for _ in range(3):
        found.most_specific(["recent", "drama"])
        found.most_specific(["drama", "recent"])
    assert asked == [(GENRE, YEAR)]


def test_the_meaning_of_concepts_is_passed_on(monkeypatch):
    passed = []
    plain = specificity.relate
    monkeypatch.setattr(specificity, "relate", lambda a, b, meaning: passed.append(meaning) or plain(a, b))

    def meaning(attribute, term):
        raise AssertionError

    Specificity(subscribed(drama=GENRE, recent=YEAR), meaning).most_specific(["drama", "recent"])
    assert passed == [meaning]
