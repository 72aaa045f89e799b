"""Publications that are on their way while something changes: nothing is lost."""

import pytest
from broker_tree import BrokerTree, advertisement, event, subscription
from waiting import until

from rankcast.language import decode_event, decode_record
from rankcast.language.event_limits import EventLimits
from rankcast.model import Event
from rankcast.overlay.items import key_of
from rankcast.service.settings import Limits
from rankcast.store import BrokerLog, Store

pytestmark = pytest.mark.slow


def published(name: str, x: int, **more: object) -> Event:
    return decode_event({"time": "2026-01-01", **event(name, x, **more)})


def test_recipients_are_chosen_with_the_catalog_that_a_publication_was_logged_with(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("edge", "root")
    tree.put("root", advertisement("a1"))
    tree.put("edge", subscription("s1", "ann", "x between 0 and 30"))
    tree.settle()
    tree.stop("root")
    with Store.open(tree.folder / "root.db") as store:  # before the service has chosen anybody
        store.publish([published("e1", 5, advertisement="a1")])
        store.change(remove=[decode_record(advertisement("a1"))])
    tree.open("root")
    tree.settle()
    assert tree.delivered("edge") == [("ann", "e1")]


@pytest.mark.parametrize("strategy", ["ancestor-cover", "ancestor-fair"])
def test_a_withdrawal_comes_after_the_publications_that_were_made_before(tree: BrokerTree, strategy: str) -> None:
    tree.start("root", strategies=(strategy,))
    tree.start("mid", "root")
    tree.start("leaf", "mid")
    tree.put("root", advertisement("a1", 2, rank="fair"))
    tree.put("leaf", *(subscription(f"s{at}", f"u{at}", f"x between 0 and {30 - at}") for at in range(3)))
    tree.settle()
    tree.stop("mid")
    tree.publish("root", event("e1", 5, advertisement="a1"))
    tree.services["root"].remove(decode_record(advertisement("a1", 2, rank="fair")))
    key = key_of({"advertisement": {"id": "a1"}, "home": "root"})
    until(lambda: key not in tree.services["root"].brokers.knowledge.tell("mid"))
    tree.open("mid")
    tree.settle()
    assert len(tree.delivered("leaf")) == 2
    assert key not in tree.services["mid"].brokers.knowledge.tell("leaf")


def test_a_recipient_that_was_hidden_meanwhile_still_gets_the_publication(tree: BrokerTree) -> None:
    tree.start("root")
    tree.start("mid", "root")
    tree.start("leaf", "mid")
    tree.put("root", advertisement("a1"))
    tree.put("leaf", subscription("s1", "ann", "x between 0 and 10"))
    tree.settle()
    tree.stop("mid")
    tree.publish("root", event("e1", 5, advertisement="a1"))
    until(lambda: bool(BrokerLog(tree.services["root"].store.database).chosen([1])))
    tree.stop("root")
    tree.open("mid")  # and learns that another one is better, so that it need not know the first one
    tree.put("leaf", subscription("s2", "bob", "x between 0 and 50"))
    until(lambda: "s/s2" in tree.services["mid"].brokers.knowledge.tell("root"))
    tree.open("root")
    tree.settle()
    assert tree.delivered("leaf") == [("ann", "e1")]


def test_an_event_as_large_as_the_limits_allow_goes_up(tree: BrokerTree) -> None:
    limits = Limits(event=EventLimits(size=2 * 1024 * 1024))
    tree.start("root", limits=limits)
    tree.start("edge", "root", limits=limits)
    tree.put("root", subscription("s1", "ann", "x > 0"))
    tree.settle()
    large = {f"text{at}": "large" * 10_000 for at in range(30)}
    tree.publish("edge", {"id": "e1", "attributes": {"x": 1} | large}, event("e2", 1))
    tree.settle()
    assert tree.delivered("root") == [("ann", "e1"), ("ann", "e2")]
