from xml.etree import ElementTree

from rankcast.service.page.monitor.line_chart import ChartLine, line_chart


def test_a_chart_is_well_formed_and_scaled_to_what_it_shows() -> None:
    svg = line_chart([ChartLine([(60, 0), (30, 40), (0, 20)], "red", filled=True)], 60, "events <per> s")
    root = ElementTree.fromstring(svg)
    texts = [text.text for text in root.iter("text")]
    assert {"0", "20", "40", "1 min ago", "30 s ago", "now", "events <per> s"} <= set(texts)
    assert len(list(root.iter("path"))) == 2


def test_nothing_and_zeros_make_a_chart_too() -> None:
    for lines in ([], [ChartLine([], "red")], [ChartLine([(0, 0)], "red")]):
        ElementTree.fromstring(line_chart(lines, 60, "per s"))
