from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_strategies_side_by_side_and_a_publication_on_its_way(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    page = visit("/overlay")
    traffic = page.get_by_label("Brokers and traffic")
    table = page.get_by_label("Strategies compared")
    expect(traffic.locator(".rc-broker")).to_have_count(15)
    expect(traffic).to_contain_text("exactly those that one broker knowing everything would choose")
    expect(table.get_by_role("row", name="RegularK")).to_contain_text("150 of 150")
    expect(table.get_by_role("row", name="AncestorCoverK")).to_contain_text("80 of 150")
    page.get_by_role("button", name="Publish one").click()
    expect(traffic).to_contain_text("went to 5 subscribers")
    snap(page, "overlay")
    page.get_by_role("slider", name="k, recipients each").locator("[tabindex='0']").press("ArrowLeft")
    expect(page.get_by_text("k, recipients each: 4")).to_be_visible()
    expect(table.get_by_role("row", name="AncestorCoverK")).not_to_contain_text("80 of 150")
    page.get_by_role("combobox", name="Strategy").click()
    page.get_by_role("option", name="AncestorFairK").click()
    expect(traffic).to_contain_text("AncestorFairK. As AncestorCoverK")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
