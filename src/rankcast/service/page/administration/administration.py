"""Administration: users with deletion, set-aside events, unreadable records, and the audit trail."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial

from nicegui import ui

from rankcast.language.event_words import cut
from rankcast.service.page.controls import text_field
from rankcast.service.page.failures import SetAsideView, UnreadableView
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import (
    act,
    complaining,
    emptied,
    empty,
    group,
    link,
    open_dialog,
    row,
    set_props,
    table,
    words,
)
from rankcast.store.audit_log import ACTIONS, AuditAction, AuditEntry
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
        with emptied(self._list):
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


_PAGE = 25


class AuditView:
    """The newest entries, optionally of one actor, and older ones on request."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._who = ""
        self._oldest: int | None = None
        with group("section", "rc-card rc-column", aria_label="Audit trail"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "Audit trail")
                text_field(
                    "Only entries of this actor",
                    changed=self._filter,
                    placeholder="Actor, such as a token id",
                    props="clearable debounce=300",
                )
            words(
                "p",
                "Who changed tokens, other people's records, retention or the store as a whole. Changes that users make to "
                "their own records are not listed.",
                "rc-soft rc-small",
            )
            titles = ("When", "Who", "What", "Whose", "Detail")
            with table("Entries of the audit trail", titles, "rc-wide") as self._rows:
                pass
            self._nothing = words("p", "", "rc-soft")
            with group("div", "rc-row rc-centred"):
                self._older = act("Older", self._more, icon="o_expand_more")

    async def load(self) -> None:
        """Show the newest entries."""
        self._rows.clear()
        self._oldest = None
        await self._more()

    async def _filter(self, who: str | None) -> None:
        self._who = who or ""
        await self.load()

    async def _more(self) -> None:
        entries = self._view.service.audit.entries
        found = await asyncio.to_thread(entries, _PAGE + 1, self._oldest, None, self._who or None)
        with self._rows:
            for entry in found[:_PAGE]:
                _row(entry)
        is_empty = not found and self._oldest is None
        self._nothing.text = ("No actor contains this text." if self._who else "Nothing yet.") if is_empty else ""
        self._nothing.visible = is_empty
        self._older.set_visibility(len(found) > _PAGE)
        if found:
            self._oldest = found[:_PAGE][-1].number


def _row(entry: AuditEntry) -> None:
    meaning = ACTIONS[AuditAction(entry.action)] if entry.action in list(AuditAction) else ""
    with row((f"{entry.when:%Y-%m-%d %H:%M:%S}", "rc-number"), entry.who):
        set_props(words("td", entry.action, "rc-strong"), title=meaning)
        words("td", entry.subject or "")
        words("td", cut(entry.detail, 200), "rc-fold")


async def build(view: View) -> None:
    """A section for each task. Other visitors are told whom to ask."""
    if not view.visitor.switches:
        with empty(
            "o_admin_panel_settings", "For administrators", "Sign in with the token of an administrator to use it."
        ):
            link("To the feed", "/", "rc-button rc-link-button")
        return
    sections: list[UserList | SetAsideView | UnreadableView | AuditView] = []

    async def load() -> None:
        for section in sections:
            await section.load()

    sections += [UserList(view, load), SetAsideView(view, load), UnreadableView(view, None, load), AuditView(view)]
    await load()
