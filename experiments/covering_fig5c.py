"""Figure 5(c): AncestorCoverK at k of 0.1 to 10 % of the subscriptions, 10,000 to 50,000 of them."""

from experiments.covering_common import SOURCE, compare_share, near, poset, share

from rankcast.lab.reproduce import Experiment, ExperimentReport

COUNTS = (10_000, 20_000, 30_000, 40_000, 50_000)
SELECTIVITIES = (0.1, 0.5, 1, 2, 5, 10)
PAPER = {0.1: 5.76, 10: 66.7}
TRIAL = {0.1: 5.78, 1: 20.0, 10: 67.1}


def run(report: ExperimentReport) -> None:
    """One poset per number of subscriptions gives all k."""
    rows: list[tuple[float, ...]] = []
    for number, count in enumerate(COUNTS, 1):
        counts, _ = poset(count)
        rows.append((count, *(share(counts, round(count * percent / 100) - 1) for percent in SELECTIVITIES)))
        report.progress(number / len(COUNTS))
    report.table("forwarded", ["subscriptions", *(f"k = {percent:g} %" for percent in SELECTIVITIES)], rows)
    last = dict(zip(SELECTIVITIES, rows[-1][1:], strict=True))
    for percent, paper in PAPER.items():
        compare_share(report, f"50,000 subscriptions, k = {percent:g} %", paper, last[percent])
    compare_share(report, "50,000 subscriptions, k = 1 % (the separate trial's)", TRIAL[1], last[1])
    spread = max(max(column) - min(column) for column in list(zip(*rows, strict=True))[1:])
    report.compare(
        "difference between numbers of subscriptions",
        "less than 0.4 %",
        f"at most {spread:.2f} %",
        spread < 0.4,
        "in percentage points; each number of subscriptions is one random workload",
    )
    cover = share(poset(50_000)[0], 0)
    kept = 100 * (100 - last[1]) / (100 - cover)
    report.compare(
        "benefit of covering kept at k = 1 %",
        "over 81 %",
        f"{kept:.1f} %",
        near(81, kept),
        "as a share of the subscriptions that RegularCover hides",
    )
    _figure(report, rows)


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2))
    axes = figure.subplots()
    for number, row in enumerate(rows):
        shade = 0.25 + 0.75 * number / (len(rows) - 1)
        axes.plot(SELECTIVITIES, row[1:], "o-", color="#00798c", alpha=shade, label=f"{row[0]:,} subscriptions")
    axes.plot(list(PAPER), list(PAPER.values()), "x", color="#d1495b", markersize=9, label="the paper")
    axes.set_xscale("log")
    axes.set_xticks(SELECTIVITIES, [f"{percent:g}" for percent in SELECTIVITIES])
    axes.minorticks_off()
    axes.set_xlabel("k, % of the subscriptions")
    axes.set_ylabel("forwarded, % of subscriptions")
    axes.set_title("AncestorCoverK at larger k")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    report.figure("forwarded", figure)


EXPERIMENT = Experiment("covering_fig5c", "Forwarded subscriptions, larger k", f"{SOURCE}, Figure 5(c)", run)
