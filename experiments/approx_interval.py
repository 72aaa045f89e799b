"""Matches of crisp and approximate subscriptions as the interval of a publication widens (Figure 7)."""

import numpy as np
from experiments.approx_common import SOURCE, flats, mined, number, past_flats, uniform
from matplotlib.figure import Figure

from rankcast.fuzzy import Polylines, polyline_possibility_necessity
from rankcast.lab.reproduce import Experiment, ExperimentReport

SUBSCRIPTIONS = 2_000
PUBLICATIONS = 60
WIDTHS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
KINDS = {
    "optimistic [0.5, 0]": (0.5, 0.0),
    "indifferent [0.75, 0.25]": (0.75, 0.25),
    "pessimistic [0.5, 0.5]": (0.5, 0.5),
}


def run(report: ExperimentReport, subscriptions: int = SUBSCRIPTIONS, publications: int = PUBLICATIONS) -> None:
    """Compare subscriptions by range and by trapezoid; a publication says that a flat costs between a and b."""
    spread = mined(past_flats(), "price").summary
    offers = [x for flat in flats(publications) if (x := number(flat, "price")) is not None]
    # A subscription is a real price with a tolerance of up to a quarter. The vague form has degree 1 up to half of
    # the tolerance, and degree 0 from twice the tolerance on.
    prices = np.array([spread.quantile(uniform("price", i)) for i in range(subscriptions)])
    reach = prices * np.array([0.05 + 0.2 * uniform("reach", i) for i in range(subscriptions)])
    crisp = np.stack([prices - reach, prices - reach, prices + reach, prices + reach], axis=1)
    vague = np.stack([prices + share * reach for share in (-2, -0.5, 0.5, 2)], axis=1)
    rows = []
    for step, width in enumerate(WIDTHS, 1):
        counts: dict[str, list[int]] = {"crisp": [], "crisp set [1, 0]": [], "crisp set [1, 1]": []}
        counts |= {kind: [] for kind in KINDS}
        for x in offers:
            low, high = x * (1 - width), x * (1 + width)
            known = Polylines.of_trapezoids(np.array([[low, low, high, high]]))
            possible, certain = polyline_possibility_necessity(Polylines.of_trapezoids(crisp), known)
            counts["crisp"].append(int(((crisp[:, 0] <= x) & (x <= crisp[:, 3])).sum()))
            counts["crisp set [1, 0]"].append(int((possible >= 1).sum()))
            counts["crisp set [1, 1]"].append(int((certain >= 1).sum()))
            possible, certain = polyline_possibility_necessity(Polylines.of_trapezoids(vague), known)
            for kind, (tp, tn) in KINDS.items():
                counts[kind].append(int(((possible >= tp - 1e-9) & (certain >= tn - 1e-9)).sum()))
        rows.append((width, *(round(sum(found) / len(offers), 1) for found in counts.values())))
        report.progress(step / len(WIDTHS))
    names = list(counts)
    report.table("interval", ["interval, ± share of the price", *names], rows)
    report.figure("interval", _drawn(names, rows, subscriptions))
    columns = {name: [row[1 + i] for row in rows] for i, name in enumerate(names)}
    report.compare(
        "crisp matching of the middle of the interval",
        "does not depend on the interval",
        f"{columns['crisp'][0]:g} matches of {subscriptions}",
        len(set(columns["crisp"])) == 1,
    )
    widest = columns["optimistic [0.5, 0]"]
    report.compare(
        "by possibility: wider intervals match more",
        "the interval influences the number of matches",
        f"{widest[0]:g} to {widest[-1]:g}",
        widest == sorted(widest) and widest[-1] > widest[0],
        "our copy of the paper has no numbers in Figure 7; we compare the shape that its text describes",
    )
    sure = columns["pessimistic [0.5, 0.5]"]
    report.compare(
        "by necessity: wider intervals match fewer",
        "pessimistic subscribers tolerate less",
        f"{sure[0]:g} to {sure[-1]:g}",
        sure == sorted(sure, reverse=True) and sure[-1] < sure[0],
    )
    report.compare(
        "without an interval, crisp sets give plain matching",
        "case 3 becomes case 1",
        f"{columns['crisp set [1, 0]'][0]:g} and {columns['crisp set [1, 1]'][0]:g}",
        columns["crisp set [1, 0]"][0] == columns["crisp set [1, 1]"][0] == columns["crisp"][0],
    )


def _drawn(names: list[str], rows: list[tuple[float, ...]], subscriptions: int) -> Figure:
    figure = Figure(figsize=(7, 4))
    axes = figure.add_subplot()
    looks = ["black", "#999999", "#999999", "#d98e04", "#6a4c93", "#2a7f9e"]
    styles = ["--", "-.", ":", "-", "-", "-"]
    for i, name in enumerate(names):
        axes.plot(
            [100 * row[0] for row in rows],
            [100 * row[1 + i] / subscriptions for row in rows],
            styles[i],
            color=looks[i],
            linewidth=2,
            marker="o" if i > 2 else None,
            markersize=4,
            label=name,
        )
    axes.set_xlabel("the publication's interval: price ± per cent")
    axes.set_ylabel(f"matched of {subscriptions:,} subscriptions, %")
    axes.set_ylim(0)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


EXPERIMENT = Experiment(
    "approx_interval", "Crisp against approximate as a publication's interval widens", f"{SOURCE}, Figure 7", run
)
