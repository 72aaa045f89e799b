"""Advertisements on the page: made, changed, published under with a smaller k, withdrawn and brought back."""

from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from rankcast.model import Advertisement
from rankcast.store import Store


def kept(site: Any, name: str) -> Advertisement | None:
    with Store.open(site.path) as store:
        return store.catalog().advertisements.get(name)


def test_a_promise_from_beginning_to_end(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    site.subscribe("nora", wide="toll between 0 and 90", narrow="toll between 10 and 30", other="toll > 200")
    page = visit("/advertisements", "nora")
    page.get_by_role("button", name="New advertisement").first.click()
    page.get_by_label("Id", exact=True).fill("tolls")
    page.get_by_label("Publisher").fill("roads")
    page.get_by_label("Expression that its publications match").fill("toll between 0 and")
    page.get_by_label("Recipients per publication (k)").fill("2")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".q-notification")).to_contain_text("where a value should be")
    assert kept(site, "tolls") is None
    page.get_by_label("Expression that its publications match").fill("toll between 0 and 100")
    snap(page, "advertisement-editor")
    page.get_by_role("button", name="Save").click()
    listed = page.get_by_role("listitem").filter(has_text="tolls")
    expect(listed).to_contain_text("by roads, to the 2 best each, by relevance")
    snap(page, "advertisements")
    phone = visit("/advertisements", "nora", phone=True)
    phone.get_by_role("button", name="Change tolls").click()
    expect(phone.get_by_label("Expression that its publications match")).to_have_value("toll between 0 and 100")
    snap(phone, "advertisements-phone")

    page.get_by_role("button", name="Change tolls").click()
    page.get_by_label("Recipients per publication (k)").fill("1")
    page.get_by_role("button", name="Save").click()
    expect(listed).to_contain_text("to the best each")
    changed = kept(site, "tolls")
    assert changed is not None
    assert (changed.k, changed.publisher) == (1, "roads")

    page.get_by_role("button", name="Publish under tolls").click()
    page.get_by_label("Attributes, as JSON").fill('{"toll": 300}')
    page.get_by_role("button", name="Publish it").click()
    expect(page.get_by_text("is outside the space of advertisement 'tolls'")).to_be_visible()
    page.get_by_label("Attributes, as JSON").fill('{"toll": 20}')
    page.get_by_role("button", name="Publish it").click()
    expect(page.get_by_text("to its best match.")).to_be_visible()
    snap(page, "advertisement-published")
    site.settle()
    with Store.open(site.path) as store:
        sent = [one for _, one in store.deliveries("nora")]
    assert [one.subscriptions for one in sent] == [("nora-wide",)]
    page.get_by_role("button", name="Close", exact=True).first.click()

    page.get_by_role("button", name="Withdraw tolls").click()
    expect(page.get_by_text("Withdrew tolls")).to_be_visible()
    assert kept(site, "tolls") is None
    page.get_by_role("button", name="Undo").click()
    expect(listed).to_be_visible()
    assert kept(site, "tolls") == changed
