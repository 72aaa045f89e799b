"""The cover graph: which subscriptions cover which, as a drawing."""

import asyncio
from collections.abc import Mapping
from html import escape
from textwrap import wrap

from nicegui import ui
from nicegui.events import GenericEventArguments

from rankcast.cover import Node, SubscriptionGraph
from rankcast.cover.layered_layout import Box, layered
from rankcast.errors import RankcastError
from rankcast.language import label, show
from rankcast.language.event_words import cut, facts, title_of
from rankcast.model import Catalog, Event, Subscription
from rankcast.service.page.controls import choice, whose_subscriptions
from rankcast.service.page.drawings import colour, wear
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    act,
    demo_link,
    emptied,
    empty,
    group,
    legend_key,
    link,
    pill,
    set_props,
    words,
)
from rankcast.service.studies.cover_graph import study_cover

_LETTER, _LINE, _PADDING = 6.5, 16.0, 10.0
_LETTERS = 28
_MOST_LINES = 5
_MOST_USERS = 5
_PAGE = 680.0


def cover_svg(graph: SubscriptionGraph, chosen: int | None = None, visited: Mapping[int, bool] | None = None) -> str:
    """Draw the graph. `visited` has the nodes of a walk in order, and whether the event matched at each.

    General subscriptions are at the top, and lines lead down to the subscriptions they cover. All texts are escaped.
    """
    users = sorted({interest.user for node in graph.nodes for interest in node.interests})
    colours = {user: colour(number) for number, user in enumerate(users)}
    texts = {node.number: _lines(node) for node in graph.nodes}
    boxes = [
        Box(str(node.number), node.level, *_size(*texts[node.number]), tuple(map(str, node.children)))
        for node in graph.nodes
    ]
    placed = layered(boxes, page=_PAGE)
    order = {number: place for place, number in enumerate(visited or {})}
    parts = [
        f'<svg class="rcd-graph" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}" '
        f'style="width: 100%; max-width: {placed.width:.0f}px; min-width: {0.7 * placed.width:.0f}px">'
    ]
    for box in boxes:
        for child in box.children:
            went = visited is not None and int(child) in order and visited.get(int(box.key), False)
            parts.append(f'<path class="rc-edge{" rc-went" if went else ""}" d="{placed.line(box.key, child)}"/>')
    for node in graph.nodes:
        classes = ["rc-node"]
        if node.number == chosen:
            classes.append("rc-chosen")
        if visited is not None:
            classes.append("rc-unseen" if node.number not in order else "rc-hit" if visited[node.number] else "rc-miss")
        key = str(node.number)
        parts.append(_node(node, texts[node.number], colours, placed.at[key], placed.boxes[key], classes, order))
    return "".join([*parts, "</svg>"])


def _lines(node: Node) -> tuple[list[str], list[tuple[str, str]]]:
    lines = wrap(label(node.where), _LETTERS, break_long_words=True)
    if len(lines) > _MOST_LINES:
        lines = [*lines[: _MOST_LINES - 1], cut(lines[_MOST_LINES - 1] + " …", _LETTERS)]
    people = [(f"{cut(one.user, 18)} {one.score:.2g}", one.user) for one in node.interests[:_MOST_USERS]]
    if (more := len(node.interests) - _MOST_USERS) > 0:
        people.append((f"and {more} more", ""))
    return lines, people


def _size(lines: list[str], people: list[tuple[str, str]]) -> tuple[float, float]:
    longest = max(len(text) for text in (*lines, *(f"● {text}" for text, _ in people)))
    return longest * _LETTER + 2 * _PADDING, (len(lines) + len(people)) * _LINE + 2 * _PADDING


def _node(
    node: Node,
    texts: tuple[list[str], list[tuple[str, str]]],
    colours: Mapping[str, str],
    at: tuple[float, float],
    box: Box,
    classes: list[str],
    order: Mapping[int, int],
) -> str:
    lines, people = texts
    delay = f' style="--order: {order[node.number]}"' if node.number in order else ""
    said = escape(label(node.where), quote=True)
    parts = [
        f'<g class="{" ".join(classes)}" data-node="{node.number}" role="button" tabindex="0" '
        f'aria-label="{said}"{delay} transform="translate({at[0]:.1f} {at[1]:.1f})">'
        f'<title>{said}</title><rect width="{box.width:.1f}" height="{box.height:.1f}" rx="9"/>'
    ]
    y = _PADDING + _LINE - 4
    for line in lines:
        parts.append(f'<text x="{box.width / 2:.1f}" y="{y:.1f}" text-anchor="middle">{escape(line)}</text>')
        y += _LINE
    for text, user in people:
        dot = f'<tspan fill="{colours[user]}">●</tspan> ' if user else ""
        parts.append(f'<text class="rc-who-has" x="{_PADDING:.1f}" y="{y:.1f}">{dot}{escape(text)}</text>')
        y += _LINE
    return "".join([*parts, "</g>"])


MANY = 80
"""The most subscriptions that are drawn. With more, the graph would be unreadable."""

RECENT = 500
_OFFERED = 60
_CLICKED = """(e) => {
  const key = e.type === "keydown" ? e.key : "Enter";
  const node = e.target.closest("[data-node]");
  if (node && (key === "Enter" || key === " ")) { e.preventDefault(); emit(node.dataset.node); }
}"""


async def build(view: View) -> None:
    """Build the graph of the user's subscriptions, or of all users."""
    wear()
    catalog = await asyncio.to_thread(view.service.catalog)
    if not catalog.subscriptions:
        with empty(
            "o_account_tree",
            "No subscriptions yet",
            "With two or more subscriptions, this page shows which cover which.",
        ):
            link("Subscribe", "/subscriptions", "rc-button rc-main rc-main-button rc-link-button")
            demo_link(is_main=False)
        return
    page = _CoverPage(view)
    await page.load()


class _CoverPage:
    """The page of one visitor: the shown user, the chosen node, and the event sent through the graph."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._all = False
        self._chosen: int | None = None
        self._event: Event | None = None
        self._visited: dict[int, bool] | None = None
        with group("div", "rc-row rc-wrap"):
            whose_subscriptions(view, self._turned)
            self._events_box = choice(
                "Send an event through",
                {},
                changed=self._sent,
                is_titled=True,
                classes="rc-wide-chooser",
                props="clearable",
                with_input=True,
            )
            act("Find one that matches", self._send_matching, icon="o_route")
        self._told = words("p", "", "rc-soft")
        set_props(self._told, aria_live="polite")
        self._parts = group("div", "rc-graph-page")
        with self._parts:
            with group("section", "rc-card", aria_label="Graph"):
                with group("figure", "rc-drawing"):
                    self._drawn = ui.html("", sanitize=False)
                for kind in ("click", "keydown"):
                    self._drawn.on(kind, self._picked, js_handler=_CLICKED)
                with group("figcaption", "rc-row rc-wrap rc-legend rc-small rc-soft"):
                    words("span", "A line leads down to what a subscription covers. Choose a box to see more.")
                    self._legend = group("span", "rc-row rc-wrap rc-legend")
                with self._legend:
                    for kind, text in (("hit", "matches"), ("miss", "does not match"), ("unseen", "skipped")):
                        legend_key(text, classes=f"rc-box-key rc-{kind}-key")
            self._details = group("section", "rc-card rc-column", aria_label="The chosen subscription")

    async def load(self) -> None:
        """Read the data and draw the graph."""
        user = None if self._all else self._view.user
        part, chosen, self._left_out = await asyncio.to_thread(self._read, user)
        try:
            history = self._view.service.history(RECENT)
            self._study = await compute(self._view, study_cover, history, part, chosen)
        except RankcastError as error:  # it takes too long, or too many trials are running
            self._told.text = str(error)
            return
        self._graph, self._events = self._study.graph, self._study.events
        self._chosen = self._graph.roots[0] if self._graph.roots else None
        self._event, self._visited = None, None
        self._events_box.set_options({event.id: _named(event) for event in self._events[:_OFFERED]}, value=None)
        self._show()

    async def _turned(self, is_all: bool) -> None:
        self._all = is_all
        await self.load()

    def _read(self, user: str | None) -> tuple[Catalog, list[Subscription], int]:
        """The relevant part of the catalog, the subscriptions to draw, and the number of further ones."""
        catalog = self._view.service.catalog()
        users = catalog.users() if user is None else [user]
        found = [one for name in users for one in catalog.subscriptions_of(name)]
        part = catalog.part({one.user for one in found[:MANY]}.__contains__)
        return part, found[:MANY], max(len(found) - MANY, 0)

    def _picked(self, event: GenericEventArguments) -> None:
        number = int(event.args)
        if 0 <= number < len(self._graph.nodes):
            self._chosen = number
            self._show()

    def _sent(self, name: str | None) -> None:
        event = next((event for event in self._events if event.id == name), None)
        if event is not self._event:
            self._send(event)

    def _send(self, event: Event | None) -> None:
        self._event, self._visited = event, None
        if event is not None:
            self._walked, self._visited = self._study.walk(self._events.index(event))
        self._show()

    def _send_matching(self) -> None:
        """Send the next older event that matches a subscription through the graph."""
        after = next((number for number, event in enumerate(self._events, 1) if event is self._event), 0)
        found = frozenset[int]().union(*(self._study.matched[root] for root in self._graph.roots))
        for position in sorted(found, key=lambda one: (one < after, one)):
            self._send(self._events[position])
            return
        ui.notify(f"None of the last {len(self._events)} events matches.", type="warning")

    # showing

    def _show(self) -> None:
        nodes = len(self._graph.nodes)
        self._parts.visible = bool(nodes)
        self._legend.visible = self._visited is not None
        self._drawn.content = cover_svg(self._graph, self._chosen, self._visited) if nodes else ""
        if not nodes:
            self._told.text = f"{self._view.user} has no subscriptions."
        elif self._event is not None and self._visited is not None:
            specific = [name for names in self._walked.specific.values() for name in names]
            best = f"; most specific: {', '.join(specific[:4])}{' …' if len(specific) > 4 else ''}" if specific else ""
            self._told.text = (
                f"“{title_of(self._event)}” was compared with {len(self._visited)} of {nodes} "
                f"boxes and matches {len(self._walked.nodes)}{best}. Boxes below one that does not match are skipped."
            )
        else:
            beyond = f"; {self._left_out} more are not drawn" if self._left_out else ""
            self._told.text = (
                f"{nodes} different subscriptions; {len(self._graph.roots)} of them are covered by no other{beyond}."
            )
        with emptied(self._details):
            if self._chosen is not None:
                self._show_node(self._graph.nodes[self._chosen])

    def _show_node(self, node: Node) -> None:
        words("h2", label(node.where))
        words("code", show(node.where))
        with group("div", "rc-row rc-wrap"):
            for interest in node.interests[:12]:
                pill(f"{interest.user} · {interest.subscription} · {interest.score:.2g}")
        above = [other for other in self._graph.nodes if node.number in other.children]
        below = [self._graph.nodes[child] for child in node.children]
        for title, others in (("Directly covered by", above), ("Directly covers", below)):
            if others:
                words("h3", title)
                with group("ul", "rc-column rc-tight"):
                    for other in others:
                        with group("li"):
                            button = group("button", "rc-link rc-left", type="button")
                            button.on("click", lambda _, number=other.number: self._choose(number))
                            with button:
                                words("span", label(other.where))
        found = self._study.events_of(node.number)
        words("h3", f"Matches {len(found):,} of the last {len(self._events):,} events")
        with group("ul", "rc-column rc-tight rc-small"):
            for event in found[:6]:
                with group("li"):
                    words("span", cut(title_of(event), 60), "rc-strong")
                    words("span", " " + ", ".join(f"{name} {value}" for name, value in facts(event, 3)), "rc-soft")

    def _choose(self, number: int) -> None:
        self._chosen = number
        self._show()


def _named(event: Event) -> str:
    told = ", ".join(value for _, value in facts(event, 2))
    return cut(f"{title_of(event)} ({told})" if told else title_of(event), 70)
