from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_the_panel_compares_crisp_and_approximate(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    site.put({"kind": "concept", "name": "wide", "attribute": "span", "trapezoid": [10, 20, 30, 40]})
    site.subscribe("ivy", vague="span is wide", sure="span is wide [pessimistic]", crisp="span <= 12")
    site.publish({"span": 5, "label": "a plank"}, {"span": 45, "label": "a bridge"})
    page = visit("/intervals", "ivy")
    chooser = page.get_by_role("combobox", name="Attribute")
    expect(chooser).to_be_visible()
    # Other tests publish other numbers, but only this one is asked for.
    expect(page.get_by_label("The publication")).to_contain_text("span between")
    expect(page.get_by_role("region", name="Matches against the width")).to_contain_text("of 3 subscriptions match")
    table = page.get_by_role("region", name="Who matches")
    expect(table).to_contain_text("possible")
    snap(page, "intervals")


def test_who_does_not_match_is_listed_too(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("iris", small="girth < 1")
    site.publish({"girth": 5}, {"girth": 45})
    page = visit("/intervals", "iris")
    expect(page.get_by_role("region", name="Matches against the width")).to_contain_text("0 of 1 subscription match")
    expect(page.get_by_role("region", name="Who matches").locator("tbody tr")).to_contain_text("girth")
