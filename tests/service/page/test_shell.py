from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from rankcast.service.access import Access, Role
from rankcast.service.page import PAGES
from rankcast.store import Store


def colour(page: Page, selector: str, name: str = "backgroundColor") -> str:
    return str(page.locator(selector).first.evaluate(f"element => getComputedStyle(element).{name}"))


def test_all_by_keyboard(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/", "uma")
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    page.keyboard.press("Tab")
    skip = page.get_by_role("link", name="Skip to the page")
    expect(skip).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("main")).to_be_focused()
    press_until(page, "Subscribe")
    assert "rgb(11, 110, 117)" in page.evaluate("getComputedStyle(document.activeElement).boxShadow")
    page.keyboard.press("Enter")
    page.wait_for_selector(".rc-editor")
    press_until(page, "Attribute")
    page.keyboard.type("series")
    press_until(page, "Value")
    page.keyboard.type("uma")
    expect(page.get_by_label("The same as text")).to_have_value("series = 'uma'")
    expect(page.get_by_role("button", name="Save")).to_be_enabled()
    press_until(page, "Save")
    page.keyboard.press("Enter")
    expect(page.locator(".rc-subscription h2")).to_have_text("Series is uma")


def press_until(page: Page, name: str) -> None:
    """Press Tab until something with that name has the focus."""
    for _ in range(40):
        page.keyboard.press("Tab")
        text = "(e => (e.getAttribute('aria-label') || e.innerText || '').trim())(document.activeElement)"
        if str(page.evaluate(text)).split("\n")[-1] == name:
            return
    raise AssertionError(f"nothing called {name!r} can be reached by Tab")


def test_a_phone_has_a_bar_below_and_nothing_is_cut_off(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("vic", a="series = 'vic'", b="series = 'vic' and a_rather_long_name_of_an_attribute contains 'x'")
    site.publish({"title": "Donaudampfschifffahrtsgesellschaft" * 3, "series": "vic"})
    page = visit("/", "vic", phone=True)
    expect(page.locator(".rc-delivery")).to_be_visible()
    bar = page.locator(".rc-bottom")
    expect(bar).to_be_visible()
    expect(page.locator(".rc-side")).to_be_hidden()
    for name in ("Subscriptions", "Preferences", "Policy", "Feed"):
        bar.get_by_role("link", name=name).click()
        expect(page.get_by_role("heading", level=1)).to_have_text(name)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), name
    bar.get_by_role("button", name="More pages").click()
    for other in PAGES:
        if not other.main:
            expect(page.locator(".rc-menu").get_by_role("link", name=other.title)).to_be_visible()
    page.locator(".rc-menu").get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_dark_by_the_system_and_by_choice(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/", "wes", dark=True)
    expect(page.locator("body.body--dark")).to_be_visible()
    assert colour(page, "body") == "rgb(18, 20, 22)"
    page.get_by_role("button", name="Light or dark").click()
    page.get_by_role("menuitem", name="Light").click()
    expect(page.locator("body.body--light")).to_be_visible()
    assert colour(page, "body") == "rgb(246, 245, 242)"
    page.reload()
    expect(page.locator("body.body--light")).to_be_visible()
    assert colour(page, "body") == "rgb(246, 245, 242)"


def test_a_lost_connection_is_shown_and_heals(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("xia", all="series = 'xia'")
    page = visit("/", "xia", errors=False)
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    page.evaluate("window.socket.io.engine.close()")
    page.context.set_offline(True)
    expect(page.locator("#popup")).to_be_visible()
    site.publish({"title": "While you were away", "series": "xia"})
    page.context.set_offline(False)
    expect(page.locator("#popup")).to_be_hidden()
    expect(page.locator(".rc-delivery h2")).to_have_text("While you were away")


def test_there_is_no_such_page(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/nowhere/<b>at all</b>", errors=False)
    expect(page.get_by_role("heading", name="There is no such page")).to_be_visible()
    page.get_by_role("link", name="To the feed").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Feed")


def test_pages_and_users_are_found_by_keyboard(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("yves", all="series = 'yves'")
    page = visit("/", "yara")
    page.keyboard.press("Control+k")
    finder = page.get_by_role("combobox", name="Page or user")
    expect(finder).to_be_focused()
    finder.fill("cover")
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", level=1)).to_have_text("Cover graph")
    page.wait_for_function("window.did_handshake")
    page.keyboard.press("/")
    page.get_by_role("combobox", name="Page or user").fill("as yves")
    expect(page.get_by_role("option", name="As yves")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.get_by_role("combobox", name="User", exact=False)).to_have_value("yves")
    site.publish({"title": "A film", "series": "yves"})
    expect(page.locator(".rc-delivery")).to_be_visible()
    page.keyboard.press("/")
    expect(page.get_by_label("Filter the deliveries")).to_be_focused()


def test_the_tour_has_four_steps(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/monitor", "yara")
    page.get_by_role("button", name="Take the tour").click()
    for number, title in enumerate(("Feed", "Subscriptions", "Policy", "Worlds"), 1):
        step = page.get_by_role("dialog", name=f"Tour, step {number} of 4")
        expect(step).to_be_visible()
        expect(page.get_by_role("heading", level=1)).to_have_text(title)
        step.get_by_role("button", name="Done" if number == 4 else "Next").click()
    expect(page.get_by_role("dialog")).to_have_count(0)
    page.reload()
    expect(page.get_by_role("heading", level=1)).to_have_text("Worlds")
    expect(page.get_by_role("button", name="Take the tour")).to_be_hidden()


def test_another_user_is_one_choice_away(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("yan", all="series = 'yan'")
    page = visit("/subscriptions", "nobody yet")
    expect(page.get_by_text("No subscriptions yet")).to_be_visible()
    who = page.get_by_role("combobox", name="User")
    who.fill("yan")
    page.get_by_role("option", name="yan", exact=True).click()
    expect(page.locator(".rc-subscription h2")).to_have_text("Series is yan")
    page.reload()
    expect(page.locator(".rc-subscription h2")).to_have_text("Series is yan")


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory, serving: Callable[..., Iterator[Any]]) -> Iterator[Any]:
    yield from serving(tmp_path_factory.mktemp("guarded"))


def test_with_tokens_one_signs_in_and_sees_only_what_is_theirs(
    guarded: Any, site: Any, visit: Callable[..., Page], chromium: Browser, tmp_path: Path
) -> None:
    guarded.subscribe("zoe", mine="series = 'zoe'")
    guarded.subscribe("abe", mine="series = 'abe'")
    with Store.open(guarded.path) as store:
        token, kept = Access(store).create(Role.USER, "zoe")
        publisher, _ = Access(store).create(Role.PUBLISHER, "shop")
    page = visit("/subscriptions", "abe", at=guarded.url, errors=False)
    expect(page.get_by_role("heading", name="Sign in to Rankcast")).to_be_visible()
    for wrong in ("rc_wrong", publisher):
        page.get_by_label("Token").fill(wrong)
        page.get_by_role("button", name="Sign in").click()
        expect(page.get_by_role("alert")).to_contain_text("no token of a user or an administrator")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    # The cookie that names another user is of no use to one who is not an administrator.
    expect(page.locator(".rc-subscription h2")).to_have_text("Series is zoe")
    expect(page.get_by_role("combobox", name="User")).to_have_count(0)
    assert token not in page.evaluate("document.cookie")
    with Store.open(guarded.path) as store:
        Access(store).revoke(kept.id)
    page.wait_for_timeout(1100)
    page.reload()
    expect(page.get_by_role("heading", name="Sign in to Rankcast")).to_be_visible()


def test_pages_stand_in_three_groups_beside_api_and_help(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/", "yara")
    side = page.locator(".rc-side")
    expect(side.locator(".rc-group-title")).to_have_text(["Yours", "Operation", "Learning"])
    expect(side.locator("a.rc-entry span")).to_have_text([*(one.title for one in PAGES), "API"])
    expect(side.get_by_role("link", name="API")).to_have_attribute("href", "/v1/docs")
    side.get_by_role("button", name="Help").click()
    expect(page.get_by_role("dialog")).to_be_visible()


def test_on_a_phone_saving_is_in_reach_and_a_drawing_shows_that_there_is_more(
    site: Any, visit: Callable[..., Page]
) -> None:
    site.subscribe("yann", **{f"s{at}": f"series = 'yann' and height > {at}" for at in (1, 2)}, w="width > 5")
    page = visit("/policy", "yann", phone=True)
    save = page.get_by_role("button", name="Save", exact=True)
    expect(save).to_be_in_viewport()
    page.goto(site.url + "/subscriptions?new=&text=(genre = 'a' and x < 1) or (genre = 'b' and x > 2)")
    expect(page.get_by_role("group", name="Group 2")).to_be_visible()
    page.evaluate("scrollTo(0, 0)")
    expect(save).to_be_in_viewport()
    page.goto(site.url + "/overlay")
    drawn = page.locator(".rc-drawing").first
    expect(drawn.locator(".rc-broker").first).to_be_visible()
    assert drawn.evaluate("e => e.scrollWidth > e.clientWidth && e.tabIndex === 0")
    assert drawn.evaluate("e => getComputedStyle(e).backgroundAttachment") == "local, local, scroll, scroll"
