from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from rankcast.model import Reject, SetAside
from rankcast.store import Store
from rankcast.store.set_aside import keep_set_aside


def test_the_funnel_and_crisp_against_approximate_live(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    site.put({"kind": "concept", "name": "quiet", "attribute": "noise", "left_shoulder": [20, 40]})
    site.subscribe("mona", calm="noise is quiet")
    site.publish(
        {"noise": 10, "label": "a library"}, {"noise": 25, "label": "a park"}, {"noise": 90, "label": "a road"}
    )
    page = visit("/monitor", "mona")
    funnel = page.get_by_label("The funnel")
    expect(funnel.get_by_role("listitem").filter(has_text="Matched")).to_contain_text("2")
    kinds = page.get_by_label("Crisp against approximate")
    expect(kinds).to_contain_text("1 match outright")
    expect(kinds).to_contain_text("1 match only to a degree")
    expect(kinds).to_contain_text("possible 0.75")
    site.publish({"noise": {"between": [10, 30]}, "label": "<i>a café</i>"})
    expect(kinds).to_contain_text("2 match only to a degree")
    expect(kinds).to_contain_text("<i>a café</i>")
    expect(kinds).to_contain_text("possible 1.00")
    expect(kinds).to_contain_text("certain 0.50")
    expect(funnel.get_by_role("listitem").filter(has_text="Delivered")).to_contain_text("3")
    expect(page.get_by_role("img", name="Events per second").locator("path").first).to_be_attached()
    page.get_by_role("button", name="1 hour").click()
    expect(page.get_by_role("img", name="Events that waited")).to_contain_text("30 min ago")
    snap(page, "monitor")
    page.get_by_role("button", name="Everybody").click()
    expect(funnel.get_by_role("row", name="mona")).to_be_visible()


def test_rejects_stand_with_their_reasons(site: Any, visit: Callable[..., Page]) -> None:
    with Store.open(site.path) as store:
        store.reject([Reject("offers.jsonl", 7, "an event needs an id", "<script>{}</script>")])
    site.publish({"noise": 1})
    page = visit("/monitor", "mona", phone=True, dark=True)
    rejects = page.get_by_label("Rejects")
    expect(rejects).to_contain_text("an event needs an id")
    expect(rejects).to_contain_text("offers.jsonl:7")
    expect(rejects).to_contain_text("<script>{}</script>")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390


def test_what_was_set_aside_stands_with_its_reason(site: Any, visit: Callable[..., Page]) -> None:
    with Store.open(site.path) as store, store.database.writing() as connection:
        keep_set_aside(connection, [SetAside("mona", "e1", 1, 1, "OverflowError: too large")], 0)
    site.publish({"noise": 1})
    shown = visit("/monitor", "mona").get_by_role("region", name="Set aside")
    expect(shown).to_contain_text("OverflowError: too large")


def test_vague_and_crisp_over_time_and_groups(site: Any, visit: Callable[..., Page]) -> None:
    policy = {"mode": "all", "filter": {"novelty": "threshold", "scoring": "rate", "rate": 0.2, "period": 20}}
    for user in ("gina", "gabe"):
        site.put({"kind": "policy", "user": user, **policy})
        site.subscribe(user, a="lot = 1", b="lot = 2")
    site.publish(*({"lot": 1 + at % 2} for at in range(40)))
    site.settle()
    page = visit("/monitor", "gina")
    expect(page.get_by_label("Vague against crisp over time")).to_contain_text("vague")
    groups = page.get_by_label("Filters that users could share")
    groups.get_by_role("button", name="Compare").click()
    expect(groups.get_by_role("row").nth(1)).to_contain_text("80 → 40")
    expect(groups).to_contain_text("gabe, gina")
