"""Publications under an advertisement: what is refused and why, and who is admitted."""

from datetime import UTC, datetime

import pytest

from rankcast.errors import CatalogError
from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Event, Interval, Subscription
from rankcast.overlay import admitted, check_publication

NOW = datetime(2026, 1, 1, tzinfo=UTC)
CATALOG = Catalog(
    [
        Subscription("s1", "u1", parse("price <= 40")),
        Subscription("s2", "u2", parse("price <= 50")),
        Subscription("s3", "u3", parse("price <= 60")),
        Advertisement("sale", "shop", parse("price between 0 and 100"), 2),
    ]
)


def event(price: float, advertisement: str | None = "sale", k: int | None = None) -> Event:
    return Event("e1", NOW, {"price": (price,)}, advertisement=advertisement, k=k)


@pytest.mark.parametrize(
    ("published", "reason"),
    [
        (event(30, "sales"), "no advertisement 'sales'; did you mean 'sale'"),
        (event(30, k=3), "k is 3; advertisement 'sale' has k 2"),
        (event(130), "'e1' is outside the space of advertisement 'sale': price between 0 and 100"),
        (Event("e1", NOW, {}, advertisement="sale"), "outside the space"),
    ],
)
def test_what_is_refused_and_why(published: Event, reason: str) -> None:
    with pytest.raises(CatalogError, match=reason):
        check_publication(CATALOG, published)


@pytest.mark.parametrize("published", [event(30), event(30, k=2), event(130, None)])
def test_what_passes(published: Event) -> None:
    check_publication(CATALOG, published)


def test_an_imprecise_publication_is_checked_by_its_possibility() -> None:
    check_publication(CATALOG, Event("e1", NOW, {"price": Interval(90, 110)}, advertisement="sale"))
    with pytest.raises(CatalogError, match="outside the space"):
        check_publication(CATALOG, Event("e1", NOW, {"price": Interval(110, 120)}, advertisement="sale"))


def test_the_best_are_admitted_in_the_order_given() -> None:
    matches = [(subscription, 1.0) for subscription in CATALOG.subscriptions.values()]
    assert [subscription.id for subscription, _ in admitted(CATALOG, event(30), matches)] == ["s2", "s3"]
    assert [subscription.id for subscription, _ in admitted(CATALOG, event(30, k=1), matches)] == ["s3"]


def test_all_are_admitted_without_an_advertisement() -> None:
    matches = [(subscription, 1.0) for subscription in CATALOG.subscriptions.values()]
    assert admitted(CATALOG, event(30, None), matches) == matches
