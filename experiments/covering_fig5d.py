"""Figure 5(d): the effect of subscription size, 10,000 subscriptions."""

from statistics import fmean

from experiments.covering_common import SOURCE, WORKLOADS, poset, share

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

COUNT = 10_000
SIZES = ((10, 60), (20, 60), (30, 60), (40, 60), (50, 60), (30, 50), (30, 40))
SELECTIVITIES = (0.1, 0.5, 1, 2, 5, 10)
PAPER_COVER = {(10, 60): 1.22, (30, 40): 3.08}
PAPER_ANCESTOR = {(10, 60): 40.33, (30, 40): 82.05, (50, 60): 69.59}
COVER, FIVE = 0, 1 + SELECTIVITIES.index(5)

NOT_MORE_SENSITIVE = Rule(
    "from 10-60 % to 30-40 %, the share of AncestorCoverK grows by no larger a factor than that of RegularCover",
    lambda cover, ancestor: ancestor[1] / ancestor[0] <= cover[1] / cover[0],
    example=((1.22, 3.08), (40.33, 82.05)),
    contradiction=((1.22, 2.0), (40.33, 82.05)),
)
EXTREMES = Rule(
    "RegularCover forwards least for the sizes 10-60 % and most for 30-40 %",
    lambda by_size: min(by_size, key=by_size.get) == "10-60 %" and max(by_size, key=by_size.get) == "30-40 %",
    example=({"10-60 %": 1.2, "30-60 %": 1.5, "30-40 %": 3.1},),
    contradiction=({"10-60 %": 1.2, "30-60 %": 3.2, "30-40 %": 3.1},),
)
LARGER_IS_BETTER = Rule(
    "at every k, fewer of the sizes 50-60 % are forwarded than of 30-40 %",
    lambda large, small: all(one < other for one, other in zip(large, small, strict=True)),
    example=((2.0, 69.6), (3.1, 82.1)),
    contradiction=((2.0, 82.1), (3.1, 82.1)),
)


def run(report: ExperimentReport, count: int = COUNT) -> None:
    """Means over several workloads; one poset of each gives all k."""
    found = report.each_seed(lambda seed: {size: _shares(count, size, seed) for size in SIZES}, 0.9)
    means = {
        size: [round(fmean(values), 3) for values in zip(*(one[size] for one in found), strict=True)] for size in SIZES
    }
    rows = [(_name(size), *values) for size, values in means.items()]
    report.table(
        "forwarded",
        ["size", "RegularCover", *(f"AncestorCoverK, k = {percent:g} %" for percent in SELECTIVITIES)],
        rows,
    )
    others = {
        name: {size: _shares(count, size, 0, name) for size in ((10, 60), (30, 40), (50, 60))} for name in WORKLOADS[1:]
    }
    for strategy, at, numbers in (
        ("RegularCover", COVER, PAPER_COVER),
        ("AncestorCoverK, k = 5 %", FIVE, PAPER_ANCESTOR),
    ):
        for size, paper in numbers.items():
            of_others = {name: values[size][at] for name, values in others.items()}
            report.printed(f"{strategy}, sizes {_name(size)}", paper, means[size][at], " %", others=of_others)
    for strategy, at, paper in (("RegularCover", COVER, 2.52), ("AncestorCoverK", FIVE, 2.03)):
        grown = {name: values[30, 40][at] / values[10, 60][at] for name, values in {"": means, **others}.items()}
        what = f"{strategy}: growth from 10-60 % to 30-40 %"
        report.printed(what, paper, grown.pop(""), " times", others=grown)
    report.shape(
        NOT_MORE_SENSITIVE,
        [[(one[10, 60][at], one[30, 40][at]) for at in (COVER, FIVE)] for one in found],
        "seeds",
        "not more sensitive to subscription size than the baseline",
    )
    report.shape(
        EXTREMES,
        [({_name(size): values[COVER] for size, values in one.items()},) for one in found],
        "seeds",
        "between 1.22 % for the largest range to 3.08 % for the narrowest",
        note="50-60 % is as narrow as 30-40 %",
    )
    report.shape(
        LARGER_IS_BETTER,
        [(one[50, 60][COVER:], one[30, 40][COVER:]) for one in found],
        "seeds",
        "50-60 % performs better",
    )
    _figure(report, rows)


def _shares(count: int, size: tuple[int, int], seed: int, workload: str = WORKLOADS[0]) -> tuple[float, ...]:
    counts = poset(count, size[0] / 100, size[1] / 100, seed, workload)[0]
    return tuple(
        share(counts, limit) for limit in (0, *(round(count * percent / 100) - 1 for percent in SELECTIVITIES))
    )


def _name(size: tuple[int, int]) -> str:
    return f"{size[0]}-{size[1]} %"


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
    axes.set(xlabel="k, % of the subscriptions", ylabel="forwarded, % of subscriptions")
    axes.set_title("AncestorCoverK, 10,000 subscriptions of different sizes")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False, title="size, of the space", ncols=2)
    report.figure("forwarded", figure)


EXPERIMENT = Experiment("covering_fig5d", "Forwarded subscriptions, by their sizes", f"{SOURCE}, Figure 5(d)", run)
