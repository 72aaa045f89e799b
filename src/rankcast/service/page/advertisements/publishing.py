"""The form that publishes one event under an advertisement."""

import asyncio
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from uuid import uuid4

from nicegui import ui

from rankcast.language import decode_event
from rankcast.language.json_text import read_object
from rankcast.model import Advertisement
from rankcast.overlay import check_publication
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, set_props, whole_number, words

__all__ = ["PublishingForm"]


class PublishingForm:
    """Asks for the attributes of an event and a k, and publishes it under `one`; calls `closed` when done."""

    def __init__(self, view: View, one: Advertisement, closed: Callable[[], Awaitable[None]]) -> None:
        self._view, self._one = view, one
        with group("section", "rc-card rc-editor rc-column", aria_label=f"Publish under {one.id}"):
            words("h2", f"Publish under {one.id}")
            self._attributes = ui.textarea(label="Attributes, as JSON", value="{}").props("dense outlined autogrow")
            set_props(self._attributes, aria_label="Attributes, as JSON", placeholder='{"price": 20}')
            self._k = ui.number(label=f"k, at most {one.k:,}", value=one.k, min=1, max=one.k)
            set_props(self._k.props("dense outlined").classes("rc-amount"), aria_label="k")
            with group("div", "rc-row"):
                act("Publish it", self._publish, icon="o_send", kind="main")
                act("Close", closed, kind="quiet")
            self._told = group("div", "", role="status")

    async def _publish(self) -> None:
        with complaining():
            form = {
                "id": uuid4().hex,
                "time": datetime.now(UTC).isoformat(),
                "attributes": read_object((self._attributes.value or "").encode()),
                "advertisement": self._one.id,
                "k": whole_number("k", self._k.value),
            }
            event = decode_event(form)
            catalog = await asyncio.to_thread(self._view.service.catalog)
            catalog.check_event(event)
            check_publication(catalog, event)
            (receipt,) = await asyncio.to_thread(self._view.service.publish, [event])
            self._told.clear()
            with self._told:
                best = "its best match" if event.k == 1 else f"its {event.k:,} best matches"
                words("p", f"Published at offset {receipt.offset:,}, to {best}.", "rc-note")
