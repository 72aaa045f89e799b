"""A card for one delivery: the event, its time, the reason, and details on demand."""

import asyncio
from collections.abc import Sequence
from urllib.parse import quote

from nicegui import ui

from rankcast.engine.explain import Explanation
from rankcast.errors import RankcastError
from rankcast.language import label, show_time
from rankcast.model import Catalog
from rankcast.service.event_words import cut, facts, title_of
from rankcast.service.page.computing import compute
from rankcast.service.page.feed.explanation_view import show_attributes, show_explanation, show_facts
from rankcast.service.page.reasons import Arrival, sentence
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import fill_bar, group, link, set_props, words
from rankcast.service.studies.accounts import account_of

__all__ = ["delivery_card"]


def delivery_card(view: View, arrival: Arrival, before: Sequence[Arrival], catalog: Catalog) -> ui.element:
    """Add the card to the current list. `before` are the earlier deliveries, newest first."""
    delivery, event = arrival.delivery, arrival.event
    title = title_of(event)
    card = group("li", "rc-card rc-delivery", data_number=str(arrival.number))
    with card, group("article", "", aria_label=title):
        with group("div", "rc-row rc-spread rc-heading"):
            words("h2", title)
            with group("span", "rc-row rc-rank"):
                fill_bar(delivery.rank, f"rank {delivery.rank:.3g} of 1")
                words("span", f"{delivery.rank:.2f}", "rc-number rc-small rc-soft")
        words("p", sentence(arrival, before, catalog), "rc-reason")
        with group("p", "rc-facts rc-small"):
            for name, value in facts(event):
                with group("span", "rc-fact"):
                    words("span", name, "rc-soft")
                    words("span", value)
        with group("div", "rc-row rc-wrap rc-foot"):
            set_props(words("time", show_time(event.time), "rc-when rc-small rc-soft"), datetime=show_time(event.time))
            for name in delivery.subscriptions:
                known = catalog.subscriptions.get(name)
                said = label(known.where) if known else "removed since"
                set_props(link(name, f"/subscriptions?edit={quote(name)}", "rc-pill"), title=said)
            _Details(view, arrival)
    return card


class _Details:
    """The button for the full explanation, which is computed on the first click."""

    def __init__(self, view: View, arrival: Arrival) -> None:
        self._view = view
        self._arrival = arrival
        self._made = False
        self._button = group("button", "rc-link rc-small rc-why", type="button", aria_expanded="false")
        with self._button:
            self._text = words("span", "Why?")
        set_props(self._button, aria_label=f"Why {cut(title_of(arrival.event), 60)} came")
        article = self._button.parent_slot.parent.parent_slot.parent  # type: ignore[union-attr]  # it is in the card
        with article:
            self._panel = group("div", "rc-details rc-column")
        self._panel.set_visibility(False)
        self._button.on("click", self._toggle)

    async def _toggle(self) -> None:
        opened = not self._panel.visible
        self._panel.set_visibility(opened)
        self._text.text = "Close" if opened else "Why?"
        set_props(self._button, aria_expanded="true" if opened else "false")
        if not opened or self._made:
            return
        self._made = True
        with self._panel:
            waiting = words("p", "Looking at every decision again…", "rc-soft")
        found = await self._explained()
        waiting.delete()
        with self._panel:
            match found:
                case str(complaint):
                    words("p", complaint, "rc-note rc-warn")
                case (explanation, titles, skipped):
                    show_explanation(explanation, titles)
                    if skipped:
                        words("p", f"The first {skipped:,} events were not looked at again.", "rc-soft rc-small")
            show_facts(self._arrival)
            show_attributes(self._arrival.event)

    async def _explained(self) -> tuple[Explanation, dict[str, str], int] | str:
        place = self._view.service.settings.store
        try:
            explanation, skipped = await compute(self._view, account_of, place, self._arrival.delivery)
            rivals = explanation.decision.rivals if explanation.decision else ()
            return explanation, await asyncio.to_thread(self._titles, [rival.event for rival in rivals]), skipped
        except RankcastError as error:
            return str(error)

    def _titles(self, names: list[str]) -> dict[str, str]:
        events = [self._view.service.event(name) for name in names]
        return {event.id: title_of(event) for event in events if event is not None}
