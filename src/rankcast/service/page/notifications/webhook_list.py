"""The webhooks of a user: adding, trying, pausing and removing them, and what could not be sent."""

import asyncio

from nicegui import ui

from rankcast.language import show_time
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, complaining, group, open_dialog, pill, set_props, words
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
        self._list.clear()
        with self._list:
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
            self._secret.clear()
            with self._secret, group("div", "rc-note rc-column rc-tight", role="status"):
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
