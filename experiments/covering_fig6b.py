"""Figure 6(b): fairness by the distance between publisher and subscriber."""

from statistics import fmean

from experiments.covering_common import COLOURS, SOURCE, chain, fairness
from experiments.covering_fig6a import KS, PUBLICATIONS, SUBSCRIBERS

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

NAMES = ("AncestorCoverK", "AncestorFairK")

FAIREST_AT_THREE = Rule(
    "the mean difference is lowest at 3 core brokers",
    lambda by_distance: min(range(len(by_distance)), key=by_distance.__getitem__) == 2,
    example=([9.0, 5.0, 3.0, 4.0, 7.0],),
    contradiction=([9.0, 3.0, 4.0, 5.0, 7.0],),
)
NEAR_GET_MORE = Rule(
    "subscribers next to the publisher receive more than with RegularK, the farthest ones less",
    lambda surplus: surplus[0] > 0 > surplus[-1],
    example=([0.9, 0.1, -0.5],),
    contradiction=([0.9, 0.1, 0.05],),
)
LESS_SENSITIVE = Rule(
    "the differences of AncestorFairK vary less between distances than those of AncestorCoverK",
    lambda cover, fair: max(fair) - min(fair) < max(cover) - min(cover),
    example=([9.0, 3.0, 7.0], [4.0, 3.0, 5.0]),
    contradiction=([4.0, 3.0, 5.0], [9.0, 3.0, 7.0]),
)


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """Group the runs of Figure 6(a) by the number of core brokers on the path; means over k, per subscription."""
    at = chain(SUBSCRIBERS, publications).by_distance()

    def of_seed(seed: int) -> dict[str, tuple[list[float], list[float]]]:
        runs = [fairness(k, seed, publications) for k in KS]
        return {name: _by_distance(runs, name, at) for name in NAMES}

    found = report.each_seed(of_seed)
    means = {
        name: [[fmean(values) for values in zip(*(one[name][part] for one in found), strict=True)] for part in (0, 1)]
        for name in NAMES
    }
    rows = [
        (distance, *(round(means[name][part][place], 4) for part in (0, 1) for name in NAMES))
        for place, distance in enumerate(at)
    ]
    report.table(
        "by_distance",
        [
            "core brokers",
            *(f"{name}, mean difference" for name in NAMES),
            *(f"{name}, received more" for name in NAMES),
        ],
        rows,
    )
    for name in NAMES:
        lowest = [1 + min(range(len(at)), key=one[name][0].__getitem__) for one in found]
        report.shape(
            FAIREST_AT_THREE,
            [(one[name][0],) for one in found],
            "seeds",
            "fairness improves when it reaches 3 broker hops, and then decreases",
            f"lowest at {', '.join(map(str, lowest))}",
            STALE
            if name == "AncestorFairK"
            else f"the mean over all seeds is lowest at {1 + min(range(len(at)), key=means[name][0].__getitem__)}",
            of=name,
        )
        more = means[name][1]
        report.shape(
            NEAR_GET_MORE,
            [(one[name][1],) for one in found],
            "seeds",
            "both send to closer subscriptions more frequently",
            f"{100 * more[0]:+.0f} % next to the publisher, {100 * more[-1]:+.0f} % farthest, on average",
            STALE if name == "AncestorFairK" else "",
            of=name,
        )
    report.shape(
        LESS_SENSITIVE,
        [(one["AncestorCoverK"][0], one["AncestorFairK"][0]) for one in found],
        "seeds",
        "AncestorFairK is subject to this trend to a lesser degree",
    )
    _figure(report, rows)


def _by_distance(runs: list, name: str, at: dict[int, list[str]]) -> tuple[list[float], list[float]]:
    """For each distance, the mean difference per subscription, and the relative surplus over RegularK."""
    differences, surplus = [], []
    for ids in at.values():
        differences.append(fmean(one.difference(name, ids) / len(ids) for one in runs))
        due = sum(one.total("RegularK", ids) for one in runs)
        surplus.append(sum(one.total(name, ids) for one in runs) / due - 1)
    return differences, surplus


STALE = "the paper explains this by stale weights; ours are fresh at every publication (see covering_stale)"


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(9.6, 4.0))
    left, right = figure.subplots(1, 2)
    distances = [row[0] for row in rows]
    for number, name in enumerate(NAMES, 1):
        left.plot(distances, [row[number] for row in rows], "o-", color=COLOURS[name], label=name)
        right.plot(distances, [100 * row[number + 2] for row in rows], "o-", color=COLOURS[name], label=name)
    left.set(ylim=0, ylabel="mean difference from RegularK", title="Fairness: less is better")
    right.axhline(0, color="black", linewidth=0.8)
    right.set(ylabel="received more than with RegularK, %", title="Who gets too much, who too little")
    for axes in (left, right):
        axes.set_xticks(distances)
        axes.set_xlabel("core brokers between publisher and subscriber")
        axes.grid(alpha=0.3)
    right.legend(frameon=False)
    figure.tight_layout()
    report.figure("by_distance", figure)


EXPERIMENT = Experiment("covering_fig6b", "Fairness by distance", f"{SOURCE}, Figure 6(b)", run)
