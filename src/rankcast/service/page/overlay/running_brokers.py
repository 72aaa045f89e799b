"""The tree of running brokers that the service belongs to: a drawing, and a table of its links."""

from asyncio import to_thread

from nicegui import ui

from rankcast.overlay import Tree
from rankcast.service.brokers.messages import BrokerTree
from rankcast.service.page.overlay.overlay_drawing import overlay_svg
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import group, row, table, words
from rankcast.service.studies.overlay_run import SimulationRun

_EVERY = 2.0
_TITLES = ("Link", "State", "Known", "Forwarded", "Hidden", "Events sent", "Saved", "Lag")


def show_running(view: View) -> None:
    """Show the tree, and keep it up to date. Nothing is shown if the service belongs to no tree."""
    section = group("section", "rc-card rc-column", aria_label="Running brokers")
    section.visible = False

    async def refresh() -> None:
        found = await to_thread(view.service.brokers.view.tree)
        section.visible = bool(found.brokers) or found.error is not None
        section.clear()
        with section:
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
    with table("Links of the brokers", _TITLES, "rc-number"):
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
