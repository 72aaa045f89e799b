"""The editor of concepts: what one drags, types or presses changes the matches, and is kept."""

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from rankcast.store import Store

ATTRIBUTE = "fee"


@pytest.fixture(scope="module")
def told(site: Any) -> Any:
    """Sixty events with a fee of 1 to 60."""
    site.publish(*({"fee": fee, "label": f"offer {fee}"} for fee in range(1, 61)))
    return site


def begin(site: Any, user: str, name: str = "cheap", **form: Any) -> None:
    """A concept of the user's own, and a subscription that uses it."""
    shape = form or {"left_shoulder": [20, 40]}
    site.put(
        {"kind": "concept", "name": name, "attribute": ATTRIBUTE, "user": user, **shape},
        {"kind": "subscription", "id": f"{user}-wish", "user": user, "where": f"fee is {name}"},
    )


def numbers(site: Any, user: str | None, name: str = "cheap") -> Any:
    with Store.open(site.path) as store:
        return store.catalog().concepts[ATTRIBUTE, name, user].membership


def effects(page: Page) -> Locator:
    return page.get_by_label("What would change")


def opened(visit: Callable[..., Page], user: str, name: str = "cheap", **options: Any) -> Page:
    page = visit(f"/concepts?attribute={ATTRIBUTE}&concept={name}&for={user}", user, **options)
    expect(page.get_by_role("heading", name=f"fee is {name}")).to_be_visible()
    return page


def dot(page: Page, number: int) -> tuple[float, float]:
    box = page.locator(f"[data-handle='{number}'] .rc-dot").bounding_box()
    assert box is not None
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def drag(page: Page, number: int, *ways: tuple[float, float]) -> None:
    """Take a dot and move it by so much, again and again, without letting go."""
    x, y = dot(page, number)
    page.mouse.move(x, y)
    page.mouse.down()
    for right, down in ways:
        page.mouse.move(x + right, y + down, steps=4)


def test_dragging_a_point_changes_the_matches_and_saving_keeps_it(
    told: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    begin(told, "dana")
    page = opened(visit, "dana")
    expect(effects(page).get_by_role("row", name="dana-wish")).to_contain_text("30")
    x, _ = dot(page, 1)
    drag(page, 1, (60, 0), (120, -30))
    expect(effects(page).get_by_role("row", name="dana-wish")).to_contain_text("30 →")
    expect(effects(page).get_by_role("row", name="dana-wish")).to_contain_text("+ offer")
    page.mouse.up()
    snap(page, "concepts")
    let_go = page.get_by_role("slider", name="cheap: no more from").get_attribute("aria-valuenow") or ""
    expect(page.get_by_label("no more from", exact=True)).to_have_value(let_go)
    dragged = float(let_go)
    assert dragged > 45
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: cheap on fee")).to_be_visible()
    assert numbers(told, "dana").b == dragged
    page.reload()
    expect(page.get_by_label("no more from", exact=True)).to_have_value(f"{dragged:g}")
    assert dot(page, 1)[0] > x + 60


def test_numbers_can_be_typed_and_the_new_meaning_is_delivered_by(told: Any, visit: Callable[..., Page]) -> None:
    begin(told, "dora")
    page = opened(visit, "dora")
    page.get_by_label("no more from", exact=True).fill("60")
    row = effects(page).get_by_role("row", name="dora-wish")
    expect(row).to_contain_text("30 → 40 (+10)")
    expect(effects(page)).to_contain_text("fee is cheap to at least 0.5 in 30 → 40 (+10) of the last")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: cheap on fee")).to_be_visible()
    expect(row).not_to_contain_text("→")
    told.publish({"fee": 39, "label": "only cheap since then"})
    feed = visit("/", "dora")
    expect(feed.get_by_role("heading", name="only cheap since then")).to_be_visible()


def test_a_point_moves_by_keyboard_and_what_cannot_be_is_refused(told: Any, visit: Callable[..., Page]) -> None:
    begin(told, "dee", left_shoulder=[10, 20])
    page = opened(visit, "dee")
    handle = page.get_by_role("slider", name="cheap: no more from")
    handle.focus()
    for _ in range(3):
        page.keyboard.press("Shift+ArrowRight")
    field = page.get_by_label("no more from", exact=True)
    expect(handle).not_to_have_attribute("aria-valuenow", "20")
    expect(field).to_have_value(handle.get_attribute("aria-valuenow") or "")
    expect(effects(page).get_by_role("row", name="dee-wish")).to_contain_text("15 →")
    field.fill("3")
    expect(page.get_by_role("alert").filter(has_text="ascending order")).to_be_visible()
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    field.fill("33")
    expect(page.get_by_role("button", name="Save")).to_be_enabled()
    page.get_by_role("button", name="Undo changes").click()
    expect(field).to_have_value("20")


def test_the_form_can_be_changed_and_points_added_and_removed(told: Any, visit: Callable[..., Page]) -> None:
    begin(told, "don", triangle=[10, 20, 40])
    page = opened(visit, "don")
    page.get_by_label("Form of the function").click()
    page.get_by_role("option", name="Points of your own").click()
    expect(page.locator("[data-handle]")).to_have_count(3)
    page.get_by_role("button", name="Add a point").click()
    expect(page.locator("[data-handle]")).to_have_count(4)
    page.locator("[data-handle='0']").focus()
    page.keyboard.press("Delete")
    expect(page.locator("[data-handle]")).to_have_count(3)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: cheap on fee")).to_be_visible()
    assert numbers(told, "don").corners == ((20, 1.0), (40, 0.0), (40, 0.0))


def test_the_data_proposes_concepts(told: Any, visit: Callable[..., Page]) -> None:
    begin(told, "dot", name="dear", right_shoulder=[40, 50])
    page = opened(visit, "dot", "dear")
    page.get_by_role("button", name="Propose from the data").click()
    expect(page.get_by_role("heading", name="concepts proposed for fee")).to_be_visible()
    page.get_by_role("button", name="Use them for dot").click()
    expect(page.get_by_text("concepts on fee")).to_be_visible()
    with Store.open(told.path) as store:
        mined = {name for attribute, name, user in store.catalog().concepts if (attribute, user) == ("fee", "dot")}
    assert mined >= {"cheap", "expensive", "dear"}


def test_a_proposal_that_replaces_shared_concepts_says_for_whom_asks_and_can_be_undone(
    told: Any, visit: Callable[..., Page]
) -> None:
    told.put(
        {"kind": "concept", "name": "cheap", "attribute": ATTRIBUTE, "left_shoulder": [2, 4]},
        {"kind": "concept", "name": "cheap", "attribute": ATTRIBUTE, "user": "dee2", "left_shoulder": [2, 4]},
        {"kind": "subscription", "id": "dirk-wish", "user": "dirk", "where": "fee is cheap"},
    )
    page = visit(f"/concepts?attribute={ATTRIBUTE}&concept=cheap", "dirk")
    page.get_by_role("button", name="Propose from the data").click()
    page.get_by_role("button", name="Use them for everybody").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("This replaces 1 meaning in use")
    expect(dialog.get_by_role("row", name="dirk-wish")).to_contain_text(re.compile(r"\d+ → \d+"))
    expect(dialog).to_contain_text("dee2")
    assert numbers(told, None).b == 4
    dialog.get_by_role("button", name="Replace 1").click()
    expect(page.get_by_text("concepts on fee")).to_be_visible()
    assert numbers(told, None).b != 4
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(".rc-undo")).to_have_count(0)
    assert numbers(told, None).b == 4
    with Store.open(told.path) as store:
        assert [key for key in store.catalog().concepts if key[0] == ATTRIBUTE and key[2] is None] == [
            (ATTRIBUTE, "cheap", None)
        ]
        store.change(remove=[store.catalog().subscriptions["dirk-wish"]])


def test_a_meaning_of_ones_own_begins_as_the_curve_was_dragged(told: Any, visit: Callable[..., Page]) -> None:
    told.put({"kind": "concept", "name": "fair", "attribute": ATTRIBUTE, "left_shoulder": [10, 20]})
    page = visit(f"/concepts?attribute={ATTRIBUTE}&concept=fair", "drew")
    end = page.get_by_label("no more from", exact=True)
    expect(end).to_have_value("20")
    drag(page, 1, (60, 0))
    page.mouse.up()
    expect(end).not_to_have_value("20")
    dragged = end.input_value()
    own = page.get_by_role("button", name="My own meaning, for drew")
    own.click()
    expect(own).to_have_count(0)
    expect(end).to_have_value(dragged)
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_text("Saved: fair on fee")).to_be_visible()
    assert (numbers(told, None, "fair").b, numbers(told, "drew", "fair").b) == (20, float(dragged))


def test_texts_have_a_degree_each(told: Any, visit: Callable[..., Page]) -> None:
    told.publish({"shade": "red"}, {"shade": "red"}, {"shade": "blue"})
    told.put(
        {"kind": "concept", "name": "warm", "attribute": "shade", "user": "dune", "table": {"red": 1, "blue": 0.2}},
        {"kind": "subscription", "id": "dune-wish", "user": "dune", "where": "shade is warm"},
    )
    page = visit("/concepts?attribute=shade", "dune")
    handle = page.get_by_role("slider", name="warm: blue")
    handle.focus()
    for _ in range(2):
        page.keyboard.press("Shift+ArrowUp")
    expect(handle).to_have_attribute("aria-valuenow", "0.6")
    expect(effects(page).get_by_role("row", name="dune-wish")).to_contain_text("2 → 3 (+1)")


def test_names_are_shown_as_text_and_a_phone_has_room(
    told: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    name = "<img src=x onerror=alert(1)>"
    told.put({"kind": "concept", "name": name, "attribute": ATTRIBUTE, "user": "dix", "triangle": [1, 2, 3]})
    page = visit(f"/concepts?attribute={ATTRIBUTE}&for=dix", "dix", phone=True, dark=True)
    expect(page.get_by_role("heading", name=f"fee is {name}")).to_be_visible()
    assert page.locator("main img").count() == 0
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    snap(page, "concepts-phone")


def test_mined_meanings_are_shown_for_whom_and_undone(site: Any, visit: Callable[..., Page]) -> None:
    site.publish(*({"toll": 100 * group + place} for place in range(20) for group in (1, 4, 9)))
    page = visit("/concepts?attribute=toll", "mina")
    mining = page.get_by_label("Mined meanings")
    expect(mining).to_contain_text("Mining has changed nothing here yet")
    expect(mining).to_contain_text("only when an administrator asks")
    mining.get_by_role("button", name="Mine now").click()
    expect(mining).to_contain_text("low, medium, high")
    site.subscribe("mina", low="toll is low")
    site.publish(*({"toll": 300 * group + place} for place in range(60) for group in (1, 4, 9)))
    mining.get_by_role("button", name="Mine now").click()
    expect(mining.get_by_role("row", name="mina-low")).to_be_visible()
    with Store.open(site.path) as store:
        moved = store.catalog().concepts["toll", "low", None].membership
    mining.get_by_role("button", name="Undo run").click()
    expect(mining).to_contain_text("undone")
    with Store.open(site.path) as store:
        assert store.catalog().concepts["toll", "low", None].membership != moved


def test_the_data_proposes_tables_for_texts(site: Any, visit: Callable[..., Page]) -> None:
    kinds = (("flat", 500), ("room", 500), ("villa", 5000), ("castle", 5000))
    site.publish(*({"abode": kind, "rate": rate + place} for place in range(25) for kind, rate in kinds))
    page = visit("/concepts?attribute=abode", "mina")
    page.get_by_role("button", name="Propose from the data").click()
    expect(page.get_by_role("heading", name="2 concepts proposed for abode")).to_be_visible()
