from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from rankcast.store import Store, WebhookLog


def webhooks(site: Any, user: str) -> list[Any]:
    with Store.open(site.path) as store:
        return list(WebhookLog(store.database).webhooks(user))


def test_a_webhook_is_added_tried_paused_and_removed(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/notifications", "wanda")
    section = page.get_by_role("region", name="Webhooks")
    expect(section).to_contain_text("No webhooks yet")
    section.get_by_label("Address of a new webhook").fill("ftp://example.com/hook")
    section.get_by_role("button", name="Add the webhook").click()
    expect(page.get_by_role("alert")).to_contain_text("http")
    section.get_by_label("Address of a new webhook").fill("https://rankcast.invalid/hook")
    section.get_by_role("button", name="Add the webhook").click()
    expect(section).to_contain_text("It is shown only this once")
    expect(section.get_by_role("listitem")).to_contain_text("active")
    section.get_by_role("button", name="Send a test message").click()
    expect(page.get_by_text("The test failed")).to_be_visible()
    section.get_by_role("button", name="Pause").click()
    expect(section.get_by_role("listitem")).to_contain_text("paused")
    assert [one.active for one in webhooks(site, "wanda")] == [False]
    page.get_by_role("button", name="Undo").click()
    expect(section.get_by_role("listitem")).to_contain_text("active")
    section.get_by_role("button", name="Remove https").click()
    page.get_by_role("dialog").get_by_role("button", name="Remove").click()
    expect(section).to_contain_text("No webhooks yet")
    assert webhooks(site, "wanda") == []


def test_quiet_hours_and_digest_are_kept(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("tea", all="series = 'tea'")
    page = visit("/notifications", "tea")
    section = page.get_by_role("region", name="Quiet hours and digests")
    section.get_by_role("switch", name="Quiet from").click()
    section.get_by_label("Quiet hours begin").fill("21:30")
    section.get_by_label("Time zone").fill("Europe/Berlin")
    section.get_by_label("Digest", exact=True).click()
    page.get_by_role("option", name="On weekdays").click()
    section.get_by_role("button", name="Save quiet hours and digest").click()
    expect(page.get_by_text("Saved", exact=True)).to_be_visible()
    page.reload()
    expect(section.get_by_label("Quiet hours begin")).to_have_value("21:30")
    expect(section.get_by_label("Time zone")).to_have_value("Europe/Berlin")
    expect(section.get_by_text("On weekdays")).to_be_visible()
    page.wait_for_function("window.did_handshake")  # before, a click may overtake what was filled in
    section.get_by_label("Time zone").fill("Europe/Berlyn")
    section.get_by_role("button", name="Save quiet hours and digest").click()
    expect(page.get_by_text("there is no time zone 'Europe/Berlyn'")).to_be_visible()
