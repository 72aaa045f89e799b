"""The running brokers as the page draws them."""

from rankcast.service.brokers.messages import BrokerFacts, BrokerTree, LinkFacts
from rankcast.service.page.overlay.overlay import traffic_of
from rankcast.service.page.overlay.overlay_drawing import overlay_svg


def test_the_tree_is_drawn_from_its_root_whoever_sees_it() -> None:
    edge = BrokerFacts("edge", "l2", "root", 5, 2, 1, [LinkFacts("root", True, 5, 1, 4)])
    root = BrokerFacts("root", "l1", None, 0, 0, 3, [LinkFacts("edge", True, sent=2, saved=1)])
    lost = BrokerFacts("lost", "l3", "unknown", 1, 1, 0, [])
    run, top = traffic_of(BrokerTree("edge", ["root", "edge"], True, None, [root, edge, lost]))
    assert top == "root"
    assert run.upstream == (("edge", "root"),)
    assert (run.up["edge", "root"], run.down["edge", "root"], run.known["root"]) == (1, 2, 1)
    assert "edge to root: 1 about subscriptions; root to edge: 2 publications" in overlay_svg(run, top)
