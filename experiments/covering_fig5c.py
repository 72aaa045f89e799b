"""Figure 5(c): AncestorCoverK at k of 0.1 to 10 % of the subscriptions, 10,000 to 50,000 of them."""

from statistics import fmean

from experiments.covering_common import LARGER_K, SOURCE, WORKLOADS, poset, share

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

COUNTS = (10_000, 20_000, 30_000, 40_000, 50_000)
SELECTIVITIES = (0.1, 0.5, 1, 2, 5, 10)
PAPER = {0.1: 5.76, 10: 66.7}

STABLE = Rule(
    "the shares of 10,000 to 50,000 subscriptions differ by less than 0.4 points, at every k",
    lambda rows: all(max(column) - min(column) < 0.4 for column in zip(*rows, strict=True)),
    example=([(5.7, 20.0), (5.8, 20.3)],),
    contradiction=([(5.7, 20.0), (5.8, 20.5)],),
)
KEEPS_81 = Rule(
    "AncestorCoverK at k = 1 % hides over 81 % of what RegularCover hides",
    lambda kept: kept > 81,
    example=(81.1,),
    contradiction=(80.2,),
)


def run(report: ExperimentReport, counts: tuple[int, ...] = COUNTS) -> None:
    """One poset per number of subscriptions and seed gives all k."""
    found = report.each_seed(lambda seed: [_shares(count, poset(count, seed=seed)[0]) for count in counts], 0.7)
    rows = [
        (count, *(round(fmean(values), 3) for values in zip(*(one[at] for one in found), strict=True)))
        for at, count in enumerate(counts)
    ]
    report.table("forwarded", ["subscriptions", *(f"k = {percent:g} %" for percent in SELECTIVITIES)], rows)
    last = dict(zip(SELECTIVITIES, rows[-1][1:], strict=True))
    squares = {name: poset(counts[-1], workload=name)[0] for name in WORKLOADS[1:]}
    largest = {name: _by_k(counts[-1], of) for name, of in squares.items()}
    for percent, paper in PAPER.items():
        what = f"50,000 subscriptions, k = {percent:g} %"
        others = {name: values[percent] for name, values in largest.items()}
        report.printed(what, paper, last[percent], " %", note=COVERED, others=others)
    hidden = [100 - share(poset(counts[-1], seed=seed)[0], 0) for seed in range(report.seeds)]
    kept = [100 * (100 - one[-1][SELECTIVITIES.index(1)]) / whole for one, whole in zip(found, hidden, strict=True)]
    others = {name: 100 * (100 - largest[name][1]) / (100 - share(of, 0)) for name, of in squares.items()}
    report.printed("benefit of covering kept at k = 1 %", 81, fmean(kept), " %", 1, others=others)
    spread = [max(max(column) - min(column) for column in zip(*one, strict=True)) for one in found]
    report.shape(
        STABLE,
        [(one,) for one in found],
        "seeds",
        "differences of less than 0.4 % across different runs",
        f"at most {min(spread):.2f} to {max(spread):.2f} points",
        "each number of subscriptions is a random workload of its own, and so it is in the paper",
    )
    report.shape(
        KEEPS_81,
        [(one,) for one in kept],
        "seeds",
        "retains over 81 % of the covering benefit",
        f"{min(kept):.1f} to {max(kept):.1f} %",
        "our share is just below: the summary has 81 %, the conclusion over 81 %",
    )
    report.ours("AncestorCoverK, 50,000, k 0.1 to 10 %", f"{rows[-1][1]:.2f} to {rows[-1][-1]:.2f} %", note=LARGER_K)
    _figure(report, rows)


def _shares(count: int, ancestors: object) -> tuple[float, ...]:
    return tuple(share(ancestors, round(count * percent / 100) - 1) for percent in SELECTIVITIES)


def _by_k(count: int, ancestors: object) -> dict[float, float]:
    return dict(zip(SELECTIVITIES, _shares(count, ancestors), strict=True))


COVERED = "the paper prints what is covered, 100 % less this"


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
    axes.set(xlabel="k, % of the subscriptions", ylabel="forwarded, % of subscriptions")
    axes.set_title("AncestorCoverK at larger k")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    report.figure("forwarded", figure)


EXPERIMENT = Experiment("covering_fig5c", "Forwarded subscriptions, larger k", f"{SOURCE}, Figure 5(c)", run)
