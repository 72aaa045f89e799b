"""Thesis Figure 4.5: the best threshold filter, the best sampling filter, and the random filter."""

from dataclasses import replace

from experiments.novelty_common import EVENTS, HIGHEST, default_stream, picture, settings, summary
from experiments.novelty_common import run as run_filter

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Update


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Compare both with the random filter."""
    stream = default_stream(events=events)
    chosen = {
        "threshold (lazy, rate)": settings(FilterKind.THRESHOLD),
        "sampling (eager, rate)": settings(FilterKind.SAMPLING, update=Update.EAGER),
        "random": settings(FilterKind.RANDOM),
    }
    runs = [replace(run_filter(stream, how), label=name) for name, how in chosen.items()]
    summary(report, "fig4_5", stream, runs)
    picture(report, "fig4_5", "Figure 4.5: threshold, sampling and chance", runs)
    threshold, sampling, by_chance = (each.measures() for each in runs)
    report.compare(
        "threshold and sampling are equally good in entropy",
        "same, near the highest",
        f"{threshold['entropy']:.4f} and {sampling['entropy']:.4f} of {HIGHEST:.4f}",
        abs(threshold["entropy"] - sampling["entropy"]) < 0.005,
    )
    report.compare(
        "random is well below both",
        "below",
        f"{by_chance['entropy']:.4f}",
        by_chance["entropy"] < threshold["entropy"] - 0.5,
    )
    report.compare(
        "threshold delivers slightly more than sampling",
        "more",
        f"{threshold['delivered']:.4f} and {sampling['delivered']:.4f}",
        threshold["delivered"] > sampling["delivered"],
    )
    report.compare(
        "random has the highest deviation of the distance",
        "highest",
        f"{by_chance['deviation of means']:.2f}",
        by_chance["deviation of means"] > max(threshold["deviation of means"], sampling["deviation of means"]),
    )
    report.compare(
        "sampling has a lower deviation of the distance than threshold",
        "lower",
        f"{sampling['deviation of means']:.3f} and {threshold['deviation of means']:.3f}",
        sampling["deviation of means"] < threshold["deviation of means"],
        "here the threshold filter, which counts deliveries, is more even; random sampling adds variation. "
        "Algorithm 1 of the thesis never resets its count of deliveries within a period, which may explain its "
        "figure",
    )


EXPERIMENT = Experiment("thesis_fig4_5", "Threshold, sampling and chance", "Thesis 2011, Figure 4.5", run)
