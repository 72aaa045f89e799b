"""The button "Why?" of a card, and the explanation that it opens."""

import asyncio
from collections.abc import Awaitable, Callable

from nicegui import ui

from rankcast.engine.explain import Explanation
from rankcast.errors import RankcastError
from rankcast.language.event_words import cut, title_of
from rankcast.model import Event
from rankcast.service.page.computing import compute
from rankcast.service.page.feed.explanation_view import show_attributes, show_explanation, show_facts
from rankcast.service.page.reasons import Arrival
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import group, set_props, words
from rankcast.service.trial_tasks import explain_event


async def _nothing() -> None:
    pass


class EventDetails:
    """Adds the button to the current element, and the panel to `article`. The first click computes the explanation.

    `arrival` is the delivery of the event, if it was delivered; `opened` is called when the panel is opened.
    """

    def __init__(
        self,
        view: View,
        article: ui.element,
        event: Event,
        arrival: Arrival | None = None,
        opened: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._view = view
        self._event = event
        self._arrival = arrival
        self._opened = opened
        self._is_made = False
        self._button = group("button", "rc-link rc-small rc-why", type="button", aria_expanded="false")
        with self._button:
            self._text = words("span", "Why?")
        came = "came" if arrival is not None else "did not come"
        set_props(self._button, aria_label=f"Why {cut(title_of(event), 60)} {came}")
        with article:
            self._panel = group("div", "rc-details rc-column")
        self._panel.set_visibility(False)
        self._button.on("click", self._toggle)

    async def _toggle(self) -> None:
        is_open = not self._panel.visible
        self._panel.set_visibility(is_open)
        self._text.text = "Close" if is_open else "Why?"
        set_props(self._button, aria_expanded="true" if is_open else "false")
        if is_open:
            await self._opened()
        if not is_open or self._is_made:
            return
        self._is_made = True
        with self._panel:
            waiting = words("p", "Replaying the decisions…", "rc-soft")
        found = await self._explained()
        waiting.delete()
        with self._panel:
            match found:
                case str(complaint):
                    words("p", complaint, "rc-note rc-warn")
                case (explanation, titles):
                    show_explanation(explanation, titles)
            if self._arrival is not None:
                show_facts(self._arrival)
            show_attributes(self._event)

    async def _explained(self) -> tuple[Explanation, dict[str, str]] | str:
        settings, user = self._view.service.settings, self._view.user
        try:
            explanation = await compute(
                self._view, explain_event, settings.store, settings.limits.explained, user, self._event.id
            )
            rivals = explanation.decision.rivals if explanation.decision else ()
            return explanation, await asyncio.to_thread(self._titles, [rival.event for rival in rivals])
        except RankcastError as error:
            return str(error)

    def _titles(self, names: list[str]) -> dict[str, str]:
        events = [self._view.service.event(name) for name in names]
        return {event.id: title_of(event) for event in events if event is not None}
