"""The list of users, with deletion."""

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, set_props, table, words
from rankcast.store.users import count_user

__all__ = ["UserList"]

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
                search = ui.input(placeholder="Find a user", on_change=lambda change: self._draw(change.value or ""))
                set_props(search.props("dense outlined clearable debounce=200"), aria_label="Find a user by name")
            self._list = group("div", "rc-column rc-tight")
        self._search = search
        with (
            set_props(ui.dialog(), aria_label="Delete a user") as self._dialog,
            ui.card().classes("rc-column rc-dialog"),
        ):
            self._question = group("div", "rc-column")

    async def load(self) -> None:
        """Read the users."""
        catalog = await asyncio.to_thread(self._view.service.catalog)
        names = sorted({*catalog.users(), *catalog.policies})
        self._subscriptions = {name: len(catalog.subscriptions_of(name)) for name in names}
        self._draw(self._search.value or "")

    def _draw(self, wanted: str) -> None:
        found = [name for name in self._subscriptions if wanted.lower() in name.lower()]
        count = len(self._subscriptions)
        self._title.text = f"{count:,} user{'' if count == 1 else 's'}"
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
                    with group("tr"):
                        words("td", name, "rc-strong")
                        words("td", f"{self._subscriptions[name]:,}", "rc-number")
                        with group("td"):
                            act(
                                "Delete",
                                lambda name=name: self._ask(name),
                                icon="o_delete",
                                kind="danger",
                                aria_label=f"Delete user {name}",
                            )
            if len(found) > _SHOWN:
                words("p", f"and {len(found) - _SHOWN:,} more; type a part of a name to find one", "rc-soft rc-small")

    async def _ask(self, user: str) -> None:
        with complaining():
            counts = await asyncio.to_thread(count_user, self._view.service.store.database, user)
            self._question.clear()
            with self._question:
                words("h2", f"Delete {user} and all of their data?")
                words("p", "This cannot be undone. Published events stay. This is deleted:")
                with group("ul", "rc-list"):
                    for name, count in counts.items():
                        words("li", f"{name.replace('_', ' ')}: {count:,}")
                    if not counts:
                        words("li", "nothing: this user has no data any more")
                with group("div", "rc-row"):
                    act(f"Delete {user}", lambda: self._delete(user), icon="o_delete", kind="danger")
                    act("Keep", self._dialog.close, kind="quiet")
            self._dialog.open()

    async def _delete(self, user: str) -> None:
        with complaining():
            await asyncio.to_thread(self._view.service.delete_user, user)
            ui.notify(f"Deleted {user}", type="positive")
        self._dialog.close()
        await self._changed()
