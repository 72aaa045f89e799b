from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect


def text_of(page: Page) -> Any:
    return page.get_by_label("The same as text")


def test_from_the_form_to_the_first_delivery(site: Any, visit: Callable[..., Page]) -> None:
    site.publish({"title": "Vertigo", "genre": "thriller"}, {"title": "Marnie", "genre": "thriller"})
    page = visit("/", "kim")
    page.get_by_role("button", name="Subscribe").click()
    page.get_by_label("Attribute", exact=True).fill("genre")
    page.get_by_label("Value").fill("thriller")
    expect(text_of(page)).to_have_value("genre = 'thriller'")
    expect(page.locator(".rc-tried")).to_contain_text("Would have matched 2 of the last")
    expect(page.locator(".rc-examples")).to_contain_text("Vertigo")
    page.get_by_role("button", name="Save").click()
    expect(page.locator(".rc-subscription h2")).to_have_text("Genre is thriller")
    page.get_by_role("link", name="Feed", exact=True).first.click()
    expect(page.get_by_text("Your subscriptions are active")).to_be_visible()
    site.publish({"title": "Rebecca", "genre": "thriller"})
    card = page.locator(".rc-delivery")
    expect(card.get_by_role("heading")).to_have_text("Rebecca")
    expect(card).to_contain_text("Matches thriller")
    page.reload()
    expect(card.get_by_role("heading")).to_have_text("Rebecca")


def test_a_wrong_expression_shows_the_caret(site: Any, visit: Callable[..., Page]) -> None:
    site.publish({"title": "Laura", "genre": "drama", "year": 1944})
    page = visit("/subscriptions?new=", "lea")
    text_of(page).fill("genre = 'drama' and year abov 1999")
    expect(page.locator(".rc-pointed")).to_have_text("  genre = 'drama' and year abov 1999\n" + " " * 27 + "^")
    expect(page.locator(".rc-said .rc-bad")).to_contain_text("where an operator should be")
    expect(page.get_by_role("button", name="Save")).to_be_disabled()
    expect(text_of(page)).to_have_attribute("aria-invalid", "true")
    text_of(page).fill("genre == 'drama'")
    expect(page.locator(".rc-said .rc-bad")).to_contain_text("did you mean '='?")
    text_of(page).fill("price is cheep")
    expect(page.locator(".rc-said .rc-bad")).to_contain_text("no concept 'cheep' on attribute 'price'")
    text_of(page).fill(" or ".join(f"year = {year}" for year in range(1000, 1300)))
    expect(page.locator(".rc-said .rc-bad")).to_contain_text("300 predicates; here the limit is 200")
    text_of(page).fill("genre = 'drama'")
    expect(page.locator(".rc-understood")).to_have_text("genre is drama")
    expect(page.get_by_role("button", name="Save")).to_be_enabled()
    expect(text_of(page)).to_have_attribute("aria-invalid", "false")
    expect(page.locator(".rc-said .rc-warn")).to_have_count(0)
    text_of(page).fill("genree = 'drama'")
    expect(page.locator(".rc-said .rc-warn")).to_contain_text("no attribute 'genree' in recent events; did you mean")


def test_text_and_form_stay_in_step_and_survive_a_reload(site: Any, visit: Callable[..., Page]) -> None:
    page = visit("/subscriptions?new=", "mia")
    text_of(page).fill("genre = 'drama' and (year < 1920 or votes > 100)")
    expect(page.get_by_role("group", name="Group 2").get_by_label("Attribute", exact=True)).to_have_count(2)
    expect(page.locator(".rc-between")).to_have_text("and")
    page.get_by_role("group", name="Group 1").get_by_label("Value").fill("noir")
    expect(text_of(page)).to_have_value("genre = 'noir' and (year < 1920 or votes > 100)")
    text_of(page).fill("not (genre = 'drama')")
    expect(page.get_by_text("The form cannot show this expression")).to_be_visible()
    text_of(page).fill("title contains 'fish' or title startswith 'The '")
    expect(page.get_by_role("group", name="Conditions").get_by_label("Attribute", exact=True)).to_have_count(2)
    page.wait_for_function("location.search.includes('fish')")
    page.reload()
    expect(text_of(page)).to_have_value("title contains 'fish' or title startswith 'The '")


def test_how_sure_a_vague_condition_must_be_is_set_by_a_word_or_by_numbers(
    site: Any, visit: Callable[..., Page], snap: Callable[[Page, str], None]
) -> None:
    site.put({"kind": "concept", "name": "slow", "attribute": "tempo", "left_shoulder": [100, 200]})
    site.publish({"tempo": 90}, {"tempo": 140}, {"tempo": {"between": [90, 180]}})
    page = visit("/subscriptions?new=", "may")
    text_of(page).fill("tempo is slow")
    beside = page.get_by_role("table", name="The same with other thresholds").get_by_role("row")
    for row, told in enumerate(("crisp1", "if possible3", "if likely1", "if certain2")):
        expect(beside.nth(row)).to_have_text(told)
    snap(page, "subscription-thresholds")
    sure, certain = page.get_by_role("combobox", name="How sure"), page.get_by_label("At least certain to")
    sure.click()
    page.get_by_role("option", name="if certain").click()
    expect(text_of(page)).to_have_value("tempo is slow [0.5, 0.5]")
    expect(certain).to_have_count(0)
    sure.click()
    page.get_by_role("option", name="my numbers").click()
    expect(certain).to_have_value("0.5")
    certain.fill("0.25")
    expect(text_of(page)).to_have_value("tempo is slow [0.5, 0.25]")
    page.get_by_label("At least possible to").fill("0.75")
    expect(text_of(page)).to_have_value("tempo is slow [0.75, 0.25]")
    expect(page.locator(".rc-tried")).to_be_visible()  # so no answer is on its way when the text changes
    text_of(page).fill("tempo is slow [indifferent] and tempo < 3")
    expect(page.get_by_role("group", name="Conditions").get_by_text("if likely")).to_be_visible()
    expect(certain).to_have_count(0)


def test_change_copy_remove_and_undo(site: Any, visit: Callable[..., Page]) -> None:
    site.subscribe("ned", a="genre = 'a'", b="genre = 'b'")
    site.put({"kind": "preference", "user": "ned", "prefer": "ned-a", "over": "ned-b"})
    page = visit("/subscriptions", "ned")
    items = page.locator(".rc-subscription")
    page.get_by_role("button", name="Change ned-b").click()
    text_of(page).fill("genre = 'b' and year > 1999")
    page.get_by_role("button", name="Save").click()
    expect(items.nth(1)).to_contain_text("genre = 'b' and year > 1999")
    expect(items.nth(1)).to_contain_text("level 2, score 0.5")
    page.get_by_role("button", name="Remove ned-a").click()
    expect(items).to_have_count(1)
    page.get_by_role("button", name="Undo").click()
    expect(items).to_have_count(2)
    expect(items.nth(1)).to_contain_text("level 2, score 0.5")
    page.get_by_role("button", name="Copy ned-b").click()
    expect(page.get_by_role("textbox", name="Name")).to_have_value("b-with-year-above-1999")
    page.get_by_role("button", name="a score").click()
    page.get_by_role("button", name="Save").click()
    expect(items).to_have_count(3)
    expect(page.locator(".rc-subscription", has_text="score 0.8")).to_have_count(1)
    page.reload()
    expect(items).to_have_count(3)
