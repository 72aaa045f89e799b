"""What failed: events that could not be served, and records that cannot be read."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from rankcast.language.event_words import cut
from rankcast.model.actors import present_actor
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import act, complaining, emptied, group, more_line, row, table, words
from rankcast.service.trial_tasks import serve_set_aside
from rankcast.store import KeptSetAside
from rankcast.store.unreadable import UnreadableRecord
from rankcast.wording import counted

_PAGE = 20


class SetAsideView:
    """The waiting rows, oldest first, and a button to serve all of them again. `changed` is called afterwards."""

    def __init__(self, view: View, changed: Callable[[], Awaitable[None]]) -> None:
        self._view = view
        self._changed = changed
        self._section = group("section", "rc-card rc-column", aria_label="Set aside")

    async def load(self) -> None:
        """Read the waiting rows."""
        rows = await asyncio.to_thread(self._view.service.store.set_aside_page, None, 0, _PAGE + 1)
        with emptied(self._section):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "Set aside" if rows else "Nothing is set aside")
                if rows:
                    act("Serve again", self._serve, icon="o_replay", kind="main")
            if not rows:
                words("p", "Every event could be served to everybody.", "rc-soft")
                return
            words(
                "p",
                "Serving failed for these users or events, and everybody else went on. After a fix, serve them again.",
                "rc-soft rc-small",
            )
            set_aside_table(rows[:_PAGE])
            if len(rows) > _PAGE:
                words("p", "and more; list all with: rankcast rejects --set-aside", "rc-soft rc-small")

    async def _serve(self) -> None:
        actor = present_actor()
        assert actor is not None, "the guard of the page says who sends an event"
        with complaining():
            ui.notify("Serving again …")
            store = self._view.service.settings.store
            done = await compute(self._view, serve_set_aside, store, None, actor)
            said = f"{done.done:,} served again, {done.failed:,} failed again, {done.delivered:,} delivered"
            ui.notify(said, type="positive" if not done.failed else "warning")
        await self._changed()


def set_aside_table(found: Sequence[KeptSetAside]) -> None:
    """A table of what was set aside, for whom, and why."""
    with table("What was set aside", ("When", "User", "Event", "Why"), "rc-wide"):
        for one in found:
            event = one.event or f"all from {one.seq:,} on"
            error = cut(one.error, 200), "rc-fold"
            row((f"{one.when:%Y-%m-%d %H:%M:%S}", "rc-number"), one.user or "everybody", event, error)


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
        with emptied(self._section):
            words("h2", f"{counted(len(mine), 'record')} cannot be read")
            words(
                "p",
                "They break a rule of this release or are damaged, so they are not used. Create them again, or delete them.",
                "rc-soft rc-small",
            )
            with table("Records that cannot be read", ("Record", "Whose", "Why", "Text", ""), "rc-wide"):
                for one in mine[:_SHOWN]:
                    self._row(one)
            more_line(len(mine) - _SHOWN)

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
