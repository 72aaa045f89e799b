"""The audit trail: changes to data that is not the actor's own."""

import asyncio

from rankcast.language.event_words import cut
from rankcast.service.page.controls import text_field
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, group, row, set_props, table, words
from rankcast.store.audit_log import ACTIONS, AuditAction, AuditEntry

_PAGE = 25


class AuditView:
    """The newest entries, optionally of one actor, and older ones on request."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._who = ""
        self._oldest: int | None = None
        with group("section", "rc-card rc-column", aria_label="Audit trail"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "Audit trail")
                text_field(
                    "Only entries of this actor",
                    changed=self._filter,
                    placeholder="Actor, such as a token id",
                    props="clearable debounce=300",
                )
            words(
                "p",
                "Who changed tokens, other people's records, retention or the store as a whole. Changes that users make to "
                "their own records are not listed.",
                "rc-soft rc-small",
            )
            titles = ("When", "Who", "What", "Whose", "Detail")
            with table("Entries of the audit trail", titles, "rc-wide") as self._rows:
                pass
            self._nothing = words("p", "", "rc-soft")
            with group("div", "rc-row rc-centred"):
                self._older = act("Older", self._more, icon="o_expand_more")

    async def load(self) -> None:
        """Show the newest entries."""
        self._rows.clear()
        self._oldest = None
        await self._more()

    async def _filter(self, who: str | None) -> None:
        self._who = who or ""
        await self.load()

    async def _more(self) -> None:
        entries = self._view.service.audit.entries
        found = await asyncio.to_thread(entries, _PAGE + 1, self._oldest, None, self._who or None)
        with self._rows:
            for entry in found[:_PAGE]:
                _row(entry)
        is_empty = not found and self._oldest is None
        self._nothing.text = ("No actor contains this text." if self._who else "Nothing yet.") if is_empty else ""
        self._nothing.visible = is_empty
        self._older.set_visibility(len(found) > _PAGE)
        if found:
            self._oldest = found[:_PAGE][-1].number


def _row(entry: AuditEntry) -> None:
    meaning = ACTIONS[AuditAction(entry.action)] if entry.action in list(AuditAction) else ""
    with row((f"{entry.when:%Y-%m-%d %H:%M:%S}", "rc-number"), entry.who):
        set_props(words("td", entry.action, "rc-strong"), title=meaning)
        words("td", entry.subject or "")
        words("td", cut(entry.detail, 200), "rc-fold")
