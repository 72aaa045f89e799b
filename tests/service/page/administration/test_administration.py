from collections.abc import Callable, Iterator
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page, expect
from sqlalchemy import update

from rankcast.model import SetAside
from rankcast.service.access import Access, Role
from rankcast.store import AuditLog, Store
from rankcast.store.schema import catalog_records
from rankcast.store.set_aside import keep_set_aside


@pytest.fixture(scope="module")
def guarded(serving: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    """A service that wants tokens."""
    yield from serving(tmp_path_factory.mktemp("guarded"))


def enter(page: Page, url: str, token: str) -> None:
    page.goto(f"{url}/sign-in")
    page.get_by_label("Token").fill(token)
    page.get_by_role("button", name="Sign in").click()
    page.wait_for_url(f"{url}/")


def test_users_are_deleted_and_what_went_wrong_is_seen(
    guarded: Any, contexts: Callable[[bool, bool], BrowserContext], snap: Callable[[Page, str], None]
) -> None:
    for user in ("ann", "bob"):
        guarded.subscribe(user, one="n = 1", two="n = 2")
    guarded.put({"kind": "advertisement", "id": "a1", "publisher": "shop", "where": "n = 1", "k": 3})
    with Store.open(guarded.path) as store:
        access = Access(store)
        admin, token = access.create(Role.ADMINISTRATOR)
        plain, _ = access.create(Role.USER, "ann")
        with store.database.writing() as connection:
            keep_set_aside(connection, [SetAside("bob", "e1", 1, 1, "intermediate overflow")], 0)
            broken = '{"kind":"advertisement","id":"a1","publisher":"shop","where":"n = 1","k":-3}'
            record = update(catalog_records).where(catalog_records.c.key == "a1")
            connection.execute(record.values(record=broken))
        store.catalog()
    context = contexts(False, False)
    context.clear_cookies()
    page = context.new_page()
    enter(page, guarded.url, admin)
    page.get_by_role("link", name="Administration").first.click()
    expect(page.get_by_role("region", name="Records that cannot be read")).to_contain_text("k is -3")
    expect(page.get_by_role("region", name="Set aside")).to_contain_text("intermediate overflow")
    snap(page, "administration-trouble")
    page.get_by_label("Delete user bob").click()
    dialog = page.get_by_role("dialog")
    expect(dialog).to_contain_text("records: 2")
    dialog.get_by_role("button", name="Delete bob").click()
    expect(page.get_by_role("region", name="Audit trail")).to_contain_text("user.delete")
    expect(page.get_by_role("region", name="Users")).not_to_contain_text("bob")
    expect(page.get_by_role("region", name="Set aside")).to_contain_text("Nothing is set aside")
    page.get_by_label("Delete a1").click()
    expect(page.get_by_role("region", name="Records that cannot be read")).to_be_hidden()
    with Store.open(guarded.path) as store:
        found = AuditLog(store.database).entries(who="administrator")
    assert [(one.who, one.action, one.subject) for one in found] == [
        (f"administrator {token.id}", "records.change", "shop"),
        (f"administrator {token.id}", "user.delete", "bob"),
        (f"administrator {token.id}", "records.change", "bob"),
    ]
    page.get_by_role("button", name="Sign out", exact=True).click()
    enter(page, guarded.url, plain)
    expect(page.get_by_role("link", name="Administration")).to_have_count(0)
    page.goto(f"{guarded.url}/administration")
    expect(page.locator(".rc-main")).to_contain_text("For administrators")
    expect(page.locator(".rc-main")).not_to_contain_text("Audit trail")
    page.close()
