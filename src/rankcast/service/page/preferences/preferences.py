"""The preference editor: subscriptions in levels (by dragging or buttons), single pairs, and the graph."""

import asyncio

from nicegui import ui
from nicegui.events import SortableEventArguments

from rankcast.errors import PreferenceCycle, RankcastError
from rankcast.language import label
from rankcast.model import Preference, Subscription
from rankcast.rank import scores_of
from rankcast.service.page.controls import choice
from rankcast.service.page.preferences.preference_drawing import draw_preferences, grouped, moved, pairs_of, says_levels
from rankcast.service.page.reasons import short_name
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import UndoBar, act, drawing, emptied, empty, group, pill, set_props, words

_MOST = 100
"""The most subscriptions that can be arranged by hand."""


async def build(view: View) -> None:
    """Build the levels, the pairs and the graph of the user."""
    await _Preferences(view).load()


class _Preferences:
    def __init__(self, view: View) -> None:
        self._view = view
        self._body = group("div", "rc-column")
        self._undo = UndoBar()

    async def load(self) -> None:
        """Read the preferences and draw the page."""
        await asyncio.to_thread(self._read)
        self._draw()

    def _read(self) -> None:
        catalog = self._view.service.catalog()
        self._mine = {one.id: one for one in catalog.subscriptions_of(self._view.user)}
        self._pairs = catalog.preferences_of(self._view.user)
        self._scores = scores_of(catalog, self._view.user)
        self._levels = grouped(list(self._mine), self._pairs)

    def _draw(self) -> None:
        with emptied(self._body):
            if len(self._mine) < 2:
                with empty(
                    "o_swap_vert",
                    "Nothing to compare yet",
                    "With two or more subscriptions, you can say which you prefer.",
                ):
                    act("New subscription", lambda: ui.navigate.to("/subscriptions?new="), icon="o_add", kind="main")
                return
            if len(self._mine) > _MOST:
                words(
                    "p", f"{len(self._mine):,} subscriptions are too many to arrange here; give them scores.", "rc-note"
                )
                return
            with group("div", "rc-columns"):
                with group("section", "rc-column", aria_label="Levels"):
                    self._draw_levels()
                with group("section", "rc-column", aria_label="Graph and pairs"):
                    self._draw_graph()
                    self._draw_pairs()

    # levels

    def _draw_levels(self) -> None:
        words("p", "Drag what you prefer to the top, or move it by its arrows. Level 1 counts most.", "rc-soft")
        self._boxes: dict[int, int] = {}
        for number, names in enumerate([*self._levels, []]):
            with group("div", "rc-level" + ("" if names else " rc-new-level")):
                words("h2", f"Level {number + 1}" if names else "A new level below")
                box = ui.column().classes("rc-level-items")
                set_props(box, role="list", aria_label=f"Level {number + 1}")
                with box:
                    for name in names:
                        self._draw_item(self._mine[name], number)
                box.make_sortable(group="rc-levels", handle=".rc-grip", ghost_class="rc-ghost", on_end=self._dropped)
                self._boxes[box.id] = number
        if not says_levels(list(self._mine), self._pairs):
            words(
                "p",
                "Your pairs do not compare all of these. If you move one, every level as a whole is preferred over the next.",
                "rc-note rc-warn rc-small",
            )

    def _draw_item(self, one: Subscription, level: int) -> None:
        with group("div", "rc-level-item", role="listitem", data_id=one.id):
            set_props(ui.icon("drag_indicator").classes("rc-grip"), aria_hidden="true")
            with group("div", "rc-column rc-tight rc-grow"):
                words("span", short_name(one.where), "rc-strong")
                own = " of its own, independent of the level" if one.score is not None else ""
                words("span", f"{one.id}, score {self._scores[one.id]:.3g}{own}", "rc-soft rc-small")
            up = self._arrow(one.id, level - 1, "up", "o_arrow_upward")
            down = self._arrow(one.id, level + 1, "down", "o_arrow_downward")
            alone = len(self._levels[level]) == 1
            up.set_enabled(level > 0 or not alone)
            down.set_enabled(level < len(self._levels) - 1 or not alone)

    def _arrow(self, name: str, to: int, where: str, icon: str) -> ui.button:
        return act("", lambda: self._move(name, to), icon=icon, kind="quiet", label=f"Move {name} {where}")

    async def _dropped(self, event: SortableEventArguments) -> None:
        name = str(event.item.props["data-id"])
        to = self._boxes.get(event.target.id, 0)
        if event.source is not event.target:
            await self._move(name, to)

    async def _move(self, name: str, to: int) -> None:
        after = moved(self._levels, name, to)
        await self._save(pairs_of(after, self._view.user), f"Moved {name}")

    # pairs

    def _draw_pairs(self) -> None:
        words("h2", "Pairs")
        names = {name: short_name(one.where) for name, one in self._mine.items()}
        with group("div", "rc-row rc-wrap"):
            words("span", "I prefer", "rc-soft")
            prefer = choice("The preferred one", names, classes="rc-choice")
            words("span", "over", "rc-soft")
            over = choice("The other one", names, classes="rc-choice")
            act("Add", lambda: self._add(prefer.value, over.value), icon="o_add")
        self._refused = group("div", "", role="alert")
        with group("ul", "rc-column rc-tight", aria_label="Pairs"):
            for pair in self._pairs:
                with group("li", "rc-pair"):
                    pill(names[pair.prefer])
                    words("span", "over", "rc-soft rc-small")
                    pill(names[pair.over], "rc-plain")
                    act(
                        "",
                        lambda pair=pair: self._save([one for one in self._pairs if one != pair], "Removed the pair"),
                        icon="o_close",
                        kind="quiet",
                        label=f"Remove {pair.prefer} over {pair.over}",
                    )

    async def _add(self, prefer: str | None, over: str | None) -> None:
        if prefer and over:
            await self._save([*self._pairs, Preference(self._view.user, prefer, over)], "Added the pair")

    def _draw_graph(self) -> None:
        labels = {name: label(one.where) for name, one in self._mine.items()}
        with group("div", "rc-card"):
            drawing(draw_preferences(self._pairs, labels, self._scores), "The preferences as a graph")

    # saving

    async def _save(self, pairs: list[Preference], said: str) -> None:
        before = list(self._pairs)
        try:
            await asyncio.to_thread(self._replace, pairs)
        except PreferenceCycle as cycle:
            names = [*cycle.cycle, cycle.cycle[0]]
            with emptied(self._refused):
                circle = " over ".join(short_name(self._mine[name].where) for name in names)
                words(
                    "p",
                    f"This would make a circle: {circle}. Remove one of these pairs first.",
                    "rc-note rc-bad",
                )
            return
        except RankcastError as error:
            ui.notify(str(error), type="negative", multi_line=True)
            return
        await self.load()

        async def undo() -> None:
            await asyncio.to_thread(self._replace, before)
            await self.load()

        self._undo.offer(said, undo)

    def _replace(self, pairs: list[Preference]) -> None:
        gone = [pair for pair in self._pairs if pair not in pairs]
        self._view.service.put(*(pair for pair in pairs if pair not in self._pairs), remove=gone)
