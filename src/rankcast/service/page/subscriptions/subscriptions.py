"""Subscriptions: listing, creating, changing, removing and restoring them."""

import asyncio

from nicegui import ui

from rankcast.language import label, show
from rankcast.model import Subscription
from rankcast.rank import levels, scores_of
from rankcast.service.page.subscriptions.subscription_editor import SubscriptionEditor, read_for_editor
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, complaining, emptied, empty, group, pill, words
from rankcast.wording import capitalised

_PAGE = 100


async def build(view: View) -> None:
    """Build the list of subscriptions, and the editor if the address asks for it."""
    page = _Subscriptions(view)
    await page.load()
    query = view.query
    old = page.mine.get(query.get("edit", ""))
    if old is not None:
        await page.edit(old, query.get("text", show(old.where)))
    elif "new" in query:
        await page.edit(None, query.get("text", ""))


class _Subscriptions:
    def __init__(self, view: View) -> None:
        self._view = view
        self._most = _PAGE
        self.mine: dict[str, Subscription] = {}
        self._tools = group("div", "rc-row")
        with self._tools:
            act("New subscription", lambda: self.edit(None, ""), icon="o_add", kind="main")
        self._editor = group("div")
        self._list = group("div")
        self._undo = UndoBar()

    async def load(self) -> None:
        """Read and list the subscriptions."""
        await asyncio.to_thread(self._read)
        self._draw()

    def _read(self) -> None:
        catalog, user = self._view.service.catalog(), self._view.user
        mine = catalog.subscriptions_of(user)
        self.mine = {one.id: one for one in mine}
        self._preferences = catalog.preferences_of(user)
        self._levels = levels([one.id for one in mine], self._preferences)
        self._scores = scores_of(catalog, user)

    async def edit(self, old: Subscription | None, text: str) -> None:
        """Open the editor, replacing an open one."""
        known = await asyncio.to_thread(read_for_editor, self._view)
        self._editor.clear()
        self._tools.set_visibility(False)
        with self._editor:
            SubscriptionEditor(self._view, known, old, text, self._closed)
        ui.run_javascript("document.querySelector('.rc-editor')?.scrollIntoView({block: 'nearest'})")

    async def _closed(self) -> None:
        self._editor.clear()
        self._tools.set_visibility(True)
        await self.load()

    def _draw(self) -> None:
        mine, level_of, score_of = list(self.mine.values()), self._levels, self._scores
        with emptied(self._list):
            if not mine:
                with empty(
                    "o_bookmark_add",
                    "No subscriptions yet",
                    "Say which events you want: a genre, a price, a word in a title. Or open a demo world.",
                ):
                    act("New subscription", lambda: self.edit(None, ""), icon="o_add")
                    act("Open a demo world", lambda: ui.navigate.to("/worlds"), icon="o_public", kind="quiet")
                return
            with group("ul", "rc-subscriptions", aria_label="Your subscriptions"):
                in_order = sorted(mine, key=lambda one: (-score_of[one.id], level_of[one.id]))
                for one in in_order[: self._most]:
                    self._draw_one(one, score_of[one.id], level_of[one.id] if self._preferences else 0)
            if len(mine) > self._most:
                act(f"{len(mine) - self._most:,} more", self._more, icon="o_expand_more")

    def _more(self) -> None:
        self._most += _PAGE
        self._draw()

    def _draw_one(self, one: Subscription, score: float, level: int) -> None:
        with group("li", "rc-card rc-subscription", data_id=one.id):
            with group("div", "rc-row rc-spread rc-heading"):
                with group("div", "rc-column rc-tight"):
                    words("h2", capitalised(label(one.where)))
                    with group("div", "rc-row rc-wrap"):
                        pill(one.id)
                        if one.score is not None:
                            words("span", f"score {score:.3g}", "rc-soft rc-small")
                        elif level:
                            words("span", f"level {level}, score {score:.3g}", "rc-soft rc-small")
                with group("div", "rc-row rc-tight rc-actions"):
                    text = show(one.where)
                    act("", lambda: self.edit(one, text), icon="o_edit", kind="quiet", label=f"Change {one.id}")
                    act("", lambda: self.edit(None, text), icon="o_content_copy", kind="quiet", label=f"Copy {one.id}")
                    act("", lambda: self._remove(one), icon="o_delete", kind="quiet", label=f"Remove {one.id}")
            words("code", show(one.where), "rc-soft")

    async def _remove(self, one: Subscription) -> None:
        preferences = [pair for pair in self._preferences if one.id in (pair.prefer, pair.over)]

        async def undo() -> None:
            await asyncio.to_thread(self._view.service.put, one, *preferences)
            await self.load()

        with complaining():
            await asyncio.to_thread(self._view.service.remove, one)
            await self.load()
            self._undo.offer(f"Removed {one.id}", undo)
