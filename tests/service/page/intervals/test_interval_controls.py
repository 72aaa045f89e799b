"""Scenario 2 of A-ToPSS on the page: the ends of a publication are moved, and the aggregation is chosen."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_moving_an_end_and_choosing_the_aggregation_change_who_matches(site: Any, visit: Callable[..., Page]) -> None:
    site.put({"kind": "concept", "name": "brief", "attribute": "minutes", "left_shoulder": [40, 60]})
    site.put({"kind": "concept", "name": "near", "attribute": "miles", "left_shoulder": [10, 20]})
    site.subscribe("ivan", both="minutes is brief and miles is near", sure="minutes is brief [pessimistic]")
    site.publish({"minutes": 0, "miles": 15}, {"minutes": 90, "miles": 15})
    page = visit("/intervals", "ivan")
    expect(page.get_by_label("The publication")).to_contain_text("minutes between 30 and 60")
    expect(page.get_by_role("combobox", name="Attribute")).to_have_value("minutes")
    told = page.get_by_role("region", name="Matches against the width")
    expect(told).to_contain_text("1 of 2 subscriptions match")
    drawn = told.locator("svg").first
    before = drawn.inner_html()
    page.get_by_role("slider", name="The other end").press("Home")  # between 0 and 30: surely brief
    expect(page.get_by_label("The publication")).to_contain_text("minutes between 0 and 30")
    expect(told).to_contain_text("2 of 2 subscriptions match, 2 crisply")
    assert drawn.inner_html() != before
    table = page.get_by_role("region", name="Who matches")
    row = table.get_by_role("row").filter(has_text="miles")
    expect(row).to_contain_text("0.50 possible")
    page.get_by_role("slider", name="The other end").press("End")
    page.get_by_role("slider", name="One end").press("End")
    page.get_by_role("slider", name="One end").press("Home")
    expect(page.get_by_label("The publication")).to_contain_text("minutes between 0 and 90")
    expect(told).to_contain_text("1 of 2 subscriptions match")  # it may be brief, and it is not sure
    page.get_by_role("slider", name="One end").fill("49.5")
    page.get_by_role("slider", name="The other end").fill("60.3")
    expect(row).to_contain_text("0.50 possible")  # the lesser of 0.525 and 0.5
    page.get_by_role("combobox", name="Degrees combine by").click()
    page.get_by_role("option", name="Product").click()
    expect(row).to_contain_text("0.26 possible")
