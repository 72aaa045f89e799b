from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def test_one_users_subscriptions_on_several_nodes(site: Any, visit: Callable[..., Page]) -> None:
    policy = {"mode": "all", "filter": {"novelty": "threshold", "scoring": "rate", "rate": 0.5, "period": 4}}
    site.put({"kind": "policy", "user": "tina", **policy})
    site.subscribe("tina", a="part = 1", b="part = 2")
    site.publish(*({"part": 1 + at % 2} for at in range(40)))
    site.settle()
    page = visit("/monitor", "tina")
    nodes = page.get_by_label("Subscriptions on several nodes")
    nodes.get_by_role("button", name="Try").click()
    expect(nodes.get_by_role("row")).to_have_count(5)
    expect(nodes).to_contain_text("40 of")
    expect(nodes.get_by_role("row").nth(4)).to_contain_text("bits")


def test_without_a_filter_it_says_what_is_needed(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("tom", a="part = 1")
    site.publish({"part": 1})
    page = visit("/monitor", "tom")
    nodes = page.get_by_label("Subscriptions on several nodes")
    nodes.get_by_role("button", name="Try").click()
    expect(nodes).to_contain_text("a team needs a policy with a threshold or sampling filter")
