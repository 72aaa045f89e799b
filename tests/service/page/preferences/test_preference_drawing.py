from xml.etree import ElementTree

from rankcast.model import Preference
from rankcast.service.page.preferences.preference_drawing import draw_preferences


def drawn(*pairs: str, names: str = "abc") -> ElementTree.Element:
    preferences = [Preference("ann", *pair.split(">")) for pair in pairs]
    svg = draw_preferences(preferences, {name: f"<{name}> & more" for name in names}, dict.fromkeys(names, 0.5))
    return ElementTree.fromstring(svg)


def tags(svg: ElementTree.Element, tag: str) -> list[ElementTree.Element]:
    return svg.findall(f"{{http://www.w3.org/2000/svg}}{tag}")


def test_boxes_by_level_and_lines_that_do_not_follow_from_others() -> None:
    svg = drawn("a>b", "b>c", "a>c")
    tops = [float(box.get("y", "")) for box in tags(svg, "rect")]
    assert tops == sorted(tops)
    assert len(set(tops)) == 3
    assert len(tags(svg, "path")) == 2


def test_a_line_that_passes_a_level_bends_around_it() -> None:
    svg = drawn("a>b", "b>c", "d>c", names="abcd")
    assert len(tags(svg, "rect")) == 4
    assert len(tags(svg, "path")) == 5  # two to the next level; one down, through and on


def test_texts_are_escaped_and_nothing_is_fine() -> None:
    assert tags(drawn(), "text")[0].text == "<a> & more"
    assert tags(drawn(names=""), "rect") == []
