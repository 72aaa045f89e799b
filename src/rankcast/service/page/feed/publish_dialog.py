"""A dialog to publish one event by hand."""

import asyncio
import json
from datetime import UTC, datetime
from uuid import uuid4

from nicegui import ui

from rankcast.errors import RankcastError
from rankcast.language import decode_event, encode_event
from rankcast.model import Catalog, Event
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, group, words

__all__ = ["publish_button"]

_EXAMPLE = {"title": "Big Fish", "genre": ["drama", "comedy"], "year": 2003}


def publish_button(view: View) -> ui.button:
    """A button that opens the dialog."""
    dialog = _PublishDialog(view)
    return act("Publish", dialog.open, icon="o_send", kind="quiet", label="Publish an event")


class _PublishDialog:
    """A dialog for the attributes as JSON, which starts with those of the last event."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._catalog = Catalog()
        with ui.dialog() as self._dialog, ui.card().classes("rc-column rc-dialog"):
            words("h2", "Publish an event")
            words("p", "Its attributes, as JSON. The id and the time are given to it.", "rc-soft rc-small")
            self._text = (
                ui.textarea("Attributes", on_change=self._check)
                .props("outlined autogrow debounce=200 spellcheck=false input-class=rc-code")
                .classes("rc-text")
            )
            self._wrong = words("p", "", "rc-bad rc-small").props("role=alert")
            with group("div", "rc-row"):
                self._button = act("Publish it", self._publish, icon="o_send", kind="main")
                act("Close", self._dialog.close, kind="quiet")

    async def open(self) -> None:
        """Open the dialog."""
        last = await asyncio.to_thread(self._view.service.recent_events, 1)
        self._catalog = await asyncio.to_thread(self._view.service.catalog)
        attributes = encode_event(last[0])["attributes"] if last else _EXAMPLE
        self._text.set_value(json.dumps(attributes, indent=1, ensure_ascii=False))
        self._dialog.open()

    def _event(self) -> Event:
        """The event, checked against the catalog as of opening the dialog. The store checks it again."""
        try:
            attributes: object = json.loads(self._text.value or "")
        except ValueError as error:
            raise RankcastError(f"this is not JSON: {error}") from None
        now = datetime.now(UTC)
        event = decode_event({"id": uuid4().hex, "attributes": attributes}, now=now)
        self._view.service.settings.limits.event.check(event, now)
        self._catalog.check_event(event)
        return event

    def _check(self) -> None:
        try:
            self._event()
            self._wrong.text = ""
        except RankcastError as error:
            self._wrong.text = str(error)
        self._button.set_enabled(not self._wrong.text)

    async def _publish(self) -> None:
        with complaining():
            await asyncio.to_thread(self._view.service.publish, [self._event()])
            self._dialog.close()
            ui.notify("Published; if it is worth sending, it appears in a moment", type="positive")
