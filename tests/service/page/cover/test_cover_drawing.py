from xml.etree import ElementTree

from rankcast.cover import SubscriptionGraph
from rankcast.language import parse
from rankcast.matching import NO_CONCEPTS, matches
from rankcast.model import EPOCH, Event, Subscription
from rankcast.service.page.cover.cover import cover_svg
from rankcast.service.studies.cover_graph import CoverStudy

WHERES = {"a": "x > 1", "b": "x > 5", "c": "x > 9 and y = 1", "d": "z = '<script>alert(1)</script>'"}
GRAPH = SubscriptionGraph([Subscription(name, "<b>ann</b>", parse(where)) for name, where in WHERES.items()])


def drawn(svg: str) -> dict[str, ElementTree.Element]:
    return {node.get("data-node", ""): node for node in ElementTree.fromstring(svg).iter("g") if node.get("data-node")}


def test_every_node_is_a_button_with_its_name_and_nothing_of_it_is_markup() -> None:
    svg = cover_svg(GRAPH, chosen=1)
    nodes = drawn(svg)
    assert len(nodes) == 4
    assert all(node.get("role") == "button" and node.get("tabindex") == "0" for node in nodes.values())
    assert "rc-chosen" in (nodes["1"].get("class") or "")
    assert "<script>" not in svg
    assert "<b>" not in svg
    assert "&lt;b&gt;ann" in svg


def test_a_walk_lights_up_where_it_went_and_stops_below_a_miss() -> None:
    events = [Event("e", EPOCH, {"x": (7,)}), Event("low", EPOCH, {"x": (0,)})]
    matched = [
        frozenset(at for at, event in enumerate(events) if matches(node.where, event, NO_CONCEPTS))
        for node in GRAPH.nodes
    ]
    study = CoverStudy(GRAPH, events, matched)
    found, visited = study.walk(0)
    assert visited == {0: True, 3: False, 1: True, 2: False}
    assert len(visited) == found.visited
    nodes = drawn(cover_svg(GRAPH, None, visited))
    kinds = {number: (node.get("class") or "").split()[-1] for number, node in nodes.items()}
    assert kinds == {"0": "rc-hit", "1": "rc-hit", "2": "rc-miss", "3": "rc-miss"}
    nodes = drawn(cover_svg(GRAPH, None, study.walk(1)[1]))
    assert "rc-unseen" in (nodes["1"].get("class") or "")
