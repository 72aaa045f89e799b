"""Items go between brokers as JSON; what is none is refused with the reason."""

import msgspec
import pytest

from rankcast.errors import ModelError
from rankcast.language import parse
from rankcast.model import Advertisement, Concept, Subscription, Trapezoid
from rankcast.overlay import AdvertisedItem, BrokerItem, SubscribedItem, WantsEverything, item_of_json, key_of

CHEAP = Concept("cheap", "price", Trapezoid(0, 0, 5, 9), "ann")
ITEMS: list[BrokerItem] = [
    WantsEverything(),
    SubscribedItem(Subscription("s1", "ann", parse("price is cheap")), (("", 1), ("root/a1", 7)), (CHEAP,)),
    AdvertisedItem(Advertisement("a1", "shop", parse("x > 1"), 3), "root", "ancestor-fair"),
]
SUBSCRIPTION = {"kind": "subscription", "id": "s1", "user": "ann", "where": "x > 1"}


@pytest.mark.parametrize("item", ITEMS, ids=lambda item: item.key)
def test_an_item_survives_json(item: BrokerItem) -> None:
    form = msgspec.json.decode(msgspec.json.encode(item.to_json()))
    assert item_of_json(form) == item
    assert key_of(form) == item.key


@pytest.mark.parametrize(
    ("form", "reason"),
    [
        ({}, "must be a subscription"),
        ({"subscription": SUBSCRIPTION, "for": {"": 0}}, "weights from 1"),
        ({"subscription": SUBSCRIPTION, "for": {}, "more": 1}, "unknown fields"),
        ({"subscription": SUBSCRIPTION, "for": {}, "concepts": [SUBSCRIPTION]}, "list of concepts"),
        ({"subscription": {**SUBSCRIPTION, "where": "x >"}, "for": {}}, "should be"),
        ({"advertisement": SUBSCRIPTION, "home": "b", "strategy": "regular-cover"}, "no top-k strategy"),
        ({"advertisement": SUBSCRIPTION, "home": "b", "strategy": "regular"}, "must be a subscription"),
    ],
)
def test_what_is_no_item_is_refused(form: dict[str, object], reason: str) -> None:
    with pytest.raises(ModelError, match=reason):
        item_of_json(form)
