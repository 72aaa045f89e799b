"""Figure 6(a): how evenly publications are distributed among 250 subscribers, against k."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from statistics import fmean

from experiments.covering_common import COLOURS, FAIRNESS, SOURCE, fairness

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule

KS = (1, 2, 3, 4, 5)
SUBSCRIBERS = 250
PUBLICATIONS = 600
"""20 minutes of the paper's 30 publications per minute; it does not say how long its experiments take."""

FAIRER = Rule(
    "AncestorFairK is fairer than AncestorCoverK at every k",
    lambda cover, fair: all(one > other for one, other in zip(cover, fair, strict=True)),
    example=([900, 700], [400, 300]),
    contradiction=([900, 300], [400, 300]),
)
FAIRER_WITH_K = Rule(
    "AncestorFairK's difference falls at each larger k",
    lambda fair: all(one > other for one, other in pairwise(fair)),
    example=([400, 300, 200],),
    contradiction=([400, 300, 310],),
)
GAIN_DOES_NOT_LAST = Rule(
    "AncestorCoverK improves from k 1 to k 2, and is worse again at the largest k than at k 2",
    lambda cover: cover[1] < cover[0] and cover[-1] > cover[1],
    example=([900, 700, 750, 800],),
    contradiction=([900, 700, 650, 600],),
)


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """The paper's measure: how much the publications per subscription differ from those of RegularK, in sum."""
    found: list[Mapping[str, Sequence[float]]] = []
    ours: list[Mapping[str, Sequence[float]]] = []
    for seed in range(report.seeds):
        runs = [fairness(k, seed, publications) for k in KS]
        found.append({name: [one.difference(name) for one in runs] for name in FAIRNESS})
        ours.append({name: [one.deviation(name) for one in runs] for name in FAIRNESS})
        report.progress((seed + 1) / report.seeds)
    means, shares = (
        {name: [fmean(column) for column in zip(*(one[name] for one in each), strict=True)] for name in FAIRNESS}
        for each in (found, ours)
    )
    rows = [
        (
            k,
            round(100 * k / SUBSCRIBERS, 1),
            *(round(values[name][at], 4) for values in (means, shares) for name in FAIRNESS),
        )
        for at, k in enumerate(KS)
    ]
    columns = [f"{name}, {what}" for what in ("summed difference", "deviation from the mean due") for name in FAIRNESS]
    report.table("deviation", ["k", "k, % of subscribers", *columns], rows)
    cover, fair = means["AncestorCoverK"], means["AncestorFairK"]
    better = 100 * (fmean(one / other for one, other in zip(cover, fair, strict=True)) - 1)
    report.printed("AncestorFairK fairer than AncestorCoverK, mean over k", 224, better, " %", 0, NOISE)
    report.printed("AncestorCoverK improves from k 1 to k 2", 20.18, 100 * (1 - cover[1] / cover[0]), " %", 1, VOLUME)
    report.shape(
        FAIRER,
        [(one["AncestorCoverK"], one["AncestorFairK"]) for one in found],
        "seeds",
        "outperforms the random ranker at all values of k tested",
    )
    report.shape(
        FAIRER_WITH_K,
        [(one["AncestorFairK"],) for one in found],
        "seeds",
        "becomes increasingly fair as the value of k increases",
        " → ".join(f"{value:.0f}" for value in fair),
        VOLUME,
    )
    report.shape(
        GAIN_DOES_NOT_LAST,
        [(one["AncestorCoverK"],) for one in found],
        "seeds",
        "this benefit is not enough to offset the inaccuracy of larger selections",
        " → ".join(f"{value:.0f}" for value in cover),
        "it is worse from k 1 on: the sum grows with the number of deliveries",
    )
    due = {name: ", ".join(f"{value:.2f}" for value in line) for name, line in shares.items()}
    report.ours(
        "deviation from the mean due, as a share of it, k 1 to 5: AncestorFairK (beside it: AncestorCoverK)",
        due["AncestorFairK"],
        due["AncestorCoverK"],
        f"RegularK, which is the noise of the lot alone: {due['RegularK']}",
    )
    _figure(report, rows)


NOISE = "our brokers draw new lots for each publication, so both sums contain the noise of two independent draws"
VOLUME = "the sum grows with the number of deliveries, which is k times as large; see the row of ours, relative to it"


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.0), layout="constrained")
    titles = ("summed difference from RegularK (the paper's)", "deviation, of what is due (ours)")
    for place, (axes, title) in enumerate(zip(figure.subplots(1, 2), titles, strict=True)):
        for number, name in enumerate(FAIRNESS, 2 + place * len(FAIRNESS)):
            style = "--" if name == "RegularK" else "o-"
            axes.plot([row[1] for row in rows], [row[number] for row in rows], style, color=COLOURS[name], label=name)
        axes.set_ylim(0)
        axes.set_xticks([row[1] for row in rows])
        axes.set(xlabel="k, % of the 250 subscribers", ylabel=title)
        axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.suptitle("Fairness: less is better")
    report.figure("deviation", figure)


EXPERIMENT = Experiment("covering_fig6a", "Fairness against k", f"{SOURCE}, Figure 6(a)", run)
