"""A dialog to publish one event by hand."""

import asyncio
import json
from datetime import UTC, datetime
from uuid import uuid4

from nicegui import ui

from rankcast.errors import RankcastError, RecordError
from rankcast.language import decode_event, encode_event
from rankcast.language.event_words import cut, title_of
from rankcast.language.json_text import read_object
from rankcast.model import Catalog, Event
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import act, complaining, group, more_line, set_props, words
from rankcast.service.studies.left_out import Publication, publication_of
from rankcast.wording import listed

_LOOK = 0.1
_PATIENCE = 100
"""How often the dialog looks whether the event is served."""

_NAMED = 20
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
        with (
            set_props(ui.dialog(), aria_label="Publish an event") as self._dialog,
            ui.card().classes("rc-column rc-dialog"),
        ):
            self._form = group("div", "rc-column")
            self._outcome = group("div", "rc-column", role="status")
            with self._form:
                words("h2", "Publish an event")
                words("p", "Write its attributes as JSON. The id and the time are added.", "rc-soft rc-small")
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
        self._show_form(True)
        self._dialog.open()

    def _event(self) -> Event:
        """The event, checked against the catalog as of opening the dialog. The store checks it again."""
        try:
            attributes = read_object(self._text.value or "")
        except RecordError as error:
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
            event = self._event()
            (receipt,) = await asyncio.to_thread(self._view.service.publish, [event])
            self._show_form(False)
            await self._tell(event, receipt.offset)

    def _show_form(self, is_form: bool) -> None:
        self._form.set_visibility(is_form)
        self._outcome.clear()
        self._outcome.set_visibility(not is_form)

    async def _tell(self, event: Event, offset: int) -> None:
        """Say who got the event and who did not, as soon as it is served."""
        with self._outcome:
            words("h2", f"Published {cut(title_of(event), 60)}")
            waiting = words("p", "It is being served…", "rc-soft")
        service = self._view.service
        for _ in range(_PATIENCE):
            if await asyncio.to_thread(service.store.reached) >= offset:
                break
            await asyncio.sleep(_LOOK)
        else:
            waiting.text = "It is in the log. The pipeline is not serving now; see the monitor."
            return
        settings = service.settings
        found = await compute(self._view, publication_of, settings.store, settings.limits.explained, event.id)
        waiting.delete()
        with self._outcome:
            _show_publication(found)
            with group("div", "rc-row"):
                act("Publish another", lambda: self._show_form(True))
                act("Close", self._dialog.close, kind="quiet")


def _show_publication(found: Publication) -> None:
    count = len(found.sent)
    if count:
        words("p", f"Sent to {count:,}: {listed(found.sent, _NAMED)}.", "rc-note")
    else:
        words("p", "Nobody has received it.", "rc-note")
    if found.left_out:
        words("h3", "It matched, but was not sent to")
        with group("ul", "rc-column rc-tight rc-outcomes"):
            for user, because in found.left_out.items():
                with group("li"):
                    words("strong", user)
                    words("span", f": {because}")
        more_line(found.more_left_out, "users")
    if found.unmatched:
        whose = "the other" if found.sent or found.left_out else "any of the"
        words("p", f"It matches no subscription of {whose} {found.unmatched:,} users.", "rc-soft rc-small")
