from xml.etree import ElementTree

from rankcast.service.page.overlay.overlay_drawing import overlay_svg
from rankcast.service.studies.overlay_run import SimulationSetup, run

SETUP = SimulationSetup("tree:2x2", subscribers=20, publications=10, k=2)


def test_all_brokers_and_the_traffic_of_all_links_are_drawn() -> None:
    found = run(SETUP)
    texts = " ".join(
        "".join(text.itertext()) for text in ElementTree.fromstring(overlay_svg(found, "root")).iter("text")
    )
    for broker in found.tree.brokers:
        assert broker in texts
        assert f"knows {found.known[broker]}" in texts
    for link in found.upstream:
        assert f"↑{found.up[link]}" in texts
        assert f"↓{found.down[link]}" in texts


def test_a_publication_travels_to_the_brokers_that_it_visited() -> None:
    found = run(SETUP)
    route = found.routes[0]
    root = ElementTree.fromstring(overlay_svg(found, "root", route))
    assert len(list(root.iter("circle"))) == len(route.visited) - 1
    lit = [node for node in root.iter("g") if "rc-broker rc-went" in (node.get("class") or "")]
    assert len(lit) == len(route.visited)


def test_many_brokers_are_drawn_without_counts_on_links() -> None:
    setup = SimulationSetup("chain:6x4", subscribers=24, publications=3, k=2)
    svg = overlay_svg(run(setup), setup.publisher)
    ElementTree.fromstring(svg)
    assert "↑" not in svg.replace("<title>", "")
