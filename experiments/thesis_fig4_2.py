"""Thesis Figure 4.2: the threshold over time."""

from collections.abc import Sequence

from experiments.novelty_common import COLOURS, EVENTS, SETTLES_SOONER, SOURCE, settles, variants

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind

WITHIN = 0.01
"""A threshold has settled if it stays within 1 % of its last value; the thesis does not say what it means by that."""
OTHERS = (0.0005, 0.1)
"""Other meanings, counted in the note."""


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """The threshold at the end of each period."""
    from matplotlib.figure import Figure

    found = variants(report, FilterKind.THRESHOLD, events)
    runs = found[0]
    rows = [(name, number, bar) for name, each in runs.items() for number, bar in enumerate(each.bars, 1)]
    report.table("fig4_2", ("variant", "period", "threshold"), rows)
    figure = Figure(figsize=(10.4, 3.6), layout="constrained")
    figure.suptitle("Figure 4.2: threshold at the end of each period")
    for axes, scoring in zip(figure.subplots(1, 2), ("rate", "interval"), strict=True):
        for update, style in (("lazy", "-"), ("eager", "--")):
            bars = runs[f"{update}, {scoring}"].bars
            axes.plot(range(1, len(bars) + 1), bars, style, label=update, color=COLOURS[f"{update}, {scoring}"])
        axes.set_title(f"{scoring}-based scoring", fontsize=10)
        axes.set(xlabel="periods of 1,000 events", ylabel="threshold")
        axes.grid(alpha=0.3)
        axes.legend()
    report.figure("fig4_2", figure)
    for scoring in ("rate", "interval"):
        bars = [tuple(one[f"{update}, {scoring}"].bars for update in ("eager", "lazy")) for one in found]
        when = [tuple(settled(line, WITHIN) for line in pair) for pair in bars]
        others = [
            f"within {100 * within:g} %: {sum(SETTLES_SOONER(*(settled(line, within) for line in pair)) for pair in bars)} "
            f"of {len(bars)} seeds"
            for within in OTHERS
        ]
        report.shape(
            SETTLES_SOONER,
            when,
            "seeds",
            "a fast threshold conversion; lazy needs a warm-up period",
            f"eager and lazy in period {', '.join(f'{eager} and {lazy}' for eager, lazy in when)}",
            "; ".join(["settled: within 1 % of the last value from then on", *others]),
            of=scoring,
        )


def settled(bars: Sequence[float], within: float) -> int:
    """The first period from which the threshold stays near its last value, by relative difference."""
    return settles(bars, within * abs(bars[-1]))


EXPERIMENT = Experiment("thesis_fig4_2", "The threshold over time", f"{SOURCE}, Figure 4.2", run)
