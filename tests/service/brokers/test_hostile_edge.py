"""An edge acts only for its own users, and within limits, whatever it sends."""

from collections.abc import Iterator

import httpx
import pytest
from broker_tree import BrokerTree, advertisement, event, subscription
from waiting import until

from rankcast.service import Service
from rankcast.service.access import Role
from rankcast.service.brokers import inbox
from rankcast.service.settings import Limits

pytestmark = pytest.mark.slow


class HostileEdge:
    """Speaks the protocol with the token of the edge `bad`, and says whatever it likes."""

    def __init__(self, root: Service, address: str) -> None:
        token, _ = root.access.create(Role.BROKER, "bad")
        self._client = httpx.Client(base_url=address, headers={"Authorization": f"Bearer {token}"})
        self.begin()

    def begin(self) -> None:
        self.session = self.introduce({}).raise_for_status().json()["session"]

    def introduce(self, more: dict[str, object]) -> httpx.Response:
        hello = {"protocol": 1, "broker": "bad", "lineage": "of bad", "last": 0, **more}
        return self._client.post("/v1/brokers/sessions", json=hello)

    def send(self, *messages: dict[str, object], session: str | None = None) -> httpx.Response:
        place = f"/v1/brokers/sessions/{session or self.session}/messages"
        return self._client.post(place, json={"messages": messages})

    def say(self, *put: dict[str, object]) -> httpx.Response:
        """Say what its users need."""
        return self.send({"type": "items", "version": "1", "base": None, "put": put, "removed": []})

    def publish(self, *events: dict[str, object]) -> None:
        numbered = [{"offset": at, **one} for at, one in enumerate(events, 1)]
        message = {"type": "publications", "after": 0, "up_to": len(events), "last": "", "events": numbered}
        self.send(message).raise_for_status()

    def close(self) -> None:
        self._client.close()


@pytest.fixture
def bad(tree: BrokerTree) -> Iterator[HostileEdge]:
    """A tree of a root and an edge `good` with a subscription, and a hostile edge beside it."""
    root = tree.start("root", dev=False)
    token, _ = root.access.create(Role.BROKER, "good")
    tree.start("good", "root", upstream_token=token)
    tree.put("root", advertisement("a1"))
    tree.put("good", subscription("s1", "ann", "x between 0 and 10"), subscription("s2", "bob", "x between 0 and 5"))
    tree.settle()
    made = HostileEdge(root, tree.addresses["root"])
    yield made
    made.close()


def shown(name: str, x: int, **more: object) -> dict[str, object]:
    return {"id": name, "time": "2026-01-01T00:00:00Z", "attributes": {"x": x}, **more}


def item(name: str, user: str, **more: object) -> dict[str, object]:
    made = {"kind": "subscription", "id": name, "user": user, "where": "x between 0 and 100"}
    return {"subscription": made, "for": {"": 1, "root/a1": 1}, "concepts": [], **more}


def test_it_cannot_publish_under_the_advertisement_of_another(tree: BrokerTree, bad: HostileEdge) -> None:
    under = {"event": shown("e1", 3, advertisement="a1"), "advertisement": "root/a1", "chosen": ["s1", "s2"]}
    withdrawn = {"event": shown("e2", 3, advertisement="a0"), "advertisement": "root/a0", "chosen": ["s1", "s2"]}
    bad.publish(under, withdrawn, {"event": shown("e3", 3)})
    until(lambda: tree.delivered("good") == [("ann", "e3"), ("bob", "e3")])
    refused = [one.reason for one in tree.services["root"].store.rejects()]
    assert [one.split(",")[0] for one in refused] == [
        "broker 'bad' has not advertised 'root/a1'",
        "broker 'bad' has not advertised 'root/a0'",
    ]


def test_its_events_have_the_limits_of_a_publisher(tree: BrokerTree, bad: HostileEdge) -> None:
    large = shown("e1", 3)
    large["attributes"] = {"x": 3, **{f"text{at}": "large" * 200 for at in range(300)}}
    bad.publish({"event": large}, {"event": {**shown("e2", 3), "time": "2199-01-01T00:00:00Z"}})
    reasons = [one.reason for one in tree.services["root"].store.rejects()]
    assert ["bytes" in reasons[0], "ahead of the clock" in reasons[1]] == [True, True]


def test_it_cannot_speak_for_users_and_publishers_of_others(tree: BrokerTree, bad: HostileEdge) -> None:
    taken = {"advertisement": advertisement("a2"), "home": "good", "strategy": "regular", "concepts": []}
    bad.say(item("s9", "00@good"), item("s8", "00@root"), taken, item("s7", "00@bad")).raise_for_status()
    told = tree.services["root"].brokers.knowledge.tell("good")
    assert [key for key in told if key in ("s/s7", "s/s8", "s/s9", "a/good/a2")] == ["s/s7"]


def test_it_cannot_displace_a_subscription_even_if_it_joined_first(tree: BrokerTree, bad: HostileEdge) -> None:
    root = tree.services["root"]
    root.brokers.forget("good")  # so that it joins after the hostile edge, and still comes with its subscriptions first
    until(lambda: bool((link := root.brokers.link("good")) and link.is_settled))
    bad.say(item("s1", "00@bad")).raise_for_status()
    node = tree.restart("root").brokers
    until(lambda: bool((link := node.link("good")) and link.is_settled))
    tree.publish("root", event("e1", 3, advertisement="a1"))
    until(lambda: tree.delivered("good") == [("ann", "e1")])


def test_what_it_says_about_the_tree_is_checked(tree: BrokerTree, bad: HostileEdge) -> None:
    def facts(name: str) -> dict[str, object]:
        return {
            "name": name,
            "lineage": "x",
            "upstream": "bad",
            "subscriptions": 9,
            "users": 9,
            "events": 9,
            "links": [],
        }

    named = [facts("good"), facts("root"), facts("<script>"), facts("below")]
    bad.send({"type": "tree", "path": [], "brokers": named}).raise_for_status()
    found = {one.name: one.upstream for one in tree.services["root"].brokers.view.tree().brokers}
    assert found == {"root": None, "good": "root", "below": "bad"}


def test_its_items_are_limited(bad: HostileEdge, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inbox, "MOST_ITEMS", {"s/": 3})
    assert bad.say(*(item(f"t{at}", "00@bad") for at in range(3))).status_code == 200
    more = {"type": "items", "version": "2", "base": "1", "put": [item("t9", "00@bad")], "removed": ["no", "none"]}
    refused = bad.send(more)
    assert (refused.status_code, "more than 3" in refused.json()["detail"]) == (422, True)


def test_an_earlier_session_is_over(bad: HostileEdge) -> None:
    before = bad.session
    bad.begin()
    assert bad.send({"type": "heartbeat"}, session=before).status_code == 404
    assert bad.send({"type": "heartbeat"}).status_code == 200


def test_an_edge_that_sends_too_fast_waits_and_loses_nothing(tree: BrokerTree) -> None:
    root = tree.start("root", dev=False, limits=Limits(event_rate=40, event_burst=40))
    token, _ = root.access.create(Role.BROKER, "edge")
    tree.start("edge", "root", upstream_token=token)
    tree.put("root", subscription("s1", "ann", "x > 0"))
    tree.settle()
    link = root.brokers.link("edge")
    assert link is not None
    before = link.session
    for at in range(4):
        tree.publish("edge", *(event(f"e{at}-{number}", 1) for number in range(30)))
    tree.settle()
    assert len(tree.delivered("root")) == 120
    assert link.session == before


HUGE, LONG, NUL = 2**64, "x" * 100_000, "a\0b"
PUBLICATIONS = {"type": "publications", "after": 0, "up_to": 1, "last": "", "events": []}
ITEMS = {"type": "items", "version": "1", "base": None, "put": [], "removed": []}
MALFORMED = {
    "the offset of an event": {**PUBLICATIONS, "events": [{"offset": HUGE, "event": shown("e1", 3)}]},
    "the end": {**PUBLICATIONS, "up_to": HUGE},
    "the last event": {**PUBLICATIONS, "last": LONG},
    "NUL in the last event": {**PUBLICATIONS, "last": NUL},
    "a negative count": {**PUBLICATIONS, "events": [{"offset": 1, "event": shown("e1", 3), "count": -1}]},
    "an acknowledged offset": {"type": "ack", "offset": HUGE, "items": "1"},
    "acknowledged items": {"type": "ack", "offset": 1, "items": LONG},
    "a version": {**ITEMS, "version": LONG},
    "NUL in a version": {**ITEMS, "version": NUL},
    "a removed item": {**ITEMS, "removed": [NUL]},
    "an item to keep": {**ITEMS, "keep": [LONG]},
    "the path": {"type": "tree", "path": [{"name": LONG, "lineage": LONG}], "brokers": []},
}
INTRODUCTIONS = {
    "the end of the log": {"last": HUGE},
    "the last event": {"event": LONG},
    "NUL in the last event": {"event": NUL},
    "the lineage": {"lineage": LONG},
    "NUL in the lineage": {"lineage": NUL},
    "a broker below": {"below": [{"name": LONG, "lineage": NUL}]},
    "a time": {"since": LONG},
    "a received position": {"received": {"lineage": "x", "offset": -1, "items": "", "event": ""}},
}


def test_what_a_store_cannot_hold_is_refused(bad: HostileEdge) -> None:
    """Numbers without bound, texts without bound, and NUL: with a message, and not as a failure of the store."""
    answers = {what: bad.send(message).status_code for what, message in MALFORMED.items()}
    answers |= {f"introduction: {what}": bad.introduce(more).status_code for what, more in INTRODUCTIONS.items()}
    assert {what: status for what, status in answers.items() if status != 422} == {}
    assert bad.send({"type": "heartbeat"}).status_code == 200
