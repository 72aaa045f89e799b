"""Matches of crisp and approximate subscriptions as the interval of a publication widens (Figure 7)."""

import numpy as np
from experiments.approx_common import SOURCE, flats, mined, number, past_flats, uniform
from matplotlib.figure import Figure

from rankcast.fuzzy import Polylines, polyline_possibility_necessity
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

SUBSCRIPTIONS = 1_000
PUBLICATIONS = 20
WIDTHS = (0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5)
CRISP = "crisp"
SETS = ("crisp set [1, 0]", "crisp set [1, 1]")
KINDS = {
    "optimistic [0.5, 0]": (0.5, 0.0),
    "indifferent [0.75, 0.25]": (0.75, 0.25),
    "pessimistic [0.5, 0.5]": (0.5, 0.5),
}


FINDS_MORE = Rule(
    "vague subscriptions match more often than crisp ones, at every width of the interval",
    lambda vague, crisp: all(one > other for one, other in zip(vague, crisp, strict=True)),
    example=([480, 900], [380, 380]),
    contradiction=([480, 380], [380, 380]),
)
DEPENDS_ON_THE_INTERVAL = Rule(
    "the number of matches at the widest interval differs by more than 10 % from that without an interval",
    lambda counts: abs(counts[-1] - counts[0]) > 0.1 * counts[0],
    example=([480, 600, 900],),
    contradiction=([480, 900, 500],),
)


WIDER = "so says the paper; a value that our crisp form accepts is possible to 0.5 in our vague form, which is wider"


def matched(seed: int, subscriptions: int, publications: int) -> dict[str, list[float]]:
    """The mean number of matches per publication against the width of its interval, for each kind of subscriber."""
    spread = mined(past_flats(), "price").summary
    offers = [x for flat in flats(publications) if (x := number(flat, "price")) is not None]
    # A subscription is a real price with a tolerance of up to a quarter. The vague form has degree 1 up to half of
    # the tolerance, and degree 0 from twice the tolerance on.
    prices = np.array([spread.quantile(uniform("price", seed, i)) for i in range(subscriptions)])
    reach = prices * np.array([0.05 + 0.2 * uniform("reach", seed, i) for i in range(subscriptions)])
    crisp = np.stack([prices - reach, prices - reach, prices + reach, prices + reach], axis=1)
    vague = np.stack([prices + share * reach for share in (-2, -0.5, 0.5, 2)], axis=1)
    columns: dict[str, list[float]] = {name: [] for name in (CRISP, *SETS, *KINDS)}
    for width in WIDTHS:
        counts: dict[str, list[int]] = {name: [] for name in columns}
        for x in offers:
            low, high = x * (1 - width), x * (1 + width)
            known = Polylines.of_trapezoids(np.array([[low, low, high, high]]))
            possible, certain = polyline_possibility_necessity(Polylines.of_trapezoids(crisp), known)
            counts[CRISP].append(int(((crisp[:, 0] <= x) & (x <= crisp[:, 3])).sum()))
            counts[SETS[0]].append(int((possible >= 1).sum()))
            counts[SETS[1]].append(int((certain >= 1).sum()))
            possible, certain = polyline_possibility_necessity(Polylines.of_trapezoids(vague), known)
            for kind, (tp, tn) in KINDS.items():
                counts[kind].append(int(((possible >= tp - 1e-9) & (certain >= tn - 1e-9)).sum()))
        for name, found in counts.items():
            columns[name].append(round(sum(found) / len(offers), 1))
    return columns


def run(report: ExperimentReport, subscriptions: int = SUBSCRIPTIONS, publications: int = PUBLICATIONS) -> None:
    """Compare subscriptions by range and by trapezoid; a publication says that a flat costs between a and b."""
    found = report.each_seed(lambda seed: matched(seed, subscriptions, publications))
    columns = found[0]
    names = list(columns)
    rows = [(width, *(columns[name][at] for name in names)) for at, width in enumerate(WIDTHS)]
    report.table("interval", ["interval, ± share of the price", *names], rows)
    report.figure("interval", _drawn(names, rows, subscriptions))
    for kind in KINDS:
        line = columns[kind]
        shown = f"{line[0]:g} to {line[-1]:g} of {subscriptions}, crisp {columns[CRISP][0]:g}"
        if KINDS[kind][1]:
            report.shape(
                FINDS_MORE,
                [(one[kind], one[CRISP]) for one in found],
                "seeds",
                "more events will be matched, but to different degrees",
                shown,
                of=kind,
            )
        else:
            held = sum(FINDS_MORE(one[kind], one[CRISP]) for one in found)
            report.ours(f"{kind}: {FINDS_MORE.statement}", f"{held} of {len(found)} seeds: {shown}", note=WIDER)
        report.shape(
            DEPENDS_ON_THE_INTERVAL,
            [(one[kind],) for one in found],
            "seeds",
            "by changing the range of the interval, the number of matched subscriptions can be influenced",
            of=kind,
        )
    report.ours(
        "without an interval: crisp sets as possible, as certain, and plain matching (equal by the definitions)",
        f"{columns[SETS[0]][0]:g}, {columns[SETS[1]][0]:g}, {columns[CRISP][0]:g}",
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
    axes.set(ylabel=f"matched of {subscriptions:,} subscriptions, %", ylim=0)
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


EXPERIMENT = Experiment(
    "approx_interval", "Crisp against approximate as a publication's interval widens", f"{SOURCE}, Figure 7", run
)
