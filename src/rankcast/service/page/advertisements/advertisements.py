"""Advertisements: listing, making, changing and withdrawing them, and publishing under one."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import uuid4

from nicegui import ui

from rankcast.errors import CatalogError
from rankcast.language import decode_event, label, parse, show
from rankcast.language.json_text import read_object
from rankcast.model import Advertisement, Catalog, Ranking, ScorerName
from rankcast.overlay import check_publication, registered_scorers
from rankcast.service.page.controls import choice, number_field, text_field
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import (
    UndoBar,
    act,
    complaining,
    emptied,
    empty,
    group,
    pill,
    set_props,
    whole_number,
    words,
)
from rankcast.service.record_costs import check_cost
from rankcast.wording import capitalised


class AdvertisementEditor:
    """Makes an advertisement, or changes `old`; calls `closed` when done."""

    def __init__(self, view: View, old: Advertisement | None, closed: Callable[[], Awaitable[None]]) -> None:
        self._view, self._old, self._closed = view, old, closed
        with group("section", "rc-card rc-editor rc-column", aria_label="Advertisement"):
            words("h2", "New advertisement" if old is None else f"Change {old.id}")
            with group("div", "rc-row rc-wrap"):
                self._id = _text("Id", "" if old is None else old.id)
                self._publisher = _text("Publisher", view.user if old is None else old.publisher)
                title = "Recipients per publication (k)"
                self._k = number_field(title, 1 if old is None else old.k, title=title, classes="rc-grow", min=1)
                self._rank = _choice("Ranked", Ranking, Ranking.RELEVANCE if old is None else old.rank)
                self._score = _choice("Relevance score", ScorerName, ScorerName.AREA if old is None else old.score)
                self._function = self._own_functions()
            self._where = _text("Expression that its publications match", "" if old is None else show(old.where))
            set_props(self._where, placeholder="price between 0 and 100")
            if old is not None:
                self._id.disable()
            with group("div", "rc-row"):
                act("Save", self._save, icon="o_check", kind="main")
                act("Cancel", closed, kind="quiet")

    def _own_functions(self) -> ui.select | None:
        """A choice of the ranking functions that the service has registered; None if it has none."""
        chosen = None if self._old is None else self._old.function
        names = sorted({*registered_scorers(), *filter(None, [chosen])})
        label = "Own function in place of the score"
        options = {"": "none", **{name: name for name in names}}
        return choice(label, options, chosen or "", is_titled=True, classes="rc-grow") if names else None

    async def _save(self) -> None:
        with complaining():
            made = Advertisement(
                id=(self._id.value or "").strip(),
                publisher=(self._publisher.value or "").strip(),
                where=parse(self._where.value or ""),
                k=whole_number("k", self._k.value),
                rank=Ranking(self._rank.value),
                score=ScorerName(self._score.value),
                function=None if self._function is None else self._function.value or None,
            )
            check_cost(made, self._view.service.settings.limits)
            await asyncio.to_thread(self._view.service.put, made, check=self._check)
            await self._closed()

    def _check(self, catalog: Catalog) -> None:
        name = (self._id.value or "").strip()
        if self._old is None and name in catalog.advertisements:
            raise CatalogError(f"the id {name!r} is taken; choose another")


def _text(label: str, value: str) -> ui.input:
    return text_field(label, value, is_titled=True, classes="rc-grow")


def _choice(label: str, words_of: type[Ranking] | type[ScorerName], value: Ranking | ScorerName) -> ui.select:
    return choice(label, {one.value: one.title for one in words_of}, value.value, is_titled=True, classes="rc-grow")


class PublishingForm:
    """Asks for the attributes of an event and a k, and publishes it under `one`; calls `closed` when done."""

    def __init__(self, view: View, one: Advertisement, closed: Callable[[], Awaitable[None]]) -> None:
        self._view, self._one = view, one
        with group("section", "rc-card rc-editor rc-column", aria_label=f"Publish under {one.id}"):
            words("h2", f"Publish under {one.id}")
            self._attributes = ui.textarea(label="Attributes, as JSON", value="{}").props("dense outlined autogrow")
            set_props(self._attributes, aria_label="Attributes, as JSON", placeholder='{"price": 20}')
            self._k = number_field("k", one.k, title=f"k, at most {one.k:,}", classes="rc-amount", min=1, max=one.k)
            with group("div", "rc-row"):
                act("Publish it", self._publish, icon="o_send", kind="main")
                act("Close", closed, kind="quiet")
            self._told = group("div", "", role="status")

    async def _publish(self) -> None:
        with complaining():
            now = datetime.now(UTC)
            form = {
                "id": uuid4().hex,
                "attributes": read_object((self._attributes.value or "").encode()),
                "advertisement": self._one.id,
                "k": whole_number("k", self._k.value),
            }
            event = decode_event(form, now)
            self._view.service.settings.limits.event.check(event, now)
            catalog = await asyncio.to_thread(self._view.service.catalog)
            catalog.check_event(event)
            check_publication(catalog, event)
            (receipt,) = await asyncio.to_thread(self._view.service.publish, [event])
            with emptied(self._told):
                best = "its best match" if event.k == 1 else f"its {event.k:,} best matches"
                words("p", f"Published at offset {receipt.offset:,}, to {best}.", "rc-note")


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
        with emptied(self._list):
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
