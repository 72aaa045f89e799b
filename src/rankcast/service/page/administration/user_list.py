"""The list of users, with deletion."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from rankcast.service.page.controls import text_field
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, open_dialog, row, table, words
from rankcast.store.users import count_user
from rankcast.wording import counted

_SHOWN = 20


class UserList:
    """The users with their subscriptions, a filter, and a button to delete each. `changed` is called after a deletion."""

    def __init__(self, view: View, changed: Callable[[], Awaitable[None]]) -> None:
        self._view = view
        self._changed = changed
        self._subscriptions: dict[str, int] = {}
        with group("section", "rc-card rc-column", aria_label="Users"):
            with group("div", "rc-row rc-wrap rc-spread"):
                self._title = words("h2", "Users")
                self._search = text_field(
                    "Find a user by name",
                    changed=lambda name: self._draw(name or ""),
                    placeholder="Find a user",
                    props="clearable debounce=200",
                )
            self._list = group("div", "rc-column rc-tight")

    async def load(self) -> None:
        """Read the users."""
        catalog = await asyncio.to_thread(self._view.service.catalog)
        names = sorted({*catalog.users(), *catalog.policies})
        self._subscriptions = {name: len(catalog.subscriptions_of(name)) for name in names}
        self._draw(self._search.value or "")

    def _draw(self, wanted: str) -> None:
        found = [name for name in self._subscriptions if wanted.lower() in name.lower()]
        self._title.text = counted(len(self._subscriptions), "user")
        self._list.clear()
        with self._list:
            if not found:
                said = (
                    "No user name contains this text." if wanted else "Users appear here with their first subscription."
                )
                words("p", said, "rc-soft")
                return
            with table("Users", ("User", "Subscriptions", ""), "rc-wide"):
                for name in found[:_SHOWN]:
                    asked = partial(self._ask, name)
                    with row((name, "rc-strong"), (f"{self._subscriptions[name]:,}", "rc-number")), group("td"):
                        act("Delete", asked, icon="o_delete", kind="danger", aria_label=f"Delete user {name}")
            if len(found) > _SHOWN:
                words("p", f"and {len(found) - _SHOWN:,} more; type a part of a name to find one", "rc-soft rc-small")

    async def _ask(self, user: str) -> None:
        with complaining():
            counts = await asyncio.to_thread(count_user, self._view.service.store.database, user)
            with open_dialog("Delete a user", "rc-column rc-dialog") as dialog:
                words("h2", f"Delete {user} and all of their data?")
                words("p", "This cannot be undone. Published events stay. This is deleted:")
                with group("ul", "rc-list"):
                    for name, count in counts.items():
                        words("li", f"{name.replace('_', ' ')}: {count:,}")
                    if not counts:
                        words("li", "nothing: this user has no data any more")
                with group("div", "rc-row"):
                    act(f"Delete {user}", lambda: self._delete(user, dialog), icon="o_delete", kind="danger")
                    act("Keep", dialog.close, kind="quiet")

    async def _delete(self, user: str, dialog: ui.dialog) -> None:
        with complaining():
            await asyncio.to_thread(self._view.service.delete_user, user)
            ui.notify(f"Deleted {user}", type="positive")
        dialog.close()
        await self._changed()
