"""A world opens by one click, goes on by itself, and can be stopped."""

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from rankcast.service.demos import MOVIES
from rankcast.store import Store

pytestmark = pytest.mark.parametrize("own_site", [("--world", "market")], indirect=True, ids=["market"])


def position(card: Any) -> int:
    found = re.search(r"([\d,]+) of", card.inner_text())
    return int(found[1].replace(",", "")) if found else 0


@contextmanager
def leaving(page: Page) -> Iterator[None]:
    """What is done inside leads to another page, which is connected afterwards: an earlier click may be lost."""
    with page.expect_navigation():
        yield
    page.wait_for_function("window.did_handshake")


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


def test_a_newcomer_gets_an_explained_delivery_of_their_own_within_two_minutes(
    own_site: Any, visit: Callable[..., Page]
) -> None:
    began = time.monotonic()
    page = visit("/", at=own_site.url)
    expect(page.locator(".rc-delivery").first).to_be_visible()  # somebody who has got something
    who = page.get_by_role("combobox", name="User", exact=False)
    who.fill("nora")
    with leaving(page):
        who.press("Enter")
    expect(page.get_by_text("Subscribe to something")).to_be_visible()
    with leaving(page):
        page.get_by_role("button", name="Subscribe").click()
    offered = page.get_by_role("group", name="Attributes of recent events").get_by_role("button").first
    name = offered.inner_text()
    offered.click()
    expect(page.get_by_label("Attribute", exact=True)).to_have_value(name)
    page.get_by_label("The same as text").fill(f"{name} exists")
    expect(page.locator(".rc-tried")).to_contain_text("of the last")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".rc-subscription")).to_have_count(1)
    with leaving(page):
        page.get_by_role("link", name="Feed").first.click()
    expect(page.locator(".rc-delivery").first).to_be_visible()
    page.get_by_role("button", name="Pause the feed").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()  # a later delivery would close what is opened
    first = page.locator(".rc-delivery").first
    first.get_by_role("button", name="Why").click()
    expect(page.locator(".rc-details:visible")).to_contain_text("Sent at event")
    assert time.monotonic() - began < 120
