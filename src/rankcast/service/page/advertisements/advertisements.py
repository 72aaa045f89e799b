"""Advertisements: listing, making, changing and withdrawing them, and publishing under one."""

import asyncio

from nicegui import ui

from rankcast.language import label, show
from rankcast.model import Advertisement
from rankcast.service.page.advertisements.advertisement_editor import AdvertisementEditor, PublishingForm
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, complaining, empty, group, pill, words
from rankcast.wording import capitalised

_MOST = 200
"""The most advertisements that are listed."""


async def build(view: View) -> None:
    """Build the list of advertisements."""
    await _Advertisements(view).load()


class _Advertisements:
    def __init__(self, view: View) -> None:
        self._view = view
        self._tools = group("div", "rc-row")
        with self._tools:
            act("New advertisement", lambda: self._edit(None), icon="o_add", kind="main")
        self._editor = group("div")
        self._list = group("div")
        self._undo = UndoBar()

    async def load(self) -> None:
        """Read and list the advertisements."""
        catalog = await asyncio.to_thread(self._view.service.catalog)
        self._draw(sorted(catalog.advertisements.values(), key=lambda one: one.id))

    def _draw(self, known: list[Advertisement]) -> None:
        self._list.clear()
        with self._list:
            if not known:
                with empty(
                    "o_campaign",
                    "No advertisements yet",
                    "A publisher says what it will publish, and to how many subscriptions each publication goes.",
                ):
                    act("New advertisement", lambda: self._edit(None), icon="o_add")
                return
            with group("ul", "rc-subscriptions", aria_label="Advertisements"):
                for one in known[:_MOST]:
                    self._draw_one(one)
            if len(known) > _MOST:
                words("p", f"{len(known) - _MOST:,} more are not shown; the API lists all.", "rc-note")

    def _draw_one(self, one: Advertisement) -> None:
        with group("li", "rc-card rc-subscription", data_id=one.id):
            with group("div", "rc-row rc-spread rc-heading"):
                with group("div", "rc-column rc-tight"):
                    words("h2", capitalised(label(one.where)))
                    with group("div", "rc-row rc-wrap"):
                        pill(one.id)
                        words("span", f"by {one.publisher}, {_promise(one)}", "rc-soft rc-small")
                with group("div", "rc-row rc-tight rc-actions"):
                    act("Publish", lambda: self._publish(one), icon="o_send", label=f"Publish under {one.id}")
                    act("", lambda: self._edit(one), icon="o_edit", kind="quiet", label=f"Change {one.id}")
                    act("", lambda: self._withdraw(one), icon="o_delete", kind="quiet", label=f"Withdraw {one.id}")
            words("code", show(one.where), "rc-soft")

    def _edit(self, old: Advertisement | None) -> None:
        self._open()
        with self._editor:
            AdvertisementEditor(self._view, old, self._closed)

    def _publish(self, one: Advertisement) -> None:
        self._open()
        with self._editor:
            PublishingForm(self._view, one, self._closed)

    def _open(self) -> None:
        self._editor.clear()
        self._tools.set_visibility(False)
        ui.run_javascript("document.querySelector('.rc-editor')?.scrollIntoView({block: 'nearest'})")

    async def _closed(self) -> None:
        self._editor.clear()
        self._tools.set_visibility(True)
        await self.load()

    async def _withdraw(self, one: Advertisement) -> None:
        async def undo() -> None:
            await asyncio.to_thread(self._view.service.put, one)
            await self.load()

        with complaining():
            await asyncio.to_thread(self._view.service.remove, one)
            await self.load()
            self._undo.offer(f"Withdrew {one.id}", undo)


def _promise(one: Advertisement) -> str:
    ranking = f"by {one.function}" if one.function else one.rank.title.lower()
    return f"to {'the best' if one.k == 1 else f'the {one.k:,} best'} each, {ranking}"
