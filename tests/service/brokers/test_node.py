"""Services as brokers of a tree: publications go where somebody wants them, once, whatever ends in between."""

from time import sleep

import httpx
import pytest
from broker_tree import BrokerTree, event, subscription

from rankcast.errors import CatalogError
from rankcast.language import decode_event, parse
from rankcast.model import Subscription
from rankcast.overlay import SubscribedItem
from rankcast.service.access import Role
from rankcast.service.brokers.inbox import BrokenLink
from rankcast.service.brokers.messages import Heartbeat
from rankcast.store import BrokerLog, Store

pytestmark = pytest.mark.slow


def test_events_go_down_up_and_across_but_only_where_they_are_wanted(tree: BrokerTree) -> None:
    tree.start("root")
    for name in ("left", "right"):
        tree.start(name, "root")
    tree.put("left", subscription("s1", "ann", "x > 5"), subscription("s2", "ann", "x > 7"))
    tree.put("right", subscription("s3", "bob", "x > 1"))
    tree.put("root", subscription("s4", "cid", "x > 8"))
    tree.settle()
    tree.publish("root", event("e1", 6), event("e2", 2), event("e3", 0))
    tree.publish("left", event("e4", 9), event("e5", 1))
    tree.settle()
    assert sorted(tree.delivered("left")) == [("ann", "e1"), ("ann", "e4")]
    assert sorted(tree.delivered("right")) == [("bob", "e1"), ("bob", "e2"), ("bob", "e4")]
    assert tree.delivered("root") == [("cid", "e4")]
    logged = {one.event.id for one in tree.services["left"].store.events()}
    assert logged == {"e1", "e4", "e5"}
    assert "e5" not in {one.event.id for one in tree.services["root"].store.events()}


def test_a_link_resumes_whichever_end_was_away(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("mid", "root")
    tree.start("leaf", "mid")
    tree.put("leaf", subscription("s1", "ann", "x > 5"))
    tree.put("root", subscription("s2", "bob", "x > 5"))
    tree.settle()
    tree.stop("leaf")
    tree.publish("root", event("e1", 6), event("e2", 0))
    tree.restart("mid")  # it still knows what the leaf needs
    tree.publish("root", event("e3", 7))
    tree.start("leaf", "mid")
    tree.settle()
    tree.stop("mid")
    tree.publish("leaf", event("e4", 8))
    tree.publish("root", event("e5", 9))
    tree.start("mid", "root", port=tree.port("mid"))
    tree.settle()
    assert tree.delivered("root") == [("bob", "e1"), ("bob", "e3"), ("bob", "e5"), ("bob", "e4")]
    assert tree.delivered("leaf") == [("ann", "e1"), ("ann", "e3"), ("ann", "e4"), ("ann", "e5")]


def test_the_k_best_in_the_whole_tree_receive_a_publication(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("mid", "root")
    tree.start("leaf", "mid")
    shown = {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "x between 0 and 100", "k": 2}
    tree.put("root", shown, subscription("s1", "ann", "x between 0 and 10"))
    tree.put("mid", subscription("s2", "bob", "x between 0 and 30"))
    tree.put("leaf", subscription("s3", "cid", "x between 0 and 20"), subscription("s4", "dee", "x between 5 and 6"))
    tree.put("leaf", {**shown, "id": "a2", "k": 1})
    tree.settle()
    tree.publish("root", event("e1", 5, advertisement="a1"), event("e2", 5, advertisement="a1", k=1))
    tree.publish("leaf", event("e3", 5, advertisement="a2"), event("e4", 5))
    tree.settle()
    assert tree.delivered("root") == [("ann", "e4")]
    assert sorted(tree.delivered("mid")) == [("bob", "e1"), ("bob", "e2"), ("bob", "e3"), ("bob", "e4")]
    assert sorted(tree.delivered("leaf")) == [("cid", "e1"), ("cid", "e4"), ("dee", "e4")]


def test_a_new_edge_gets_what_is_published_from_then_on_or_from_a_time(tree: BrokerTree) -> None:
    tree.start("root")
    tree.publish("root", event("e1", 1), event("e2", 1, time="2026-02-01"))
    for name in ("now", "since"):
        tree.start(name)  # with its users, before it joins
        tree.put(name, subscription(f"of-{name}", f"user-{name}", "x > 0"))
        tree.stop(name)
    tree.start("now", "root")
    tree.start("since", "root", upstream_since="2026-01-15")
    tree.settle()
    tree.publish("root", event("e3", 1, time="2026-02-02"))
    tree.settle()
    assert tree.delivered("now") == [("user-now", "e3")]
    assert tree.delivered("since") == [("user-since", "e2"), ("user-since", "e3")]


def test_a_loop_is_refused_with_its_path(tree: BrokerTree) -> None:
    tree.start("a")
    tree.start("b", "a")
    tree.start("c", "b")
    tree.settle()
    tree.stop("a")
    tree.start("a", "c", port=tree.port("a"))
    said = tree.error("a", "loop")
    assert "a → b → c → a" in said or "b → c → a → b" in said


def test_a_store_that_is_older_than_before_is_noticed(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.put("root", subscription("s1", "ann", "x > 0"))
    tree.put("edge", subscription("s2", "bob", "x > 0"))
    tree.settle()
    older = {name: tree.copy(name) for name in ("root", "edge")}
    tree.publish("edge", event("e1", 1))
    tree.publish("root", event("e2", 1))
    tree.settle()
    newer = tree.copy("edge")
    tree.bring_back("edge", older["edge"])
    said = tree.error("edge", "older")
    assert (
        "the store of broker 'edge' is older than before: its log ends at 0, and 'root' has received it up to" in said
    )
    tree.bring_back("edge", newer)
    tree.settle()
    tree.bring_back("root", older["root"])
    assert "the store of broker 'root' is older than before" in tree.error("edge", "older")
    tree.stop("root")
    with Store.open(tree.folder / "root.db") as store:
        BrokerLog(store.database).rejoin()
    tree.open("root")
    tree.settle()
    assert tree.delivered("root") == [("ann", "e1")]  # what the edge still had came back
    tree.publish("root", event("e3", 1))
    tree.settle()
    assert sorted(tree.delivered("edge")) == [("bob", "e1"), ("bob", "e2"), ("bob", "e3")]


def test_an_older_store_is_noticed_although_its_log_has_grown_meanwhile(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.put("root", subscription("s1", "ann", "x > 0"))
    tree.put("edge", subscription("s2", "bob", "x > 0"))
    tree.settle()
    older = {name: tree.copy(name) for name in ("root", "edge")}
    tree.publish("edge", event("e1", 1))
    tree.publish("root", event("e2", 1))
    tree.settle()
    newer = tree.copy("edge")
    for name in ("edge", "root"):
        with Store.open(older[name]) as store:
            store.publish([decode_event({"time": "2026-01-01", **event(f"other{at}", 1)}) for at in range(5)])
        tree.bring_back(name, older[name])
        said = tree.error("edge", "older")
        assert f"the store of broker '{name}' is older than before: its log has other events than" in said
        tree.bring_back("edge", newer)


def test_an_edge_that_is_removed_while_it_speaks_is_gone(tree: BrokerTree) -> None:
    node = tree.start("root").brokers
    tree.start("edge", "root")
    tree.settle()
    link = node.link("edge")
    assert link is not None
    tree.stop("edge")
    assert node.forget("edge")
    item = SubscribedItem(Subscription("s1", "00@edge", parse("x > 0")), (("", 1),))
    node.learn(link, {item.key: item.to_json()}, [], whole=False)
    assert node.knowledge.tell("other") == {}
    with pytest.raises(BrokenLink, match="earlier session"):
        link.inbox.receive(Heartbeat(), "any")


def test_another_store_under_the_name_of_an_edge_is_refused_until_the_edge_is_removed(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.settle()
    tree.stop("edge")
    (tree.folder / "edge.db").unlink()
    tree.start("edge", "root")
    assert "joined with another store" in tree.error("edge", "another store")
    assert tree.services["root"].brokers.forget("edge")
    tree.settle()


def test_the_tree_is_seen_from_every_broker(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("left", "root")
    tree.start("leaf", "left")
    tree.put("leaf", subscription("s1", "ann", "x > 0"), subscription("s2", "bob", "x > 3"))
    tree.settle()
    tree.publish("root", event("e1", 1), event("e2", -1))
    tree.settle()
    for _ in range(200):
        seen = {name: one.brokers.view.tree() for name, one in tree.services.items()}
        facts = {one.name: one for one in seen["root"].brokers}
        links = {link.to: link for link in facts["root"].links} if "root" in facts else {}
        if all(len(one.brokers) == 3 for one in seen.values()) and facts["leaf"].subscriptions == 2:
            break
        sleep(0.05)
    assert [seen[name].path for name in ("root", "left", "leaf")] == [
        ["root"],
        ["root", "left"],
        ["root", "left", "leaf"],
    ]
    assert facts["leaf"].upstream == "left"
    (up,) = facts["leaf"].links
    assert (up.known, up.forwarded, up.hidden) == (2, 1, 1)
    assert (links["left"].sent, links["left"].saved, links["left"].lag) == (1, 1, 0)


def test_imprecise_events_go_everywhere_but_not_under_an_advertisement(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.put("root", {"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "true", "k": 1})
    tree.put("edge", subscription("s1", "ann", "x > 5"))
    tree.settle()
    vague = {"id": "e1", "time": "2026-01-01", "attributes": {"x": {"between": [0, 9]}}}
    tree.publish("root", vague)
    with pytest.raises(CatalogError, match="has imprecise values; under an advertisement"):
        tree.publish("root", {**vague, "id": "e2", "advertisement": "a1"})
    tree.settle()
    assert tree.delivered("edge") == [("ann", "e1")]


def test_an_edge_can_do_nothing_else_with_its_token(tree: BrokerTree) -> None:
    root = tree.start("root", dev=False)
    edge, _ = root.access.create(Role.BROKER, "edge")
    user, _ = root.access.create(Role.USER, "ann")
    with httpx.Client(base_url=tree.addresses["root"]) as client:

        def status(token: str, method: str, path: str, body: object = None) -> int:
            return client.request(method, path, headers={"Authorization": f"Bearer {token}"}, json=body).status_code

        assert status(edge, "GET", "/v1/events") == 403
        assert status(edge, "POST", "/v1/events", {"attributes": {"x": 1}}) == 403
        assert status(edge, "GET", "/v1/brokers") == 403
        assert status(user, "GET", "/v1/brokers/self") == 403
        assert client.get("/v1/brokers/self").status_code == 401
        hello = {"protocol": 1, "broker": "other", "lineage": "x", "last": 0}
        assert status(edge, "POST", "/v1/brokers/sessions", hello) == 403  # not under another's name
        assert status(edge, "POST", "/v1/brokers/sessions", {**hello, "protocol": 2}) == 422
        assert status(edge, "POST", "/v1/brokers/sessions/none/messages", {"messages": []}) == 404
    tree.start("edge", "root", upstream_token=edge)
    tree.settle()
    root.access.revoke(next(one.id for one in root.access.tokens() if one.role == "broker"))
    assert "(401)" in tree.error("edge", "refused")


def test_text_about_an_advertisement_does_not_hold_an_event_back(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.put("edge", subscription("s1", "ann", "x > 0"))
    tree.settle()
    tree.publish("root", {"id": "e1", "attributes": {"x": 1, "advertisement": "a1"}})
    tree.settle()
    assert tree.delivered("edge") == [("ann", "e1")]
