"""A world opens by one click, goes on by itself, and can be stopped."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rankcast.service.demos import MOVIES
from rankcast.store import Store

pytestmark = pytest.mark.parametrize("own_site", [("--world", "market")], indirect=True, ids=["market"])


def position(card: Any) -> int:
    found = re.search(r"([\d,]+) of", card.inner_text())
    return int(found[1].replace(",", "")) if found else 0


def test_one_click_opens_a_world_and_deliveries_appear(
    own_site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    page = visit("/worlds", at=own_site.url)
    card = page.get_by_label("World: Films")
    expect(card).to_contain_text("Not opened yet")
    card.get_by_role("button", name="100/s").click()
    card.get_by_role("button", name="Open this world").click()
    expect(card).to_contain_text("Playing")
    expect(card).to_contain_text("Last sent:")
    snap(page, "worlds")
    card.get_by_role("button", name="Pause").click()
    expect(card).to_contain_text("Paused")
    stopped = position(card)
    assert stopped >= MOVIES.start
    page.reload()
    card = page.get_by_label("World: Films")
    expect(card).to_contain_text(f"Paused · {stopped:,} of")
    with Store.open(own_site.path) as store:
        ids = [logged.event.id for logged in store.events() if logged.event.source == "films"]
    assert len(ids) == len(set(ids)) == stopped
    # The page of one who lives there shows what they got.
    card.get_by_role("button", name="See the feed of celeste").click()
    page.wait_for_url(f"{own_site.url}/")
    expect(page.locator(".rc-delivery").first).to_be_visible()
    expect(page.locator(".rc-delivery").first).to_contain_text("romance")


def test_the_command_opens_a_world_too(own_site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/worlds", at=own_site.url)
    card = page.get_by_label("World: Flats and auctions")
    expect(card).to_contain_text("Playing")
    expect(card).to_contain_text("Last sent:")
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
