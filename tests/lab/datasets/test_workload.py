from collections import Counter
from statistics import mean

import pytest

from rankcast.lab.datasets import subscriptions
from rankcast.model import And, Compare, Subscription, predicates_of

pytestmark = pytest.mark.xdist_group("datasets")  # the file is read once for all of them


@pytest.fixture(scope="module")
def drawn() -> list[Subscription]:
    return subscriptions(users=200, per_user=10, seed=1)


def size(subscription: Subscription) -> int:
    return len(list(predicates_of(subscription.where)))


def attributes(subscription: Subscription) -> list[str]:
    return [predicate.attribute for predicate in predicates_of(subscription.where)]


def test_each_user_has_their_own(drawn: list[Subscription]) -> None:
    assert Counter(subscription.user for subscription in drawn) == {f"u{user:05}": 10 for user in range(1, 201)}
    assert len({subscription.id for subscription in drawn}) == 2_000


def test_conjunctions_of_one_to_three_attributes(drawn: list[Subscription]) -> None:
    assert {size(subscription) for subscription in drawn} == {1, 2, 3}
    for subscription in drawn:
        assert isinstance(subscription.where, And) == (size(subscription) > 1)
        assert len(set(attributes(subscription))) == size(subscription)


def test_some_attributes_are_more_popular(drawn: list[Subscription]) -> None:
    counts = Counter(name for subscription in drawn for name in attributes(subscription))
    assert [name for name, _ in counts.most_common()] == ["genre", "year", "rating", "length", "mpaa", "title"]


def test_some_values_are_more_popular(drawn: list[Subscription]) -> None:
    genres = Counter(
        predicate.test.value
        for subscription in drawn
        for predicate in predicates_of(subscription.where)
        if predicate.attribute == "genre" and isinstance(predicate.test, Compare)
    )
    assert [genre for genre, _ in genres.most_common(2)] == ["drama", "comedy"]
    assert len(genres) == 7
    assert genres["drama"] / genres["comedy"] == pytest.approx(2, rel=0.15), "zipf: the second half as often"


def test_more_specific_ones_score_higher(drawn: list[Subscription]) -> None:
    by_size = [mean(s.score for s in drawn if size(s) == n and s.score is not None) for n in (1, 2, 3)]
    assert by_size == sorted(by_size)
    assert mean(s.score for s in drawn if s.score is not None) == pytest.approx(0.5, abs=0.03)


def test_same_seed_same_subscriptions() -> None:
    assert subscriptions(3, 4, seed=7) == subscriptions(3, 4, seed=7)
    assert subscriptions(3, 4, seed=7) != subscriptions(3, 4, seed=8)


def test_more_of_them_leave_the_others_alone() -> None:
    few = subscriptions(3, 2)
    many = {subscription.id: subscription for subscription in subscriptions(5, 4)}
    assert all(many[subscription.id] == subscription for subscription in few)
