"""Notifications: webhooks, quiet hours and digests."""

import asyncio
from contextlib import suppress

from nicegui import ui

from rankcast.language import show_time
from rankcast.service.page.controls import choice, text_field
from rankcast.service.page.notifications.webhook_list import WebhookList
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, complaining, group, set_props, words
from rankcast.service.push.digests import QuietHours, Schedule
from rankcast.service.push.digests.schedules import parse_clock, show_clock

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

    def _read(self) -> tuple[QuietHours | None, Schedule | None, list[tuple[str, str]]]:
        """The quiet hours, the schedule, and the due times and summaries of the latest digests."""
        digests, user = self._view.service.digests, self._view.user
        kept = digests.schedule(user)
        latest = [
            (show_time(digest.due), digests.digest(user, digest.number).summary())
            for digest in digests.digests(user, limit=_LATEST)
        ]
        return digests.quiet_hours(user), None if kept is None else Schedule.of_json(kept.schedule), latest

    def _draw(self, hours: QuietHours | None, schedule: Schedule | None, latest: list[tuple[str, str]]) -> None:
        self._body.clear()
        with self._body:
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
                    set_props(words("time", due, "rc-when rc-soft"), datetime=due)
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
