"""The tree of brokers as SVG: the publisher at the top, the traffic on the links, and an animated publication."""

from html import escape

from rankcast.cover.layered_layout import Box, layered
from rankcast.lab.overlay_runs import Route
from rankcast.service.studies.overlay_run import SimulationRun

_WIDTH, _HEIGHT = 96.0, 44.0
_LABELLED = 24
"""The most brokers for which links are labelled. With more, the counts are in the tooltips."""

_STEP = 0.55
"""Seconds of the animation from broker to broker."""


def overlay_svg(run: SimulationRun, publisher: str, route: Route | None = None) -> str:
    """Draw the tree. Links with more traffic are thicker. With a `route`, a dot follows that publication."""
    layer = {publisher: 0}
    for below, above in run.upstream:
        layer[below] = layer[above] + 1
    small = len(run.tree.brokers) > _LABELLED
    width = 74.0 if small else _WIDTH
    children: dict[str, list[str]] = {name: [] for name in run.tree.brokers}
    for below, above in run.upstream:
        children[above].append(below)
    boxes = [Box(name, layer[name], width, _HEIGHT, tuple(children[name])) for name in run.tree.brokers]
    placed = layered(boxes, page=10_000)
    most = max([*run.up.values(), *run.down.values(), 1])
    visited = set(route.visited) if route else set()
    received = route.received if route else {}
    parts = [
        f'<svg class="rcd-graph rc-overlay" viewBox="0 0 {placed.width:.0f} {placed.height:.0f}" '
        f'style="width: 100%; max-width: {placed.width:.0f}px; min-width: {min(placed.width, 560):.0f}px">'
    ]
    labels: list[str] = []
    for below, above in run.upstream:
        path = placed.line(above, below)
        x2, y2 = placed.at[below][0] + width / 2, placed.at[below][1]
        up, down = run.up[below, above], run.down[below, above]
        told = f"{below} to {above}: {up} about subscriptions; {above} to {below}: {down} publications"
        used = " rc-went" if below in visited else ""
        parts.append(f"<g><title>{escape(told)}</title>")
        for kind, count, shift in (("rc-up", up, -2.5), ("rc-down", down, 2.5)):
            thick = 1 + 7 * (count / most) ** 0.5 if count else 0.75
            parts.append(
                f'<path class="rc-link-line {kind}{used}" d="{path}" stroke-width="{thick:.2f}" '
                f'transform="translate({shift} 0)"/>'
            )
        parts.append("</g>")
        if route and below in visited:
            begin = (layer[below] - 1) * _STEP
            parts.append(
                f'<circle class="rc-parcel" r="6" opacity="0"><set attributeName="opacity" to="1" begin="{begin:.2f}s"/>'
                f'<animateMotion path="{path}" dur="{_STEP}s" begin="{begin:.2f}s" '
                'fill="freeze" calcMode="linear"/></circle>'
            )
        if not small:
            for kind, told, shift, anchor in (
                ("rc-up-text", f"↑{up:,}", -7, "end"),
                ("rc-down-text", f"↓{down:,}", 7, "start"),
            ):
                labels.append(
                    f'<text class="rc-count-label {kind}" x="{x2 + shift:.1f}" y="{y2 - 9:.1f}" '
                    f'text-anchor="{anchor}">{told}</text>'
                )
    for box in boxes:
        x, y = placed.at[box.key]
        local = run.local.get(box.key, 0)
        second = f"knows {run.known[box.key]:,}"
        told = f"{box.key} {second}" + (f"; {local} subscribers here" if local else "")
        classes = (
            "rc-broker" + (" rc-went" if box.key in visited else "") + (" rc-home" if box.key == publisher else "")
        )
        got = f" +{received[box.key]}" if box.key in received else ""
        parts.append(
            f'<g class="{classes}" transform="translate({x:.1f} {y:.1f})"><title>{escape(told)}</title>'
            f'<rect width="{width}" height="{_HEIGHT}" rx="10"/>'
            f'<text x="{width / 2}" y="18" text-anchor="middle" class="rc-strong-text">{escape(box.key)}'
            f'<tspan class="rc-got">{got}</tspan></text>'
            f'<text x="{width / 2}" y="34" text-anchor="middle" class="rc-who-has">{second}</text></g>'
        )
    return "".join([*parts, *labels, "</svg>"])
