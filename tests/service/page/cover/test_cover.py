from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_the_graph_shows_what_covers_what_and_an_event_on_its_way(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    site.subscribe("cody", tall="height > 100", taller="height > 200", tallest="height > 300", wide="width > 5")
    site.publish({"height": 250, "label": "a tower"}, {"height": 50, "label": "a hut"})
    page = visit("/cover", "cody")
    graph = page.get_by_label("Graph")
    expect(graph.get_by_role("button")).to_have_count(4)
    details = page.get_by_label("The chosen subscription")
    graph.get_by_role("button", name="height above 200").focus()
    page.keyboard.press("Enter")
    expect(details.get_by_role("heading", name="height above 200")).to_be_visible()
    expect(details).to_contain_text("Directly covered by")
    expect(details).to_contain_text("Directly covers")
    expect(details).to_contain_text("a tower")
    page.get_by_role("button", name="Find one that matches").click()
    expect(page.locator(".rc-main")).to_contain_text("“a tower” was compared with 4 of 4 boxes and matches 2")
    expect(graph.locator(".rc-hit")).to_have_count(2)
    expect(graph.locator(".rc-miss")).to_have_count(2)
    red = "getComputedStyle(document.documentElement).getPropertyValue('--rc-bad')"
    assert page.evaluate(red) == "#b3261e"
    expect(graph.locator(".rc-miss rect").first).not_to_have_css("stroke", "rgb(179, 38, 30)")  # it is no error
    expect(graph.locator(".rc-miss rect").first).to_have_css("stroke-dasharray", "4px, 3px")
    snap(page, "cover")
    details.get_by_role("button", name="height above 300").click()
    expect(details).to_contain_text("Matches 0 of the last")


def test_nobody_s_graph_says_so_and_fits_a_phone(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("cyd", tall="height > 100")
    page = visit("/cover", "nobody-yet", phone=True, dark=True)
    expect(page.locator(".rc-main")).to_contain_text("nobody-yet has no subscriptions")
    expect(page.get_by_label("Graph")).to_be_hidden()
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
