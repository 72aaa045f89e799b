"""Functions that a service has registered are chosen on the page: F of a policy, and the ranking of an advertisement."""

from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest
from playwright.sync_api import Page, expect

MODULE = """
from rankcast.model import AGGREGATES
from rankcast.overlay import register_scorer
AGGREGATES.register("product", lambda scores, weights: __import__("math").prod(sorted(scores)))
register_scorer("last_letter", lambda event, subscription, degree: float(ord(subscription.id[-1])))
"""


@pytest.fixture(scope="module", autouse=True)
def _registered(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    folder = tmp_path_factory.mktemp("functions")
    (folder / "functions_of_the_page.py").write_text(MODULE)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PYTHONPATH", str(folder), prepend=":")
        patch.setenv("RANKCAST_FUNCTIONS", "functions_of_the_page")
        yield


def chosen(page: Page, label: str, option: str) -> None:
    page.get_by_label(label, exact=True).first.click()
    page.get_by_role("option", name=option, exact=True).click()


def test_they_are_offered_and_kept(own_site: Any, visit: Callable[..., Page]) -> None:
    own_site.subscribe("nora", a="toll > 0", z="toll > 0")
    page = visit("/advertisements", "nora", at=own_site.url)
    page.get_by_role("button", name="New advertisement").first.click()
    page.get_by_label("Id", exact=True).fill("tolls")
    page.get_by_label("Publisher").fill("roads")
    page.get_by_label("Expression that its publications match").fill("toll > 0")
    chosen(page, "Own function in place of the score", "last_letter")
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_role("listitem").filter(has_text="tolls")).to_be_visible()
    assert httpx.get(f"{own_site.url}/v1/advertisements/tolls").json()["function"] == "last_letter"
    page = visit("/policy", "nora", at=own_site.url)
    page.get_by_role("button", name='Expand "Advanced"').click()
    chosen(page, "Rank from several subscriptions", "product")
    page.wait_for_function("location.search.includes('product')")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("It applies from the next event on")).to_be_visible()
    assert httpx.get(f"{own_site.url}/v1/users/nora/policy").json()["aggregate"] == "product"
