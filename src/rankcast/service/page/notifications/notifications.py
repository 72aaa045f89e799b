"""Notifications: webhooks, quiet hours and digests."""

import asyncio
from contextlib import suppress
from datetime import datetime

from nicegui import ui

from rankcast.language import show_time
from rankcast.service.page.controls import choice, text_field
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import (
    UndoBar,
    act,
    complaining,
    emptied,
    group,
    moment,
    open_dialog,
    pill,
    set_props,
    words,
)
from rankcast.service.push.digests import QuietHours, Schedule
from rankcast.service.push.digests.schedules import parse_clock, show_clock
from rankcast.store.push.webhook_log import Webhook
from rankcast.store.push.webhook_messages import MessageCounts


class WebhookList:
    """The list, and the form for a new webhook."""

    def __init__(self, view: View, undo: UndoBar) -> None:
        self._view = view
        self._undo = undo
        self._endpoints = view.service.webhooks.endpoints
        with group("section", "rc-card rc-column", aria_label="Webhooks"):
            words("h2", "Webhooks")
            words("p", "Every delivery is posted to these addresses, signed with a secret.", "rc-soft rc-small")
            self._list = group("ul", "rc-column")
            self._secret = group("div")
            with group("form", "rc-row rc-wrap") as form:
                self._url = ui.input("Address", placeholder="https://example.com/hook").props("dense outlined type=url")
                set_props(self._url.classes("rc-grow"), aria_label="Address of a new webhook")
                act("Add", self._add, icon="o_add", kind="main", label="Add the webhook", type="submit")
            form.on("submit.prevent", lambda: None)

    async def load(self) -> None:
        """Read and list the webhooks."""
        rows = await asyncio.to_thread(self._read)
        with emptied(self._list):
            if not rows:
                words("li", "No webhooks yet. Deliveries appear in the feed only.", "rc-soft")
            for webhook, counts in rows:
                self._draw(webhook, counts)

    def _read(self) -> list[tuple[Webhook, MessageCounts]]:
        user = self._view.user
        return [(one, self._endpoints.counts(user, one.id)) for one in self._endpoints.of(user)]

    def _draw(self, one: Webhook, counts: MessageCounts) -> None:
        with group("li", "rc-interest rc-column rc-tight"):
            with group("div", "rc-row rc-wrap"):
                words("span", one.url, "rc-strong rc-code")
                pill("active" if one.active else "paused", "" if one.active else "rc-plain")
            words("p", _told(one, counts), "rc-soft rc-small")
            with group("div", "rc-row rc-wrap"):
                act("Try it", lambda: self._try(one), icon="o_send", label=f"Send a test message to {one.url}")
                if one.active:
                    act("Pause", lambda: self._switch(one, False), icon="o_pause", label=f"Pause {one.url}")
                else:
                    act("Resume", lambda: self._switch(one, True), icon="o_play_arrow", label=f"Resume {one.url}")
                if counts.dead:
                    act(f"Send {counts.dead:,} again", lambda: self._replay(one), icon="o_replay")
                act("", lambda: self._ask(one), icon="o_delete", kind="quiet", label=f"Remove {one.url}")

    async def _add(self) -> None:
        with complaining():
            url = (self._url.value or "").strip()
            made, secret = await asyncio.to_thread(self._endpoints.add, self._view.user, url)
            self._url.set_value("")
            with emptied(self._secret), group("div", "rc-note rc-column rc-tight", role="status"):
                words("p", f"The secret of {made.url}. It is shown only this once:")
                words("code", secret, "rc-strong")
            await self.load()

    async def _try(self, one: Webhook) -> None:
        with complaining():
            outcome = await self._view.service.webhooks.test(self._view.user, one.id)
            said = "The receiver accepted the test" if outcome.accepted else f"The test failed: {outcome.reason}"
            ui.notify(said, type="positive" if outcome.accepted else "negative", multi_line=True, close_button="Close")

    async def _switch(self, one: Webhook, is_active: bool) -> None:
        async def switch(on: bool) -> None:
            await asyncio.to_thread(self._endpoints.enable if on else self._endpoints.disable, self._view.user, one.id)
            self._view.service.webhooks.wake()
            await self.load()

        with complaining():
            await switch(is_active)
            self._undo.offer(f"{'Resumed' if is_active else 'Paused'} {one.url}", lambda: switch(not is_active))

    async def _replay(self, one: Webhook) -> None:
        with complaining():
            await asyncio.to_thread(self._endpoints.replay, self._view.user, one.id)
            self._view.service.webhooks.wake()
            await self.load()

    def _ask(self, one: Webhook) -> None:
        """Ask before removing: the secret and the waiting messages cannot be restored."""

        async def remove() -> None:
            dialog.close()
            with complaining():
                await asyncio.to_thread(self._endpoints.remove, self._view.user, one.id)
            await self.load()

        with open_dialog("Remove the webhook?") as dialog:
            words("h2", "Remove the webhook?")
            words("p", f"{one.url} gets nothing any more. Its secret and its waiting messages are deleted for good.")
            with group("div", "rc-row"):
                act("Remove", remove, kind="danger")
                act("Keep it", dialog.close, kind="quiet")


def _told(one: Webhook, counts: MessageCounts) -> str:
    parts = [f"{one.accepted:,} accepted"]
    if one.accepted_at is not None:
        parts.append(f"the last at {show_time(one.accepted_at)}")
    parts += [f"{number:,} {name}" for name, number in counts._asdict().items() if number]
    if one.disabled_because:
        parts.append(one.disabled_because)
    elif one.last_failure and one.failing_since is not None:
        parts.append(f"failing: {one.last_failure}")
    return ", ".join(parts)


_DAYS = {"": "No digest", "daily": "Every day", "weekdays": "On weekdays", "weekends": "On weekends"}
_LATEST = 5


def show_quiet(view: View) -> None:
    """Add the panel to the current element."""
    _Quiet(view)


class _Quiet:
    def __init__(self, view: View) -> None:
        self._view = view
        self._zone_here = "UTC"
        with group("section", "rc-card rc-column", aria_label="Quiet hours and digests"):
            words("h2", "Quiet hours and digests")
            words(
                "p",
                "They delay webhooks. The feed shows every delivery at once.",
                "rc-soft rc-small",
            )
            self._body = group("div", "rc-column")
        ui.timer(0, self._begin, once=True)

    async def _begin(self) -> None:
        """Show the settings. Without any, use the time zone of the visitor's browser.

        The browser is asked before the field exists, so the answer cannot overwrite what the visitor types.
        """
        hours, schedule, latest = await asyncio.to_thread(self._read)
        if hours is None and schedule is None:
            with suppress(TimeoutError):  # no answer: use UTC
                zone = await ui.run_javascript("Intl.DateTimeFormat().resolvedOptions().timeZone", timeout=10)
                self._zone_here = str(zone or "UTC")
        self._draw(hours, schedule, latest)

    def _read(self) -> tuple[QuietHours | None, Schedule | None, list[tuple[datetime, str]]]:
        """The quiet hours, the schedule, and the due times and summaries of the latest digests."""
        digests, user = self._view.service.digests, self._view.user
        kept = digests.schedule(user)
        latest = [
            (digest.due, digests.digest(user, digest.number).summary())
            for digest in digests.digests(user, limit=_LATEST)
        ]
        return digests.quiet_hours(user), None if kept is None else Schedule.of_json(kept.schedule), latest

    def _draw(self, hours: QuietHours | None, schedule: Schedule | None, latest: list[tuple[datetime, str]]) -> None:
        with emptied(self._body):
            with group("div", "rc-row rc-wrap"):
                self._on = ui.switch("Quiet from", value=hours is not None)
                self._from = _clock(show_clock(hours.begins) if hours else "22:00", "Quiet hours begin")
                words("span", "to", "rc-soft")
                self._to = _clock(show_clock(hours.ends) if hours else "07:00", "Quiet hours end")
            with group("div", "rc-row rc-wrap"):
                known = str(schedule.to_json()["days"]) if schedule else ""
                options = {**_DAYS} if known in _DAYS else {**_DAYS, known: "On chosen days"}
                self._days = choice("Digest", options, known, classes="rc-choice")
                words("span", "at", "rc-soft")
                self._at = _clock(show_clock(schedule.at) if schedule else "08:00", "Time of the digest")
            zone = hours.zone if hours else schedule.zone if schedule else self._zone_here
            with group("div", "rc-row rc-wrap"):
                self._zone = text_field("Time zone", zone, is_titled=True, classes="rc-choice")
                act("Save", self._save, label="Save quiet hours and digest")
            for due, summary in latest:
                with group("p", "rc-small rc-row rc-wrap"):
                    moment(due, "rc-when rc-soft")
                    words("span", summary)

    async def _save(self) -> None:
        zone, days = (self._zone.value or "").strip(), self._days.value
        with complaining():
            hours = schedule = None
            if self._on.value:
                hours = QuietHours(parse_clock(self._from.value), parse_clock(self._to.value), zone)
            if days in ("daily", "weekdays", "weekends"):
                schedule = Schedule.of_json({"days": days, "at": self._at.value, "zone": zone})
            await asyncio.to_thread(self._write, hours, schedule, is_scheduled=bool(days))
            ui.notify("Saved", type="positive")
            self._draw(*await asyncio.to_thread(self._read))

    def _write(self, hours: QuietHours | None, schedule: Schedule | None, is_scheduled: bool) -> None:
        """Save the settings. With `is_scheduled` but no `schedule`, a schedule on chosen days stays unchanged."""
        digests, user = self._view.service.digests, self._view.user
        if hours is not None:
            digests.set_quiet_hours(user, hours)
        else:
            digests.remove_quiet_hours(user)
        if schedule is not None:
            digests.set_schedule(user, schedule)
        elif not is_scheduled:
            digests.remove_schedule(user)


def _clock(value: str, label: str) -> ui.input:
    return text_field(label, value, classes="rc-clock", props="type=time")


async def build(view: View) -> None:
    """Build the page."""
    undo = UndoBar()
    with group("div", "rc-columns"):
        webhooks = WebhookList(view, undo)
        show_quiet(view)
    await webhooks.load()
