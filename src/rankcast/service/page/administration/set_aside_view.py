"""Events that could not be served, and serving them again."""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from rankcast.language.event_words import cut
from rankcast.model.actors import present_actor
from rankcast.service.page.computing import compute
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, row, table, words
from rankcast.service.trial_tasks import serve_set_aside
from rankcast.store import KeptSetAside

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
