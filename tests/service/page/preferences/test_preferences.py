from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def level(page: Page, number: int) -> Any:
    return page.locator(".rc-level").nth(number - 1).locator(".rc-level-item .rc-strong")


CAN_BE_DRAGGED = """() => [...document.querySelectorAll('.rc-level-items')].every(
    box => Object.keys(box).some(key => key.startsWith('Sortable')))"""
"""Boxes that were drawn anew take a moment until the library for dragging has marked them as its own."""


def test_drag_and_buttons_make_levels(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("ola", a="genre = 'a'", b="genre = 'b'", c="genre = 'c'")
    page = visit("/preferences", "ola")
    expect(level(page, 1)).to_have_text(["a", "b", "c"])
    page.get_by_role("button", name="Move ola-c down").click()
    expect(level(page, 1)).to_have_text(["a", "b"])
    expect(level(page, 2)).to_have_text(["c"])
    page.wait_for_function(CAN_BE_DRAGGED)
    grip = page.locator(".rc-level-item", has_text="ola-b").locator(".rc-grip")
    target = page.locator(".rc-new-level .rc-level-items")
    grip.hover()
    page.mouse.down()
    for step in range(100):  # as a hand does, until the item lies there
        target.hover(position={"x": 20 + step % 10, "y": 8})
        if page.locator(".rc-new-level .rc-level-item").count():
            break
        page.wait_for_timeout(50)
    page.mouse.up()
    expect(page.locator(".rc-undo")).to_contain_text("Moved ola-b")  # the service has it
    expect(level(page, 3)).to_have_text(["b"])
    expect(page.locator(".rc-graph rect")).to_have_count(3)
    expect(page.locator(".rc-pair")).to_have_count(2)
    page.reload()
    expect(level(page, 2)).to_have_text(["c"])
    expect(level(page, 3)).to_have_text(["b"])
    page.get_by_role("button", name="Move ola-b up").click()
    expect(level(page, 2)).to_have_text(["b", "c"])
    page.get_by_role("button", name="Undo").click()
    expect(level(page, 3)).to_have_text(["b"])


def test_a_circle_is_refused_in_words(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("pat", a="genre = 'drama'", b="genre = 'horror'")
    page = visit("/preferences", "pat")

    def prefer(one: str, other: str) -> None:
        for name, chosen in (("The preferred one", one), ("The other one", other)):
            page.get_by_label(name).click()
            page.get_by_role("option", name=chosen).click()
        page.get_by_role("button", name="Add", exact=True).click()

    prefer("drama", "horror")
    expect(level(page, 2)).to_have_text(["horror"])
    prefer("horror", "drama")
    expect(page.get_by_role("alert")).to_contain_text("This would make a circle: horror over drama over horror")
    expect(level(page, 2)).to_have_text(["horror"])


def test_with_one_subscription_there_is_nothing_to_compare(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/preferences", "quin")
    expect(page.get_by_text("Nothing to compare yet")).to_be_visible()
