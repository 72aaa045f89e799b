"""The graph of all users, each with their own concepts."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_words_of_one_user_and_words_that_users_mean_differently(own_site: Any, visit: Callable[..., Page]) -> None:
    concept = {"kind": "concept", "attribute": "price"}
    own_site.put(
        {**concept, "name": "cheap", "left_shoulder": [10, 20]},
        {**concept, "name": "cheap", "user": "ann", "left_shoulder": [100, 200]},
        {**concept, "name": "odd", "user": "ann", "between": [1, 30]},
    )
    own_site.subscribe("ann", cheap="price is cheap", odd="price is odd")
    own_site.subscribe("bob", cheap="price is cheap", all="price > 0")
    own_site.publish({"price": 90, "label": "a lamp"})
    own_site.settle()
    page = visit("/cover", "ann", at=own_site.url)
    graph = page.get_by_label("Graph")
    expect(graph.get_by_role("button")).to_have_count(2)
    page.get_by_role("button", name="Everybody").click()
    expect(graph.get_by_role("button")).to_have_count(4)
    expect(graph.get_by_role("button", name="price is odd")).to_have_count(1)
    expect(graph.get_by_role("button", name="price is cheap")).to_have_count(2)
    page.get_by_role("button", name="Find one that matches").click()
    expect(page.locator(".rc-main")).to_contain_text("“a lamp” was compared with")
    expect(page.locator(".rc-main")).to_contain_text("matches 2")
    expect(page.locator(".rc-main")).to_contain_text("ann-cheap")
    expect(page.locator(".rc-main")).to_contain_text("bob-all")
    details = page.get_by_label("The chosen subscription")
    for user, matched in (("ann", 1), ("bob", 0)):
        for at in range(2):
            graph.get_by_role("button", name="price is cheap").nth(at).focus()
            page.keyboard.press("Enter")
            expect(details.get_by_role("heading", name="price is cheap")).to_be_visible()
            if details.get_by_text(f"{user} · {user}-cheap").count():
                expect(details).to_contain_text(f"Matches {matched} of the last")
                break
        else:
            raise AssertionError(f"no box of {user}")
