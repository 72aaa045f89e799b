"""The running brokers, and a simulation of an overlay: brokers in a tree, the messages between them under a strategy, and the savings."""

from asyncio import to_thread
from dataclasses import replace
from functools import partial
from typing import Any

from nicegui import ui

from rankcast.errors import RankcastError
from rankcast.overlay import Tree
from rankcast.service.brokers.messages import BrokerTree
from rankcast.service.page.controls import choice
from rankcast.service.page.drawings import wear
from rankcast.service.page.overlay.overlay_drawing import overlay_svg
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import act, emptied, group, row, set_props, table, words
from rankcast.service.studies.overlay_run import SimulationRun, SimulationSetup, run

_EVERY = 2.0
_LINK_TITLES = ("Link", "State", "Known", "Forwarded", "Hidden", "Events sent", "Saved", "Lag")


def show_running(view: View) -> None:
    """Show the tree, and keep it up to date. Nothing is shown if the service belongs to no tree."""
    section = group("section", "rc-card rc-column", aria_label="Running brokers")
    section.visible = False

    async def refresh() -> None:
        found = await to_thread(view.service.brokers.view.tree)
        section.visible = bool(found.brokers) or found.error is not None
        with emptied(section):
            _show(found)

    ui.timer(_EVERY, refresh)


def _show(found: BrokerTree) -> None:
    words("h2", "The running brokers")
    if found.error is not None:
        words("p", found.error, "rc-note rc-warn")
    if not found.brokers:
        return
    run, root = traffic_of(found)
    with group("figure", "rc-drawing", tabindex="0", aria_label="The running brokers as a tree"):
        ui.html(overlay_svg(run, root), sanitize=False)
    words(
        "p",
        f"This service is {found.broker!r}. ↑ subscriptions forwarded, ↓ events sent. In the table, known, forwarded and "
        "hidden are subscriptions on the sender's side; saved are events that nobody on the other side wants; lag are "
        "events that the other side has not acknowledged yet.",
        "rc-small rc-soft",
    )
    with table("Links of the brokers", _LINK_TITLES, "rc-number"):
        for broker in found.brokers:
            for link in broker.links:
                numbers = (link.known, link.forwarded, link.hidden, link.sent, link.saved, link.lag)
                state = "connected" if link.connected else "away"
                row((f"{broker.name} → {link.to}", "rc-strong"), state, *(f"{number:,}" for number in numbers))


def traffic_of(found: BrokerTree) -> tuple[SimulationRun, str]:
    """The tree in the form in which simulations are drawn, and its root."""
    brokers = {one.name: one for one in found.brokers}
    above = {name: one.upstream for name, one in brokers.items() if one.upstream in brokers}
    root = next(name for name in brokers if name not in above)
    near = [root]  # from the root down, without brokers whose upstream is not known yet
    for name in near:
        near += [below for below, upstream in above.items() if upstream == name]
    links = {(name, link.to): link for name, one in brokers.items() for link in one.links}
    upstream = tuple((name, str(above[name])) for name in near[1:])
    known = {
        name: brokers[name].subscriptions + sum(link.forwarded for (_, to), link in links.items() if to == name)
        for name in near
    }
    up = {(below, top): links[below, top].forwarded if (below, top) in links else 0 for below, top in upstream}
    down = {(below, top): links[top, below].sent if (top, below) in links else 0 for below, top in upstream}
    local = {name: brokers[name].subscriptions for name in near}
    tree = Tree([(top, below) for below, top in upstream], [root])
    return SimulationRun(tree, upstream, up, down, known, local, (), 0, 0, is_exact=True), root


_TOPOLOGIES = {
    "tree:2x3": "A tree, two below each",
    "chain:3x2": "A chain of three, two edges each",
    "star:8": "A star of eight",
    "chain:10x5": "The paper's: ten in a chain, five edges each",
}
_REMEMBERED = 64
_STRATEGIES = {
    "regular-cover": (
        "RegularCover",
        "Plain publish/subscribe: forwards what nothing covers, delivers to all that match.",
    ),
    "regular": ("RegularK", "Forwards everything; the measure of the others."),
    "rank-cover": ("RankCoverK", "Forwards what no chain of k outranks."),
    "ancestor-cover": ("AncestorCoverK", "Forwards what fewer than k others cover and outrank."),
    "ancestor-fair": ("AncestorFairK", "As AncestorCoverK, with weights, so that ties are drawn fairly."),
}
_TITLES = ("Strategy", "Known at the top", "About subscriptions ↑", "Saved", "Publications ↓", "Deliveries")
_RANKINGS = {
    "relevance": "Relevance: the largest interest first",
    "fair": "Fairness: everybody alike, by lot",
    "relevance-fair": "Relevance, ties by lot",
    "diverse": "Diversity: the most different",
}


def build(view: View) -> None:
    """Build the page: for administrators the running brokers, and for everybody the simulation."""
    wear()
    if view.visitor.switches:
        show_running(view)
    words(
        "p",
        "A publisher promises each publication to its k best subscribers. Subscriptions travel from the edges towards the "
        "publisher, and each broker forwards only those that the brokers above it need to choose the right k. This page "
        "simulates that with made-up subscribers, and compares the deliveries with the choice of a single broker that "
        "knows all subscriptions.",
        "rc-soft",
    )
    _OverlayPage(view)


class _OverlayPage:
    """The controls, the drawing, and the comparison of the strategies."""

    def __init__(self, view: View) -> None:
        self._view = view
        self._setup = SimulationSetup()
        self._runs: dict[SimulationSetup, SimulationRun] = {}
        self._shown: SimulationRun | None = None
        self._latest = 0
        self._sent = -1
        with group("section", "rc-card rc-controls", aria_label="Set-up"):
            self._choice("Brokers", _TOPOLOGIES, "topology")
            self._choice("Strategy", {name: told[0] for name, told in _STRATEGIES.items()}, "strategy")
            self._choice("Ranking", _RANKINGS, "ranking")
            self._slider("k, recipients each", "k", 1, 30)
            self._slider("Subscribers", "subscribers", 20, 300, 10)
        with group("section", "rc-card rc-column", aria_label="Brokers and traffic"):
            with group("div", "rc-row rc-wrap rc-spread"):
                self._title = words("p", "", "rc-strong")
                act("Publish one", self._published, icon="o_send")
            with group("figure", "rc-drawing", tabindex="0", aria_label="The brokers as a tree"):
                self._drawn = ui.html("", sanitize=False)
            with group("div", "rc-row rc-wrap rc-legend rc-small rc-soft"):
                words("span", "↑ messages about subscriptions", "rc-up-text")
                words("span", "↓ publications", "rc-down-text")
                words("span", "The thicker, the more. “Knows”: subscriptions known at the broker.")
            self._told = words("p", "", "rc-soft")
            set_props(self._told, aria_live="polite")
        with group("section", "rc-card rc-column", aria_label="Strategies compared"):
            words("h2", "The strategies side by side")
            self._table = group("div")
        self._changed()

    def _choice(self, label: str, options: dict[str, str], field: str) -> None:
        choice(label, options, getattr(self._setup, field), partial(self._set, field), is_titled=True)

    def _slider(self, label: str, field: str, low: int, high: int, step: int = 1) -> None:
        with group("div", "rc-column rc-tight"):
            told = words("label", f"{label}: {getattr(self._setup, field)}", "rc-small")
            slider = ui.slider(min=low, max=high, step=step, value=getattr(self._setup, field))
            set_props(slider, aria_label=label)

        def moved(event: Any) -> None:
            told.text = f"{label}: {event.value:g}"
            self._set(field, int(event.value))

        slider.on_value_change(moved)

    def _set(self, field: str, value: Any) -> None:
        self._setup = replace(self._setup, **{field: value})
        self._sent = -1
        self._changed()

    def _changed(self) -> None:
        self._latest += 1
        ui.timer(0.15, lambda number=self._latest: self._run(number), once=True)

    async def _run(self, number: int) -> None:
        """Run the set-up under all strategies, unless it has changed again."""
        if number != self._latest:
            return
        setup = self._setup
        try:
            self._shown = await self._run_of(setup)
            if number != self._latest:
                return
            self._show(setup, self._shown)
            runs = {}
            for name in _STRATEGIES:
                runs[name] = await self._run_of(replace(setup, strategy=name))
                if number != self._latest:
                    return
            self._compare(setup, runs)
        except RankcastError as error:
            self._told.text = str(error)

    async def _run_of(self, setup: SimulationSetup) -> SimulationRun:
        """The result of a run, cached for this page."""
        if setup not in self._runs:
            if len(self._runs) >= _REMEMBERED:
                self._runs.clear()
            self._runs[setup] = await compute(self._view, run, setup)
        return self._runs[setup]

    def _published(self) -> None:
        """Show the route of the next publication."""
        if self._shown is None:
            return
        self._sent = (self._sent + 1) % len(self._shown.routes)
        self._show(self._setup, self._shown)

    def _show(self, setup: SimulationSetup, found: SimulationRun) -> None:
        route = found.routes[self._sent] if self._sent >= 0 else None
        name, meaning = _STRATEGIES[setup.strategy]
        self._title.text = f"{name}. {meaning}"
        self._drawn.content = overlay_svg(found, setup.publisher, route)
        if route is not None:
            value = route.event.attributes["x"]
            assert isinstance(value, tuple)
            self._told.text = (
                f"The publication x = {value[0]:.1f} visited {len(route.visited)} of {len(found.tree.brokers)} brokers "
                f"and went to {route.received.total()} subscribers."
            )
            return
        exact = (
            "exactly those that one broker knowing everything would choose"
            if found.wrong == 0
            else (
                "drawn by lot at each broker, so others than one broker would draw, and as fairly"
                if not found.is_exact
                else f"{found.wrong} publications to others than one broker would choose"
            )
        )
        self._told.text = (
            f"{setup.publications} publications, {found.delivered:,} deliveries: {exact}. "
            f"The publisher's broker knows {found.known[setup.publisher]:,} of {setup.subscribers:,} subscriptions."
        )

    def _compare(self, setup: SimulationSetup, runs: dict[str, SimulationRun]) -> None:
        all_of_them = runs["regular"]
        with emptied(self._table), table("The strategies compared", _TITLES, "rc-number"):
            for name, found in runs.items():
                saved = 1 - found.subscribes / max(all_of_them.subscribes, 1)
                row(
                    (_STRATEGIES[name][0], "rc-strong"),
                    f"{found.known[setup.publisher]:,} of {setup.subscribers:,}",
                    f"{found.subscribes:,}",
                    f"{saved:.0%}" if name != "regular" else "–",
                    f"{found.publishes:,}",
                    f"{found.delivered:,}" + ("" if name != "regular-cover" else ", to all that match"),
                    classes="rc-current" if name == setup.strategy else "",
                )
