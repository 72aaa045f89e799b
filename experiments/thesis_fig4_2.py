"""Thesis Figure 4.2: the threshold over time."""

import numpy as np
from experiments.novelty_common import COLOURS, EVENTS, default_stream, four

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def settles(bars: list[float], within: float) -> int:
    """The first period from which the threshold stays near its last value, by relative difference."""
    values = np.array(bars)
    far = np.flatnonzero(np.abs(values - values[-1]) > within * abs(values[-1]))
    return int(far[-1]) + 2 if len(far) else 1


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """The threshold at the end of each period."""
    from matplotlib.figure import Figure

    runs = four(default_stream(events=events), FilterKind.THRESHOLD, report)
    rows = [(name, number, bar) for name, each in runs.items() for number, bar in enumerate(each.bars, 1)]
    report.table("fig4_2", ("variant", "period", "threshold"), rows)
    figure = Figure(figsize=(10.4, 3.6), layout="constrained")
    figure.suptitle("Figure 4.2: threshold at the end of each period")
    for axes, scoring in zip(figure.subplots(1, 2), ("rate", "interval"), strict=True):
        for update, style in (("lazy", "-"), ("eager", "--")):
            bars = runs[f"{update}, {scoring}"].bars
            axes.plot(range(1, len(bars) + 1), bars, style, label=update, color=COLOURS[f"{update}, {scoring}"])
        axes.set_title(f"{scoring}-based scoring", fontsize=10)
        axes.set_xlabel("periods of 1,000 events")
        axes.set_ylabel("threshold")
        axes.grid(alpha=0.3)
        axes.legend()
    report.figure("fig4_2", figure)
    for scoring, within in (("rate", 0.0005), ("interval", 0.1)):
        when = {update: settles(list(runs[f"{update}, {scoring}"].bars), within) for update in ("lazy", "eager")}
        report.compare(
            f"{scoring}: the eager threshold settles no later than the lazy one (to {100 * within:g} %)",
            "eager sooner",
            f"lazy in period {when['lazy']}, eager in period {when['eager']}",
            when["eager"] <= when["lazy"],
            ""
            if when["eager"] <= when["lazy"]
            else "both settle within one or two periods; the lazy threshold needs only one period, too",
        )


EXPERIMENT = Experiment("thesis_fig4_2", "The threshold over time", "Thesis 2011, Figure 4.2", run)
