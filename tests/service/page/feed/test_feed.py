from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def film(title: str, genre: str, year: int = 2004) -> dict[str, Any]:
    return {"title": title, "genre": genre, "year": year}


def cards(page: Page) -> Any:
    return page.locator(".rc-delivery:visible")


def test_a_delivery_appears_by_itself_with_its_reason(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("fay", drama="genre = 'drama'", horror="genre = 'horror'")
    site.put(
        {"kind": "preference", "user": "fay", "prefer": "fay-drama", "over": "fay-horror"},
        {
            "kind": "policy",
            "user": "fay",
            "mode": "sliding",
            "length": 20,
            "k": 5,
            "sigma": 0.5,
            "score": {"preference": 0.5, "novelty": 0.5},
        },
    )
    page = visit("/", "fay")
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    expect(page.get_by_text("Your subscriptions are listening")).to_be_visible()
    site.publish(film("Psycho", "horror", 1960), film("Alien", "horror", 1979), film("It", "horror", 2017))
    expect(cards(page)).to_have_count(3)
    expect(cards(page).first).to_contain_text("you asked for horror (level 2 of 2)")
    site.publish(film("Big Fish", "drama"))
    newest = cards(page).first
    expect(newest.get_by_role("heading")).to_have_text("Big Fish")
    expect(newest).to_contain_text("Because you prefer drama over horror, novel for you, unlike the last three")
    expect(page.locator(".rc-count")).to_contain_text("4 matched: 4 delivered, 0 left out")


def test_the_account_of_a_delivery_names_every_score(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("gil", old="year < 1950", noir="genre = 'noir'")
    site.put({"kind": "policy", "user": "gil", "score": {"preference": 3, "recency": 1}})
    site.publish(film("Laura", "noir", 1944))
    page = visit("/", "gil")
    why = cards(page).get_by_role("button", name="Why Laura came")
    expect(why).to_have_attribute("aria-expanded", "false")
    why.click()
    details = page.locator(".rc-details")
    expect(details).to_contain_text("Sent at event")
    expect(details.get_by_role("row", name="preference")).to_contain_text("1 × 75%")
    expect(details.get_by_role("row", name="recency")).to_contain_text("× 25%")
    expect(details.get_by_role("row", name="genre")).to_contain_text("noir")
    expect(details.locator(".rc-interest")).to_have_count(2)
    why.click()
    expect(details).to_be_hidden()


def test_older_deliveries_filter_and_reload(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("hal", all="series = 'hal'")
    site.publish(*({**film(f"Film {number:02}", "short"), "series": "hal"} for number in range(45)))
    page = visit("/", "hal")
    expect(cards(page)).to_have_count(20)
    expect(cards(page).first).to_contain_text("Film 44")
    page.get_by_role("button", name="Older").click()
    expect(cards(page)).to_have_count(40)
    page.get_by_role("button", name="Older").click()
    expect(cards(page)).to_have_count(45)
    expect(page.get_by_role("button", name="Older")).to_be_hidden()
    page.get_by_label("Filter the deliveries").fill("film 07")
    expect(cards(page)).to_have_count(1)
    page.get_by_label("Filter the deliveries").fill("nothing like it")
    page.get_by_role("button", name="Clear the filter").click()
    expect(cards(page)).to_have_count(45)
    page.reload()
    expect(cards(page)).to_have_count(20)
    expect(cards(page).first).to_contain_text("Film 44")


def test_a_paused_feed_waits(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("ian", all="series = 'ian'")
    page = visit("/", "ian")
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    page.get_by_role("button", name="Pause the feed").click()
    expect(page.get_by_role("button", name="Go on")).to_be_visible()
    site.publish({"title": "Later", "series": "ian"})
    expect(page.get_by_role("button", name="1 new")).to_be_visible()
    expect(cards(page)).to_have_count(0)
    page.get_by_role("button", name="1 new").click()
    expect(cards(page)).to_have_count(1)


def test_texts_of_others_stay_texts(site: Any, visit: Callable[..., Page]) -> None:
    hostile = (
        "<img src=x onerror=\"document.title='broken'\"> {{ 7*7 }} </script><script>document.title='broken'</script>"
    )
    name = "<b>jo</b>\" onclick=\"document.title='broken'"
    site.put({"kind": "subscription", "id": name, "user": "<i>jo</i>", "where": "series = 'jo'"})
    site.publish({"title": hostile, "series": "jo", "<u>name</u>": hostile})
    page = visit("/", "<i>jo</i>")
    expect(cards(page).get_by_role("heading")).to_have_text(hostile)
    expect(cards(page).get_by_role("link", name=name)).to_be_visible()
    cards(page).get_by_role("button", name="Why").click()
    expect(page.locator(".rc-details")).to_contain_text("Sent at event")
    cards(page).get_by_role("link", name=name).click()
    expect(page.locator(".rc-subscription .rc-pill")).to_have_text(name)
    expect(page.locator(".rc-main img, .rc-main b, .rc-main u, .rc-main i:not(.q-icon)")).to_have_count(0)
    expect(page).to_have_title("Subscriptions · Rankcast")


def test_publishing_from_the_page(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("bea", all="series = 'bea'")
    page = visit("/", "bea")
    page.get_by_role("button", name="Publish an event").click()
    attributes = page.get_by_label("Attributes")
    attributes.fill('{"title": "By hand", "series": ')
    expect(page.get_by_role("alert")).to_contain_text("this is not JSON")
    expect(page.get_by_role("button", name="Publish it")).to_be_disabled()
    attributes.fill('{"title": "By hand", "series": "bea", "price": {"is": "unheard"}}')
    expect(page.get_by_role("alert")).to_contain_text("no concept 'unheard'")
    attributes.fill('{"title": "By hand", "series": "bea"}')
    page.get_by_role("button", name="Publish it").click()
    expect(cards(page).get_by_role("heading")).to_have_text("By hand")


def test_a_flood_leaves_the_newest_and_the_way_to_the_others(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("cal", all="series = 'cal'")
    page = visit("/", "cal")
    expect(page.get_by_text("No deliveries yet")).to_be_visible()
    site.publish(*({"title": f"Film {number:02}", "series": "cal"} for number in range(70)))
    expect(cards(page).first).to_contain_text("Film 69")
    seen = set(cards(page).get_by_role("heading").all_inner_texts())
    while page.get_by_role("button", name="Older").is_visible():
        before = cards(page).count()
        page.get_by_role("button", name="Older").click()
        expect(cards(page)).not_to_have_count(before)
    titles = cards(page).get_by_role("heading").all_inner_texts()
    assert titles == [f"Film {number:02}" for number in range(69, -1, -1)]
    assert seen <= set(titles)
