"""What mining changed on an attribute, for whom, and the buttons to mine now and to undo."""

import asyncio
from collections.abc import Awaitable, Callable

from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import act, complaining, emptied, group, more_line, row, table, words
from rankcast.store import MiningRun

_SHOWN = 5
_USERS = 8


class MiningView:
    """The last runs. Administrators see all effects and can act; others see the effects on themselves."""

    def __init__(self, view: View, changed: Callable[[], Awaitable[None]]) -> None:
        self._view = view
        self._changed = changed
        self._attribute = ""
        with group("section", "rc-card rc-column", aria_label="Mined meanings"):
            with group("div", "rc-row rc-wrap rc-spread"):
                words("h2", "Meanings that follow the data")
                self._actions = group("div", "rc-row")
            self._told = words("p", "", "rc-soft")
            self._runs = group("div", "rc-column")

    async def show(self, attribute: str) -> None:
        """Show the runs on an attribute."""
        self._attribute = attribute
        service, is_all = self._view.service, self._view.visitor.switches
        user = None if is_all else self._view.user
        runs = await asyncio.to_thread(service.miner.log.runs, attribute, _SHOWN, user)
        if attribute != self._attribute:
            return
        self._told.text = self._schedule(attribute)
        self._actions.clear()
        if is_all:
            with self._actions:
                act("Mine now", self._mine, icon="o_autorenew")
        with emptied(self._runs):
            if not runs:
                words("p", "Mining has changed nothing here yet.", "rc-soft")
            for at, run in enumerate(runs):
                self._show_run(run, may_undo=is_all and at == 0 and run.undone is None)

    def _schedule(self, attribute: str) -> str:
        miner = self._view.service.miner
        if attribute not in miner.attributes:
            return (
                f"{attribute} is mined only when an administrator asks for it (rankcast serve --mine sets a schedule)."
            )
        state = miner.states.get(attribute)
        last = f" Last time: {state.reason or 'changed'} ({state.time:%Y-%m-%d %H:%M})." if state is not None else ""
        return f"{attribute} is mined again every {miner.every}.{last}"

    def _show_run(self, run: MiningRun, may_undo: bool) -> None:
        with group("div", "rc-column rc-tight"):
            with group("div", "rc-row rc-wrap rc-spread"):
                names = ", ".join(one.name for one in run.after)
                undone = f", undone {run.undone:%Y-%m-%d %H:%M}" if run.undone is not None else ""
                words("span", f"{run.done:%Y-%m-%d %H:%M}: {names}{undone}", "rc-strong")
                if may_undo:
                    act("Undo", lambda: self._undo(run.number), icon="o_undo", label=f"Undo run {run.number}")
            moved = "new" if None in run.before else f"degrees moved by {run.shift:.2f} on average"
            words("span", f"{moved}; from {run.counted:,} values", "rc-soft rc-small")
            if not run.effects:
                whom = "Nobody" if self._view.visitor.switches else "None of your subscriptions"
                words("span", f"{whom} matches more or less of the {run.tried:,} events tried.", "rc-soft rc-small")
                return
            with table(f"What run {run.number} changed", ("Of", "Subscription", "Matches before", "After")):
                for effect in run.effects[:_USERS]:
                    counts = (f"{effect.before:,}", "rc-number"), (f"{effect.after:,}", "rc-number")
                    row(effect.user, (effect.subscription, "rc-strong"), *counts)
            more = len(run.effects) - _USERS + run.more if len(run.effects) > _USERS else run.more
            if self._view.visitor.switches:
                more_line(more, "subscriptions")

    async def _mine(self) -> None:
        with complaining():
            done = await asyncio.to_thread(self._view.service.miner.adapt, self._attribute, is_asked=True)
            await self._changed()
            if done.run is None:
                self._told.text = f"Nothing changed: {done.reason}."

    async def _undo(self, number: int) -> None:
        with complaining():
            await asyncio.to_thread(self._view.service.miner.undo, number)
            await self._changed()
