"""Figure 6(a): how evenly publications are distributed among 250 subscribers, against k."""

from itertools import pairwise

from experiments.covering_common import COLOURS, FAIRNESS, SOURCE, fairness

from rankcast.lab.reproduce import Experiment, ExperimentReport

KS = (1, 2, 3, 4, 5)
SUBSCRIBERS = 250
PUBLICATIONS = 2000


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """The deviation from the mean number of publications that each subscription receives under RegularK."""
    rows = []
    for number, k in enumerate(KS, 1):
        found = [fairness(name, k, SUBSCRIBERS, publications).deviation() for name in FAIRNESS]
        rows.append((k, round(100 * k / SUBSCRIBERS, 1), *(round(value, 4) for value in found)))
        report.progress(number / len(KS))
    report.table("deviation", ["k", "k, % of subscribers", *FAIRNESS], rows)
    ratios = [row[4] / row[3] for row in rows]
    report.compare(
        "AncestorFairK fairer than AncestorCoverK at every k",
        "yes, by 224 % on average",
        f"yes, by {100 * (sum(row[3] / row[4] for row in rows) / len(rows) - 1):.0f} % on average"
        if max(ratios) < 1
        else "no",
        max(ratios) < 1,
        "both measures include the noise of the random draws; RegularK's row shows that noise alone",
    )
    report.compare(
        "AncestorFairK's deviation at most half of AncestorCoverK's, at every k",
        "-",
        ", ".join(f"{ratio:.2f}" for ratio in ratios),
        max(ratios) <= 0.5,
        "our ratios for k 1 to 5",
    )
    falling = all(one[4] > other[4] for one, other in pairwise(rows))
    report.compare("AncestorFairK becomes fairer as k grows", "yes", "yes" if falling else "no", falling)
    report.compare(
        "AncestorCoverK improves from k 1 to k 2",
        "by 20.18 %",
        f"by {100 * (1 - rows[1][3] / rows[0][3]):.1f} %",
        rows[1][3] < rows[0][3],
    )
    _figure(report, rows)


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.2))
    axes = figure.subplots()
    for number, name in enumerate(FAIRNESS):
        label = "RegularK: the noise of the lot" if name == "RegularK" else name
        style = "--" if name == "RegularK" else "o-"
        axes.plot([row[1] for row in rows], [row[2 + number] for row in rows], style, color=COLOURS[name], label=label)
    axes.set_ylim(0)
    axes.set_xticks([row[1] for row in rows])
    axes.set_xlabel("k, % of the 250 subscribers")
    axes.set_ylabel("deviation, of what is due")
    axes.set_title("Fairness: less is better")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    report.figure("deviation", figure)


EXPERIMENT = Experiment("covering_fig6a", "Fairness against k", f"{SOURCE}, Figure 6(a)", run)
