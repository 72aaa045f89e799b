"""A picture of mined concepts: the distribution of the numbers and the membership functions above it."""

import math
from typing import TYPE_CHECKING

import numpy as np

from rankcast.extras import require
from rankcast.fuzzy.batch import batch_degree
from rankcast.fuzzy.mining import MiningResult

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

BARS = 70
_COLOURS = ("#2a7f9e", "#d98e04", "#b3432b", "#6a4c93", "#4f772d", "#7a7a7a")


def concepts_figure(mined: MiningResult, title: str = "") -> "Figure":
    """The histogram of an attribute with its concepts, as a new figure."""
    require("plots")
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8, 3.6))
    draw_concepts(figure.add_subplot(), mined, title)
    return figure


def draw_concepts(axes: "Axes", mined: MiningResult, title: str = "") -> None:
    """Draw the histogram of an attribute with its concepts into existing axes.

    The axis is logarithmic if the concepts were mined on a logarithmic scale. Outliers are cut off.
    """
    summary = mined.summary
    low, high = summary.quantile(0.001), summary.quantile(0.999)
    log = mined.scale is not None and mined.scale.log
    if log and mined.scale is not None:
        low = max(low, mined.scale.low / 2)
    if low == high:
        low, high = low - 1, high + 1
    edges = np.geomspace(low, high, BARS + 1) if log else np.linspace(low, high, BARS + 1)
    x, counts = np.array(summary.points()).T
    heights, _ = np.histogram(np.clip(x, low, high), bins=edges, weights=counts)
    axes.bar(edges[:-1], heights / heights.max(), np.diff(edges), align="edge", color="#d9dde2", zorder=1)
    line = np.geomspace(low, high, 1000) if log else np.linspace(low, high, 1000)
    for concept, cluster, colour in zip(mined.concepts, mined.clusters, _COLOURS * 2, strict=False):
        degrees = batch_degree(concept.membership, (), line)
        axes.plot(line, degrees, color=colour, linewidth=2, zorder=2)
        top = line[degrees >= degrees.max() - 1e-9]
        middle = math.sqrt(top[0] * top[-1]) if log else (top[0] + top[-1]) / 2
        share = cluster.count / summary.count
        axes.text(middle, 1.04, f"{concept.name}\n{share:.0%}", color=colour, ha="center", va="bottom", fontsize=9)
    if log:
        axes.set_xscale("log")
        ticks = _round_numbers(low, high)
        axes.set_xticks(ticks, [f"{tick:,.10g}" for tick in ticks])
        axes.set_xticks([], minor=True)
    else:
        axes.xaxis.set_major_formatter(lambda x, _: f"{x:,.10g}" if abs(x) >= 10_000 else f"{x:.10g}")
    axes.set_xlim(low, high)
    axes.set_ylim(0, 1.28)
    axes.set_yticks([0, 0.5, 1])
    axes.set(xlabel=summary.attribute, ylabel="degree")
    axes.spines[["top", "right"]].set_visible(False)
    if title:
        axes.set_title(title, loc="left", fontsize=10)


def _round_numbers(low: float, high: float) -> list[float]:
    """A few round numbers for a logarithmic axis."""
    decades = range(math.floor(math.log10(low)), math.ceil(math.log10(high)) + 1)
    for steps in ((1, 2, 3, 5, 7), (1, 2, 5), (1, 3), (1,)):
        found = [step * 10.0**decade for decade in decades for step in steps]
        found = [x for x in found if low <= x <= high]
        if len(found) <= 6:
            break
    return found
