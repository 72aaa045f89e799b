"""Every page, looked at: by day, by night, on a phone by day. The pictures are kept in out/screenshots."""

from collections.abc import Callable
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect

from rankcast.service.page.pages import PAGES

FILMS = [
    ("Big Fish", "drama", 2003, 125, 8.0),
    ("The Shining", "horror", 1980, 146, 8.4),
    ("Toy Story", "animation", 1995, 81, 8.3),
    ("Casablanca", "drama", 1942, 102, 8.5),
    ("Alien", "horror", 1979, 117, 8.5),
    ("Some Like It Hot", "comedy", 1959, 121, 8.2),
    ("Wallace & Gromit: The Wrong Trousers", "short", 1993, 29, 8.3),
    ("Lost in Translation", "drama", 2003, 102, 7.7),
    ("The Birds", "horror", 1963, 119, 7.6),
    ("Amelie", "comedy", 2001, 122, 8.3),
    ("Spirited Away", "animation", 2001, 125, 8.6),
    ("Edward Scissorhands", "drama", 1990, 105, 7.9),
    ("Psycho", "horror", 1960, 109, 8.5),
    ("A Trip to the Moon", "short", 1902, 13, 8.1),
    ("The Apartment", "comedy", 1960, 125, 8.3),
    ("Rashomon", "drama", 1950, 88, 8.1),
]

READY = {
    "feed": ".rc-delivery",
    "policy": ".rc-sides",
    "overlay": ".rc-broker",
    "intervals": "section[aria-label='Who matches'] tbody tr",
    "concepts": "section[aria-label='What would change'] .rc-strong",
}
"""What comes after the rest of a page, and is looked at too."""

UNNAMED = """() => [...document.querySelectorAll('button, a, input:not([type=hidden]), textarea, [role=button]')]
    .filter(e => e.offsetParent !== null && !e.closest('[aria-hidden=true]') && e.tabIndex >= 0)
    .filter(e => !(e.getAttribute('aria-label') || e.innerText || e.title || e.labels?.length
        || e.getAttribute('aria-labelledby') || e.placeholder || e.querySelector('[aria-label]')))
    .map(e => e.outerHTML.slice(0, 160))"""


def barriers(page: Page, *rules: str) -> list[str]:
    """What axe finds wrong for people with disabilities, each with the element; if rules are given, by these only."""
    # Without `preload`, axe fetches nothing, so the page shows no bar that something is loading.
    options = {"preload": False, "resultTypes": ["violations"]} | ({"runOnly": [*rules]} if rules else {})
    found = Axe().run(page, options=options).response["violations"]
    return [f"{one['id']}: {node['html'][:120]} {node['failureSummary']}" for one in found for node in one["nodes"]]


@pytest.fixture(scope="module", autouse=True)
def world(site: Any) -> None:
    site.put(
        {"kind": "concept", "name": "long", "attribute": "length", "trapezoid": [110, 130, 400, 400]},
        {"kind": "concept", "name": "old", "attribute": "year", "left_shoulder": [1950, 1980]},
    )
    site.subscribe(
        "addison",
        drama="genre = 'drama'",
        laughs="genre = 'comedy' and year < 1970",
        scares="genre = 'horror' and rating >= 8",
        drawn="genre = 'animation' or genre = 'short'",
        epics="length is long and not (genre = 'horror')",
    )
    pairs = (("drama", "scares"), ("laughs", "scares"), ("scares", "epics"), ("drawn", "epics"))
    site.put(
        *(
            {"kind": "preference", "user": "addison", "prefer": f"addison-{a}", "over": f"addison-{b}"}
            for a, b in pairs
        ),
        {
            "kind": "policy",
            "user": "addison",
            "mode": "sliding",
            "k": 3,
            "length": 8,
            "sigma": 0.6,
            "attributes": ["genre"],
        },
    )
    names = ("title", "genre", "year", "length", "rating")
    site.publish(*(dict(zip(names, film, strict=True)) for film in FILMS))
    site.settle()


@pytest.mark.parametrize("screen", ["desktop", "phone"])
def test_every_page(site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None], screen: str) -> None:
    page = visit("/", "addison", phone=screen == "phone")
    expect(page.locator(".rc-delivery").first).to_be_visible()
    wrong: list[str] = []
    for one in PAGES:
        name = one.module.rpartition(".")[2]
        page.emulate_media(color_scheme="light")
        page.goto(site.url + one.path)
        expect(page.get_by_role("heading", level=1)).to_have_text(one.title)
        if name in READY:
            expect(page.locator(READY[name]).first).to_be_visible()
        for look in ("day", "night") if screen == "desktop" else ("day",):  # a phone's colours are the desktop's
            page.emulate_media(color_scheme="dark" if look == "night" else "light")
            snap(page, f"{name}-{screen}-{look}")
            rules = ["color-contrast"] if look == "night" else []  # nothing else differs
            wrong += [f"{one.title}, {look}: {barrier}" for barrier in barriers(page, *rules)]
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wrong.append(f"{one.title} is wider than the screen")
        wrong += [f"{one.title}: nothing says what this is: {unnamed}" for unnamed in page.evaluate(UNNAMED)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize("look", ["day", "phone"])
def test_what_opens(site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None], look: str) -> None:
    page = visit("/", "addison", phone=look == "phone", dark=look == "phone")
    page.get_by_role("button", name="Why").first.click()
    expect(page.locator(".rc-details").first).to_contain_text("Your subscriptions")
    snap(page, f"feed-why-{look}")
    assert not barriers(page)
    page.get_by_role("button", name="Left out").click()
    page.get_by_role("button", name="Publish an event").click()
    expect(page.get_by_role("dialog", name="Publish an event")).to_be_visible()
    assert [barrier for barrier in barriers(page) if "dialog" in barrier] == []
    page.goto(site.url + "/subscriptions?new=&text=(genre = 'drama' and year < 1960) or length is very long")
    expect(page.locator(".rc-tried")).to_be_visible()
    snap(page, f"subscriptions-new-{look}")
    assert not barriers(page)
    if look == "phone":
        return
    page.goto(site.url + "/subscriptions?new=&text=genre == 'drama'")
    expect(page.locator(".rc-pointed")).to_be_visible()
    snap(page, f"subscriptions-wrong-{look}")
    page.context.clear_cookies()
    page.context.add_cookies([{"name": "rankcast_user", "value": "newcomer", "url": site.url}])
    for path in ("", "subscriptions", "preferences", "policy"):
        page.goto(f"{site.url}/{path}")
        expect(page.locator(".rc-empty")).to_be_visible()
        snap(page, f"{path or 'feed'}-empty-{look}")
