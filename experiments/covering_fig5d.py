"""Figure 5(d): the effect of subscription size, 10,000 subscriptions."""

from experiments.covering_common import SOURCE, compare_share, poset, share

from rankcast.lab.reproduce import Experiment, ExperimentReport

COUNT = 10_000
SIZES = ((10, 60), (20, 60), (30, 60), (40, 60), (50, 60), (30, 50), (30, 40))
SELECTIVITIES = (0.1, 0.5, 1, 2, 5, 10)
SEEDS = 3
PAPER_COVER = {(10, 60): 1.22, (30, 40): 3.08}
PAPER_ANCESTOR = {(10, 60): 40.33, (30, 40): 82.05, (50, 60): 69.59}


def run(report: ExperimentReport) -> None:
    """Means over several workloads; one poset of each gives all k."""
    rows: list[tuple[object, ...]] = []
    for number, (shortest, longest) in enumerate(SIZES, 1):
        posets = [poset(COUNT, shortest / 100, longest / 100, seed)[0] for seed in range(SEEDS)]
        limits = [0, *(round(COUNT * percent / 100) - 1 for percent in SELECTIVITIES)]
        means = [round(sum(share(counts, limit) for counts in posets) / SEEDS, 3) for limit in limits]
        rows.append((f"{shortest}-{longest} %", *means))
        report.progress(number / len(SIZES))
    report.table(
        "forwarded",
        ["size", "RegularCover", *(f"AncestorCoverK, k = {percent:g} %" for percent in SELECTIVITIES)],
        rows,
    )
    by_size = dict(zip(SIZES, rows, strict=True))
    for size, paper in PAPER_COVER.items():
        compare_share(report, f"RegularCover, sizes {by_size[size][0]}", paper, _number(by_size[size][1]))
    for size, paper in PAPER_ANCESTOR.items():
        compare_share(report, f"AncestorCoverK, k = 5 %, sizes {by_size[size][0]}", paper, _number(by_size[size][6]))
    grown = [_number(by_size[30, 40][at]) / _number(by_size[10, 60][at]) for at in (1, 6)]
    report.compare(
        "growth from 10-60 % to 30-40 %: RegularCover, AncestorCoverK",
        "2.52, 2.03",
        f"{grown[0]:.2f}, {grown[1]:.2f}",
        grown[0] > grown[1],
        "as in the paper, AncestorCoverK is less sensitive",
    )
    _figure(report, rows)


def _number(value: object) -> float:
    assert isinstance(value, float)
    return value


def _figure(report: ExperimentReport, rows: list[tuple[object, ...]]) -> None:
    from matplotlib import colormaps
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.8, 4.4))
    axes = figure.subplots()
    colours = colormaps["viridis"]
    for number, row in enumerate(rows):
        colour = colours(number / len(rows))
        axes.plot(SELECTIVITIES, row[2:], "o-", color=colour, label=str(row[0]))
    for paper in PAPER_ANCESTOR.values():
        axes.plot(5, paper, "x", color="#d1495b", markersize=9)
    axes.plot([], [], "x", color="#d1495b", markersize=9, label="the paper")
    axes.set_xscale("log")
    axes.set_xticks(SELECTIVITIES, [f"{percent:g}" for percent in SELECTIVITIES])
    axes.minorticks_off()
    axes.set_xlabel("k, % of the subscriptions")
    axes.set_ylabel("forwarded, % of subscriptions")
    axes.set_title("AncestorCoverK, 10,000 subscriptions of different sizes")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="size, of the space", ncols=2)
    report.figure("forwarded", figure)


EXPERIMENT = Experiment("covering_fig5d", "Forwarded subscriptions, by their sizes", f"{SOURCE}, Figure 5(d)", run)
