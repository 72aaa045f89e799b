"""Records that cannot be read: why, and a way to delete them."""

import asyncio
import json
from collections.abc import Awaitable, Callable

from nicegui import ui

from rankcast.language.event_words import cut
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, row, table, words
from rankcast.store.unreadable import UnreadableRecord
from rankcast.wording import counted

_SHOWN = 50


class UnreadableView:
    """The unreadable records of a user, or of all users if none is given. Hidden if there are none."""

    def __init__(self, view: View, user: str | None, changed: Callable[[], Awaitable[None]] | None = None) -> None:
        self._view = view
        self._user = user
        self._changed = changed or self.load
        self._section = group("section", "rc-card rc-column", aria_label="Records that cannot be read")
        self._section.set_visibility(False)

    async def load(self) -> None:
        """Read the unreadable records."""
        found = await asyncio.to_thread(self._view.service.store.unreadable)
        mine = [one for one in found if self._user in (None, one.owner)]
        self._section.set_visibility(bool(mine))
        self._section.clear()
        with self._section:
            words("h2", f"{counted(len(mine), 'record')} cannot be read")
            words(
                "p",
                "They break a rule of this release or are damaged, so they are not used. Create them again, or delete them.",
                "rc-soft rc-small",
            )
            with table("Records that cannot be read", ("Record", "Whose", "Why", "Text", ""), "rc-wide"):
                for one in mine[:_SHOWN]:
                    self._row(one)
            if len(mine) > _SHOWN:
                words("p", f"and {len(mine) - _SHOWN:,} more", "rc-soft rc-small")

    def _row(self, one: UnreadableRecord) -> None:
        name = _name(one)
        cells = one.whose or "everybody's", (one.reason, "rc-fold"), (cut(one.text, 120), "rc-fold rc-code")
        with row((f"{one.kind} {name}", "rc-strong"), *cells), group("td"):
            act("Delete", lambda: self._delete(one), icon="o_delete", kind="danger", aria_label=f"Delete {name}")

    async def _delete(self, one: UnreadableRecord) -> None:
        with complaining():
            remove = self._view.service.store.remove_unreadable
            done = await asyncio.to_thread(remove, one.kind, one.key, owner=self._user)
            ui.notify(f"Deleted {_name(one)}" if done else "It was deleted already", type="positive")
        await self._changed()


def _name(one: UnreadableRecord) -> str:
    """The key of a record for people. Keys of several parts are a JSON array."""
    try:
        parts = json.loads(one.key)
    except ValueError:
        return one.key
    return " ".join(str(part) for part in parts if part) if isinstance(parts, list) else one.key
