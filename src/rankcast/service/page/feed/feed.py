"""The live feed: deliveries, newest first."""

import asyncio
from collections import deque
from collections.abc import Sequence

from nicegui import Client, background_tasks, ui

from rankcast.errors import RankcastError
from rankcast.language.event_words import facts, title_of
from rankcast.model import Catalog, Delivery
from rankcast.service.page.controls import text_field, toggle
from rankcast.service.page.feed.event_details import delivery_card
from rankcast.service.page.feed.left_out_view import LeftOutView
from rankcast.service.page.feed.publish_dialog import publish_button
from rankcast.service.page.feed.reaction_bar import Reactions
from rankcast.service.page.reasons import Arrival
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import UndoBar, act, emptied, empty, group, link, set_props, words
from rankcast.service.studies.left_out import count_recent
from rankcast.store import Reaction

_TABS = {"sent": "Sent", "left": "Left out", "saved": "Saved"}
_PAGE = 20
_MOST = 200
"""The most cards on the page. Older ones are loaded on request."""

_LOOK_BACK = 20
"""The number of earlier deliveries that the reason of a card takes into account."""

_PAUSE = 0.3
"""Seconds for which new deliveries are collected before they are shown together."""

_RECENT = 1_000
_RECOUNT = 5.0
"""Seconds between counts of the events that were published and not sent."""

_AT_ONCE = 30
"""If more deliveries than this arrive together, only the newest are shown, and the others follow under "Older"."""


async def build(view: View) -> None:
    """Build the feed of the user."""
    page = _Feed(view)
    await page.load()
    client = ui.context.client
    client.on_delete(page.stop)
    page.task = background_tasks.create(page.follow(client), name=f"feed of {view.user}")


class _Feed:
    """One open feed. `_arrivals` are the deliveries on the page and some earlier ones, newest first."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._service = view.service
        self._arrivals: deque[Arrival] = deque()
        self._cards: dict[int, ui.element] = {}
        self._catalog = Catalog()
        self._waiting: list[Arrival] = []
        self._paused = False
        self._at = 0
        self._counted_at = -1
        self.task: asyncio.Task[None] | None = None
        self._reactions = Reactions(UndoBar(), self._filter)
        self._shows_dismissed = False
        self._has_older = False
        self._tabs = toggle("Which events", _TABS, "sent", self._turned, classes="rc-speeds rc-wrapping")
        self._tools = group("div", "rc-row rc-spread rc-feed-tools")
        with self._tools:
            self._search = text_field(
                "Filter the deliveries",
                changed=lambda _: self._filter(),
                placeholder="Filter",
                classes="rc-search",
                props="clearable debounce=150",
            )
            with group("div", "rc-row rc-tight"):
                self._live = act("Live", self._pause, icon="o_pause", kind="quiet", label="Pause the feed")
                if view.visitor.publishes:
                    publish_button(view)
        with group("div", "rc-row rc-wrap rc-small"):
            self._count = words("p", "", "rc-soft rc-small rc-count")
            self._dismissed = group("button", "rc-link rc-small", type="button").on("click", self._toggle_dismissed)
            with self._dismissed:
                self._dismissed_text = words("span", "")
        self._dismissed.set_visibility(False)
        self._trouble = words("p", "", "rc-note rc-warn").props("role=status")
        self._trouble.set_visibility(False)
        ui.timer(_RECOUNT, self._count_left_out)
        self._new = act("", self._show_waiting, icon="o_arrow_upward", kind="main")
        self._new.classes("rc-new").set_visibility(False)
        self._list = group("ol", "rc-feed", aria_label="Deliveries, newest first", aria_live="polite")
        self._nothing = group("div")
        with group("div", "rc-row rc-centred"):
            self._older = act("Older", self.load, icon="o_expand_more")
        self._older.set_visibility(False)
        self._saved = group("ol", "rc-feed", aria_label="Saved deliveries")
        self._left_out = LeftOutView(view)
        self._left_out.box.set_visibility(False)

    async def _turned(self, tab: str) -> None:
        """Show another tab."""
        if tab == "left":
            self._filter()
            await self._left_out.show(await asyncio.to_thread(self._service.catalog))
            return
        self._left_out.box.set_visibility(False)
        if tab == "saved":
            await self._load_saved()
        self._filter()

    async def _load_saved(self) -> None:
        """Show the saved deliveries, the last saved first."""
        arrivals = await asyncio.to_thread(self._read_saved)
        with emptied(self._saved):
            for arrival in arrivals:
                delivery_card(self._view, arrival, (), self._catalog, self._reactions)
            if not arrivals:
                with empty("o_bookmark_border", "Nothing saved yet", "Save a delivery to find it here again."):
                    act("Back to what was sent", lambda: self._tabs.set_value("sent"))

    def _read_saved(self) -> list[Arrival]:
        user, store = self._view.user, self._service.store
        numbers = self._service.reactions.saved(user, _MOST)
        return self._arrivals_of([found for number in numbers for found in store.deliveries(user, number - 1, 1)])

    # stored deliveries

    async def load(self) -> None:
        """Add the next older deliveries at the end of the page."""
        oldest = min(self._cards, default=0)
        found = await asyncio.to_thread(self._read, oldest)
        self._catalog = await asyncio.to_thread(self._service.catalog)
        known = {arrival.number for arrival in self._arrivals}
        self._arrivals.extend(arrival for arrival in found if arrival.number not in known)
        for arrival in found[:_PAGE]:
            self._add(arrival, top=False)
        self._at = max(self._at, *self._cards, 0) if self._cards else self._at
        self._has_older = len(found) > _PAGE
        self._filter()
        await self._count_left_out()

    def _read(self, before: int) -> list[Arrival]:
        stored = self._service.deliveries(self._view.user, before, _PAGE + _LOOK_BACK, newest_first=True)
        return self._arrivals_of([(number, delivery) for number, delivery in stored if not before or number < before])

    def _arrivals_of(self, numbered: Sequence[tuple[int, Delivery]]) -> list[Arrival]:
        known = self._service.reactions.of(self._view.user, [delivery.event for _, delivery in numbered])
        self._reactions.of = {**self._reactions.of, **known}
        found = [(number, delivery, self._service.event(delivery.event)) for number, delivery in numbered]
        return [Arrival(number, delivery, event) for number, delivery, event in found if event is not None]

    # new deliveries

    async def follow(self, client: Client) -> None:
        """Show new deliveries until the page is closed."""
        await client.connected()
        waiting: asyncio.Queue[tuple[int, Delivery]] = asyncio.Queue()
        listening = background_tasks.create(self._listen(waiting), name=f"listening for {self._view.user}")
        try:
            while True:
                numbered = [await waiting.get()]
                await asyncio.sleep(_PAUSE)
                while not waiting.empty():
                    numbered.append(waiting.get_nowait())
                arrivals = await asyncio.to_thread(self._arrivals_of, numbered[-_MOST:])
                self._catalog = await asyncio.to_thread(self._service.catalog)
                with client:
                    self._take(arrivals)
                    await self._count_left_out()
        finally:
            listening.cancel()

    async def _listen(self, waiting: "asyncio.Queue[tuple[int, Delivery]]") -> None:
        async for numbered in self._service.feeds.listen(self._view.user, after=self._at):
            await waiting.put(numbered)

    def stop(self) -> None:
        """Stop, because the page was closed."""
        if self.task is not None:
            self.task.cancel()

    def _take(self, arrivals: list[Arrival]) -> None:
        if self._paused:
            self._waiting = [*self._waiting, *arrivals][-_MOST:]
            self._new.text = f"{len(self._waiting)} new"
            self._new.set_visibility(True)
            return
        if len(arrivals) > _AT_ONCE:
            self._list.clear()
            self._cards.clear()
            self._has_older = True
        for arrival in arrivals:
            self._arrivals.appendleft(arrival)
        for arrival in arrivals[-_AT_ONCE:]:
            self._add(arrival, top=True)
        while len(self._cards) > _MOST:
            self._cards.pop(min(self._cards)).delete()
            self._has_older = True
        while len(self._arrivals) > _MOST + _LOOK_BACK:
            self._arrivals.pop()
        self._filter()

    def _pause(self) -> None:
        self._paused = not self._paused
        self._live.text = "Paused" if self._paused else "Live"
        self._live.props(f"icon={'o_play_arrow' if self._paused else 'o_pause'}")
        set_props(self._live, aria_label="Go on" if self._paused else "Pause the feed")
        if not self._paused:
            self._show_waiting()

    def _show_waiting(self) -> None:
        arrivals, self._waiting = self._waiting, []
        self._new.set_visibility(False)
        paused, self._paused = self._paused, False
        self._take(arrivals)
        self._paused = paused

    # display

    def _add(self, arrival: Arrival, top: bool) -> None:
        if arrival.number in self._cards:
            return
        before = [earlier for earlier in self._arrivals if earlier.number < arrival.number][:_LOOK_BACK]
        with self._list:
            card = delivery_card(self._view, arrival, before, self._catalog, self._reactions)
        if top:
            card.move(target_index=0)
            card.classes("rc-fresh")
        self._cards[arrival.number] = card

    def _filter(self) -> None:
        asked = (self._search.value or "").strip().lower()
        shown = 0
        for arrival in self._arrivals:
            card = self._cards.get(arrival.number)
            if card is not None:
                card.set_visibility(self._is_shown(arrival) and asked in _searched(arrival))
                shown += card.visible
        listens = bool(self._catalog.subscriptions_of(self._view.user))
        self._tools.set_visibility(listens or bool(self._cards))
        self._count.set_visibility(listens or bool(self._cards))
        self._nothing.clear()
        is_sent = self._tabs.value == "sent"
        self._tabs.set_visibility(listens or bool(self._cards))
        self._list.set_visibility(is_sent)
        self._saved.set_visibility(self._tabs.value == "saved")
        self._search.set_visibility(is_sent and bool(self._cards))
        self._older.set_visibility(is_sent and self._has_older)
        self._show_dismissed()
        if shown or not is_sent:
            return
        with self._nothing:
            if self._cards and not asked:
                with empty("o_done_all", "All dismissed", "New deliveries appear here by themselves."):
                    act("Show them", self._toggle_dismissed)
            elif self._cards:
                with empty(
                    "o_search_off",
                    "No delivery here matches the filter",
                    "Older deliveries may match. Load them below.",
                ):
                    act("Clear the filter", lambda: self._search.set_value(""))
            elif listens:
                with empty(
                    "o_hourglass_empty",
                    "No deliveries yet",
                    "Your subscriptions are active. Events that your policy selects appear here by themselves.",
                ):
                    link("See your subscriptions", "/subscriptions")
            else:
                with empty("o_inbox", "No deliveries yet", "Subscribe to something, or open a demo world."):
                    act("Subscribe", lambda: ui.navigate.to("/subscriptions?new="), kind="main", icon="o_add")
                    act("Open a demo world", lambda: ui.navigate.to("/worlds"), icon="o_public")

    def _is_shown(self, arrival: Arrival) -> bool:
        """Whether the current tab shows a delivery."""
        reaction = self._reactions.of.get(arrival.event.id, Reaction())
        return self._shows_dismissed or not reaction.is_dismissed

    def _show_dismissed(self) -> None:
        """Say how many deliveries on the page are dismissed, with a way to see them."""
        known = [self._reactions.of.get(arrival.event.id, Reaction()) for arrival in self._arrivals]
        count = sum(reaction.is_dismissed for reaction in known)
        self._dismissed.set_visibility(bool(count) and self._tabs.value == "sent")
        self._dismissed_text.text = f"{'Hide' if self._shows_dismissed else 'Show'} {count:,} dismissed"

    def _toggle_dismissed(self) -> None:
        self._shows_dismissed = not self._shows_dismissed
        self._filter()

    async def _count_left_out(self) -> None:
        """Count the recent events that matched and were not sent, after new publications; show pipeline errors."""
        trouble = self._service.runner.error if self._service.settings.pipeline else None
        self._trouble.text = f"Deliveries are held up: {trouble}" if trouble else ""
        self._trouble.set_visibility(bool(trouble))
        try:
            last = await asyncio.to_thread(self._service.store.last_offset)
            if last == self._counted_at:
                return
            counted = await compute(self._view, count_recent, self._service.history(_RECENT), self._view.user)
        except RankcastError:  # too many trials are running; count again the next time
            return
        self._counted_at = last
        self._count.text = (
            f"Of the last {counted.published:,} events, {counted.matched:,} matched: "
            f"{counted.delivered:,} delivered, {counted.left_out:,} left out."
            if counted.published
            else ""
        )


def _searched(arrival: Arrival) -> str:
    """All words of a card in lower case, for the filter."""
    told = [text for pair in facts(arrival.event, most=100) for text in pair]
    return " ".join([title_of(arrival.event), *told, *arrival.delivery.subscriptions]).lower()
