"""What neighbours sent: who came first with an item keeps it until it takes it back."""

from rankcast.language import parse
from rankcast.model import Subscription
from rankcast.overlay.items import PLAIN, HeardItems, SubscribedItem


def item(name: str, home: str, **needs: int) -> SubscribedItem:
    made = Subscription(name, f"00@{home}", parse("x > 1"))
    return SubscribedItem(made, tuple(sorted(needs.items())) or ((PLAIN, 1),))


def homes(heard: HeardItems, need: str = PLAIN, but: str = "") -> dict[str, str]:
    return {one.subscription.id: neighbour for neighbour, one, _ in heard.subscribed(need, but)}


def test_the_first_keeps_an_item_until_it_takes_it_back() -> None:
    heard = HeardItems()
    assert heard.learn("left", [item("s1", "left")]) == 1
    assert heard.learn("right", [item("s1", "right"), item("s2", "right")]) == 2
    assert heard.learn("right", [item("s2", "right")]) == 0
    assert homes(heard) == {"s1": "left", "s2": "right"}
    assert homes(heard, but="left") == {"s1": "right", "s2": "right"}
    heard.learn("left", [], ["s/s1", "s/unknown"])
    assert homes(heard) == {"s1": "right", "s2": "right"}
    heard.forget("right")
    assert (homes(heard), heard.first("s/s1")) == ({}, None)


def test_everything_anew_replaces_all_but_what_is_kept() -> None:
    heard = HeardItems()
    heard.learn("left", [item("s1", "left"), item("s2", "left"), item("s3", "left", a1=2)])
    heard.learn("left", [item("s1", "left", a1=5)], whole=True, keep=["s/s3"])
    assert sorted(heard.of("left")) == ["s/s1", "s/s3"]
    assert sorted(weight for _, _, weight in heard.subscribed("a1", "")) == [2, 5]


def test_the_order_of_claims_can_be_restored() -> None:
    heard = HeardItems()
    for name in ("left", "right", "new"):
        heard.learn(name, [item("s1", name)])
    heard.order({"s/s1": ["right", "gone", "left"], "s/unknown": ["left"]})
    assert heard.claims("s/s1") == ["right", "left", "new"]
    assert [first for first, _ in heard.firsts()] == ["right"]
