from collections import Counter

import pytest

from rankcast.lab.datasets import demo_catalog, movies
from rankcast.matching import matches
from rankcast.model import Catalog, Mode, Not, Or, Unit


@pytest.fixture(scope="module")
def catalog() -> Catalog:
    return demo_catalog()


def test_twelve_users(catalog: Catalog) -> None:
    assert len(catalog.users()) == 12
    assert set(catalog.policies) == set(catalog.users())


def test_shows_every_way_of_delivery(catalog: Catalog) -> None:
    policies = catalog.policies.values()
    assert {policy.mode for policy in policies} == set(Mode)
    assert {policy.sigma for policy in policies} == {0, 0.5, 1}
    assert {policy.length.unit for policy in policies if policy.length} == set(Unit)
    assert any(policy.filter for policy in policies)


def test_shows_both_kinds_of_preference(catalog: Catalog) -> None:
    assert any(catalog.preferences_of(user) for user in catalog.users())
    assert any(subscription.score is not None for subscription in catalog.subscriptions.values())


def test_shows_or_and_not_and_a_meaning_of_ones_own(catalog: Catalog) -> None:
    assert any(isinstance(subscription.where, Or) for subscription in catalog.subscriptions.values())
    assert any(
        isinstance(part, Not)
        for subscription in catalog.subscriptions.values()
        for part in getattr(subscription.where, "parts", ())
    )
    assert any(concept.user for concept in catalog.concepts.values())


@pytest.mark.slow
def test_everybody_gets_something_and_windows_stay_small(catalog: Catalog) -> None:
    every_tenth = list(movies())[::10]
    matched: Counter[str] = Counter()
    for film in every_tenth:
        matched.update(
            {
                subscription.user
                for subscription in catalog.subscriptions.values()
                if matches(
                    subscription.where,
                    film,
                    lambda attribute, term, user=subscription.user: catalog.membership(attribute, term, user),
                )
            }
        )
    assert all(matched[user] > 0 for user in catalog.users())
    for user in catalog.users():
        policy = catalog.policy_of(user)
        if policy.mode is Mode.SLIDING and policy.sigma < 1:
            assert matched[user] < 0.03 * len(every_tenth), (
                f"diversity over the window of {user} would take the oracle long"
            )
