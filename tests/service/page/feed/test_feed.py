import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import Any

from playwright.sync_api import Page, expect

from rankcast.model import Event
from rankcast.store import Store


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
    expect(page.get_by_text("Your subscriptions are active")).to_be_visible()
    site.publish(film("Psycho", "horror", 1960), film("Alien", "horror", 1979), film("It", "horror", 2017))
    expect(cards(page)).to_have_count(3)
    expect(cards(page).first).to_contain_text("Matches horror (level 2 of 2)")
    site.publish(film("Big Fish", "drama"))
    newest = cards(page).first
    expect(newest.get_by_role("heading")).to_have_text("Big Fish")
    expect(newest).to_contain_text("Matches drama (preferred over horror) · novel for you · unlike the last three")
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


def test_why_on_a_delivered_card_never_says_not_sent(site: Any, visit: Callable[..., Page]) -> None:
    """The window holds more events than a replay once looked at, and one is dated after its delivery."""
    site.subscribe("una", all="series = 'una'", best="series = 'una' and stars > 4")
    site.put({"kind": "policy", "user": "una", "mode": "periodic", "length": 700, "k": 4, "sigma": 0.5})
    start = datetime(2020, 1, 1, tzinfo=UTC)
    with Store.open(site.path) as store:
        first = store.last_offset() // 700 * 700 + 700 - store.last_offset()
        count = first + 700
        store.publish(
            Event(
                f"una{number}",
                start + timedelta(minutes=number, days=number == count - 20),
                {
                    "title": (f"Film {number}",),
                    "series": ("una",),
                    "stars": (6 if number == count - 20 else number % 6,),
                },
            )
            for number in range(count)
        )
    site.settle()
    page = visit("/", "una")
    expect(cards(page)).to_have_count(8)
    expect(cards(page).last).to_contain_text(re.compile(r"Sent .+, waited \d+ (min|h)"))
    for place in range(8):
        cards(page).nth(place).get_by_role("button", name="Why").click()
        details = cards(page).nth(place).locator(".rc-details")
        expect(details).to_contain_text("Sent at the end of period")
        expect(details).to_contain_text("Waited")


def test_older_deliveries_filter_and_reload(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("hal", all="series = 'hal'")
    site.publish(*({**film(f"Film {number:02}", "short"), "series": "hal"} for number in range(45)))
    site.settle()  # what comes while the page is open is added to the first twenty
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
    site.put(
        {"kind": "subscription", "id": "ben-all", "user": "ben", "where": "series = 'bea'", "score": 0.3},
        {"kind": "subscription", "id": "ben-b", "user": "ben", "where": "series = 'bea' and title = 'Before'"},
        {"kind": "policy", "user": "ben", "mode": "sliding", "length": 50, "k": 1},
    )
    site.subscribe("bob", all="series = 'bob'")
    site.publish({"title": "Before", "series": "bea"})
    page.get_by_role("button", name="Publish it").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("Sent to 1: bea.")
    expect(dialog.get_by_role("listitem").filter(has_text="ben")).to_contain_text(
        "Rank 0.3: the best had 1 or more, such as Before"
    )
    expect(dialog).to_contain_text("It matches no subscription of the other")
    dialog.get_by_role("button", name="Close").click()
    expect(cards(page).get_by_role("heading")).to_have_text(["By hand", "Before"])


def test_what_was_left_out_has_a_tab_with_the_reason_for_each(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("lea", all="series = 'lea'", best="series = 'lea' and year < 1950")
    site.put({"kind": "policy", "user": "lea", "mode": "periodic", "length": 4, "k": 1, "sigma": 0.5})
    with Store.open(site.path) as store:
        first = (-store.last_offset()) % 4
    series = {"series": "lea"}
    site.publish(*({"series": "nobody"} for _ in range(first)))
    site.publish(*({**film(f"Film {year}", "noir", year), **series} for year in (1941, 1942, 1943, 1944)))
    site.settle()
    page = visit("/", "lea")
    expect(cards(page)).to_have_count(1)
    sent = cards(page).get_by_role("heading").inner_text()
    page.get_by_role("button", name="Left out").click()
    expect(cards(page)).to_have_count(3)
    expect(cards(page).first).to_contain_text(f"Left out for variety: too like {sent}")
    cards(page).first.get_by_role("button", name="Why").click()
    expect(page.locator(".rc-details:visible")).to_contain_text(f"Not sent. Left out for variety: too like {sent}.")
    page.get_by_role("button", name="Sent", exact=True).click()
    expect(cards(page)).to_have_count(1)


def test_a_delivery_is_saved_dismissed_and_asked_more_of(site: Any, visit: Callable[..., Page]) -> None:
    site.put({"kind": "subscription", "id": "rufus-noir", "user": "rufus", "where": "series = 'rufus'", "score": 0.5})
    site.publish(*({**film(title, "noir"), "series": "rufus", "votes": 41199} for title in ("Gilda", "Laura")))
    page = visit("/", "rufus")
    expect(cards(page)).to_have_count(2)
    expect(cards(page).first.locator(".rc-fact").first).to_have_text("seriesrufus")
    expect(cards(page).first).to_contain_text("41,199")
    expect(page.locator(".rc-unread")).to_have_count(2)
    page.get_by_role("button", name="Save Laura").click()
    expect(page.locator(".rc-unread")).to_have_count(1)
    page.get_by_role("button", name="Dismiss Gilda").click()
    expect(cards(page)).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(cards(page)).to_have_count(2)
    page.get_by_role("button", name="Dismiss Gilda").click()
    page.get_by_role("button", name="More about Laura").click()
    page.get_by_role("menuitem", name="More like this").click()
    expect(page.locator(".rc-undo")).to_contain_text("noir has score 0.6 now (before: 0.5)")
    page.get_by_role("button", name="More about Laura").click()
    page.get_by_role("menuitem", name="Less like this").click()
    expect(page.locator(".rc-undo")).to_contain_text("noir has score 0.5 now (before: 0.6)")
    page.locator(".rc-undo").get_by_role("button", name="Undo").click()
    page.reload()
    expect(cards(page)).to_have_count(1)
    expect(cards(page).first).to_contain_text("Matches noir (0.6)")
    page.get_by_role("button", name="Show 1 dismissed").click()
    expect(cards(page)).to_have_count(2)
    page.get_by_role("button", name="Saved", exact=True).click()
    expect(cards(page).get_by_role("heading")).to_have_text(["Laura"])


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
