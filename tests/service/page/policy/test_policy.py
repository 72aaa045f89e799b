from collections.abc import Callable
from dataclasses import replace
from typing import Any

from playwright.sync_api import Page, expect

from rankcast.model import (
    Aggregate,
    Credit,
    Decaying,
    DistanceName,
    Filter,
    Levels,
    Norm,
    NoveltyPart,
    ObjectiveName,
    Policy,
    RateSpan,
    Update,
)
from rankcast.model.declared import declared
from rankcast.store import Store


def sent(page: Page, side: str) -> Any:
    return page.get_by_role("region", name=side).locator(".rc-sent li")


def test_a_policy_is_tried_at_once_and_saved(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("ray", good="series = 'ray' and genre = 'drama'", other="series = 'ray'")
    site.put({"kind": "preference", "user": "ray", "prefer": "ray-good", "over": "ray-other"})
    genres = ["drama", "short", "horror"] * 4
    site.publish(*({"title": f"{genre} {at}", "genre": genre, "series": "ray"} for at, genre in enumerate(genres)))
    page = visit("/policy", "ray")
    expect(page.locator(".rc-policy-words")).to_have_text("Everything that matches is sent at once.")
    expect(sent(page, "Saved policy")).to_have_count(12)
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Periodic").click()
    page.get_by_label("Length", exact=True).fill("12")
    expect(page.locator(".rc-policy-words")).to_have_text("Every 12 events: the 5 best, by what you prefer.")
    most = page.get_by_role("slider", name="At most")
    for _ in range(3):
        most.press("ArrowLeft")
    expect(page.locator(".rc-policy-words")).to_contain_text("the 2 best")
    expect(page.get_by_text("Both send")).to_be_visible()
    page.wait_for_function("location.search.includes('draft')")
    page.reload()
    expect(page.locator(".rc-policy-words")).to_contain_text("Every 12 events: the 2 best")
    expect(sent(page, "Saved policy")).to_have_count(12)
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It applies from the next event on")).to_be_visible()
    page.get_by_role("button", name="Undo", exact=True).click()
    expect(page.locator(".rc-undo")).to_have_count(0)
    page.goto(site.url + "/policy")
    expect(page.locator(".rc-policy-words")).to_have_text("Everything that matches is sent at once.")


def test_every_control_updates_the_backtest(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("roy", all="series = 'roy'")
    site.publish(*({"title": f"film {at}", "series": "roy"} for at in range(8)))
    page = visit("/policy", "roy")
    expect(sent(page, "Saved policy")).to_have_count(8)
    page.get_by_role("button", name="Sliding").click()
    expect(page.get_by_text("All events rank the same, and of equal events the newer one wins")).to_be_visible()
    expect(sent(page, "New policy")).to_have_count(8)
    page.get_by_role("button", name="History").click()
    expect(sent(page, "New policy")).to_have_count(5)
    expect(page.get_by_text("All events rank the same")).to_be_hidden()
    page.get_by_role("button", name="Periodic").click()
    page.get_by_label("Length", exact=True).fill("400")
    expect(sent(page, "New policy")).to_have_count(5)
    page.goto(site.url + "/policy")
    expect(sent(page, "Saved policy")).to_have_count(8)
    sample = page.get_by_text("Tried on the last").inner_text().split(",")[0]
    page.get_by_label("Novelty filter").last.click()
    page.get_by_role("option", name="By chance").click()
    expect(page.get_by_role("region", name="New policy")).to_be_visible()
    expect(page.get_by_text(sample)).to_be_visible()


def test_presets_and_what_cannot_be(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/policy", "sam")
    expect(page.get_by_text("Nothing to try it on")).to_be_visible()
    page.get_by_role("button", name="Only the best").click()
    expect(page.locator(".rc-policy-words")).to_have_text("Every day: the 3 best, by what you prefer.")
    page.get_by_role("slider", name="Preference").press("Home")
    expect(page.get_by_text("'score' needs at least one part with a weight above 0")).to_be_visible()
    expect(page.get_by_role("button", name="Save", exact=True)).to_be_disabled()
    page.get_by_role("button", name="Surprise me").click()
    expect(page.locator(".rc-policy-words")).to_contain_text(
        "A filter first lets through only the best 20% of what matches."
    )


def test_every_declared_field_has_a_control(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/policy", "uma")
    page.get_by_role("button", name="Surprise me").click()
    expect(page.locator(".rc-policy-words")).to_contain_text(
        "A filter first lets through only the best 20% of what matches."
    )
    page.get_by_role("button", name='Expand "Advanced"').click()
    for title in (
        "Rank",
        "Variety",
        "Windows and periods",
        "Novelty in the rank",
        "Decaying novelty",
        "Novelty filter",
    ):
        expect(page.get_by_role("group", name=title, exact=True).last).to_be_visible()
    for record in (Policy, Filter, NoveltyPart, Decaying):
        for field in declared(record):
            if field.name not in (
                "user",
                "mode",
                "k",
                "length",
                "sigma",
                "score",
                "novelty",
                "rate",
                "minimum",
                "decay",
                "filter",
            ):
                expect(page.get_by_text(field.about.label, exact=True).first).to_be_visible()
                expect(page.get_by_text(field.about.help, exact=True).first).to_be_visible()
    page.get_by_label("Matches in a period").fill("1000001")
    expect(page.get_by_text("period is 1000001; it must lie in 1..1,000,000")).to_be_visible()
    page.get_by_label("Matches in a period").fill("500")
    page.get_by_label("The filter updates").click()
    page.get_by_role("option", name="With every event").click()
    page.get_by_label("Worth of sources").fill("imdb=0.5")
    page.get_by_label("Degree of several conditions").click()
    page.get_by_role("option", name="Product").click()
    page.wait_for_function("location.search.includes('imdb') && location.search.includes('product')")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It applies from the next event on")).to_be_visible()
    with Store.open(site.path) as store:
        kept = store.catalog().policy_of("uma")
    assert (kept.norm, kept.authority) == (Norm.PRODUCT, {"imdb": 0.5})
    assert (kept.filter.period, kept.filter.update) == (500, Update.EAGER)


def test_what_the_papers_ask_for_is_set_and_saved(site: Any, visit: Callable[..., Page]) -> None:
    """Every policy field of `tests/service/test_paper_policies.py` that no other test here sets."""
    site.subscribe("ula", x="series = 'ula'")
    page = visit("/policy", "ula")
    page.get_by_role("button", name="Surprise me").click()
    expect(page.locator(".rc-policy-words")).to_contain_text("the best 20% of what matches")
    page.get_by_role("button", name='Expand "Advanced"').click()
    for label, word in (
        ("Rank from several subscriptions", Aggregate.MEAN),
        ("Scores of preference levels", Levels.HALVING),
        ("Kind of diversity", ObjectiveName.MAX_MIN),
        ("How values are compared", DistanceName.EQUALITY),
        ("Rates are counted over", RateSpan.DECAYED),
        ("A delivery counts for", Credit.MOST_NOVEL),
    ):
        page.get_by_label(label, exact=True).first.click()
        page.get_by_role("option", name=word.title, exact=True).click()
        page.wait_for_function(f"location.search.includes('{word.value}')")
    for label, text in (
        ("Least gain of a new set", "0.125"),
        ("Half-life of counts", "77"),
        ("Start of single subscriptions", "ula-x=0.75"),
    ):
        page.get_by_label(label, exact=True).first.fill(text)
        page.wait_for_function(f"location.search.includes('{text.rpartition('=')[2]}')")
    for label, name in (
        ("Only the most specific subscriptions count", "specific"),
        ("Start in proportion to preference", "preferred"),
        ("Exactly in each period", "exact"),
    ):
        page.get_by_role("checkbox", name=label).click()
        page.wait_for_function(f"location.search.includes('{name}')")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It applies from the next event on")).to_be_visible()
    with Store.open(site.path) as store:
        kept = store.catalog().policy_of("ula")
    assert kept.filter is not None
    assert kept.filter.update is Update.PACED
    assert kept == replace(
        kept,
        aggregate=Aggregate.MEAN,
        levels=Levels.HALVING,
        objective=ObjectiveName.MAX_MIN,
        distance=DistanceName.EQUALITY,
        calm=0.125,
        specific=False,
        filter=replace(kept.filter, rates=RateSpan.DECAYED, half_life=77, credit=Credit.MOST_NOVEL, exact=False),
        decay=Decaying(betas={"ula-x": 0.75}, preferred=True),
    )


def test_advice_on_the_rate_of_a_filter(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("rae", drama="series = 'rae' and genre = 'drama'", short="series = 'rae' and genre = 'short'")
    policy = {"novelty": "threshold", "rate": 0.5, "period": 10, "update": "paced"}
    site.put({"kind": "policy", "user": "rae", "filter": policy})
    genres = ["drama", "drama", "drama", "short"] * 5
    site.publish(*({"title": f"{genre} {at}", "genre": genre, "series": "rae"} for at, genre in enumerate(genres)))
    page = visit("/policy", "rae")
    expect(page.locator(".rc-note")).to_contain_text("With 0.5 you can have all 2 topics evenly", timeout=60_000)
