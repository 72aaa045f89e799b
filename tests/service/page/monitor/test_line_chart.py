from xml.etree import ElementTree

from rankcast.service.page.monitor.line_chart import ChartLine, line_chart


def test_a_chart_is_well_formed_and_scaled_to_what_it_shows() -> None:
    svg = line_chart([ChartLine([(60, 0), (30, 40), (0, 20)], "red", filled=True)], 60, "events <per> s")
    root = ElementTree.fromstring(svg)
    texts = [text.text for text in root.iter("text")]
    assert {"0", "20", "40", "1 min ago", "30 s ago", "now", "events <per> s"} <= set(texts)
    assert len(list(root.iter("path"))) == 2


def test_no_line_is_drawn_over_a_gap() -> None:
    line = ChartLine([(500, 1), (400, 2), (100, 3), (50, 4)], "red")
    root = ElementTree.fromstring(line_chart([line], 600, "per s", gaps=[(400, 100)]))
    assert [path.attrib["d"].count("L") for path in root.iter("path")] == [1, 1]
    assert [rect.attrib["class"] for rect in root.iter("rect")] == ["rc-gap"]
    whole = ElementTree.fromstring(line_chart([line], 600, "per s"))
    assert [path.attrib["d"].count("L") for path in whole.iter("path")] == [3]


def test_a_long_range_is_told_in_days() -> None:
    assert "3.5 d ago" in line_chart([], 7 * 86400, "per s")


def test_nothing_and_zeros_make_a_chart_too() -> None:
    for lines in ([], [ChartLine([], "red")], [ChartLine([(0, 0)], "red")]):
        ElementTree.fromstring(line_chart(lines, 60, "per s"))
