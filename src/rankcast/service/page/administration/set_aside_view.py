"""Events that could not be served, and serving them again."""

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

from rankcast.language.event_words import cut
from rankcast.model.actors import present_actor
from rankcast.service.page.computing import compute
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, table, words
from rankcast.service.trial_tasks import serve_set_aside

__all__ = ["SetAsideView"]

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
        self._section.clear()
        with self._section:
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
            with table("What was set aside", ("When", "User", "Event", "Why"), "rc-wide"):
                for row in rows[:_PAGE]:
                    with group("tr"):
                        words("td", f"{row.when:%Y-%m-%d %H:%M:%S}", "rc-number")
                        words("td", row.user or "everybody")
                        words("td", row.event or f"all from {row.seq:,} on")
                        words("td", cut(row.error, 200), "rc-fold")
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
