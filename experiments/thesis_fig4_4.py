"""Thesis Figure 4.4: the four variants of the sampling filter on the default stream."""

from experiments.novelty_common import EVENTS, PERIOD, default_stream, four, picture, summary, yardstick

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy, share delivered, and distances between deliveries, against time."""
    stream = default_stream(events=events)
    runs = four(stream, FilterKind.SAMPLING, report)
    summary(report, "fig4_4", stream, list(runs.values()))
    picture(report, "fig4_4", "Figure 4.4: sampling filter, zipf 1.25, r = 0.2, P = 1,000", list(runs.values()))
    found = {name: each.measures() for name, each in runs.items()}
    entropies = [each["entropy"] for each in found.values()]
    best = yardstick(stream, len(runs["lazy, rate"].at))
    report.compare(
        "all variants reach the same entropy",
        "same",
        f"{min(entropies):.4f} to {max(entropies):.4f}, optimum {best:.4f}",
        max(entropies) - min(entropies) < 0.005,
    )
    early = {name: each.series()["entropy"][:5].mean() for name, each in runs.items()}
    report.compare(
        f"eager gets there sooner: mean entropy over the first five periods of {PERIOD:,}",
        "sooner",
        f"eager {early['eager, rate']:.4f}, lazy {early['lazy, rate']:.4f}",
        bool(early["eager, rate"] > early["lazy, rate"]),
    )
    rate, interval = found["lazy, rate"], found["lazy, interval"]
    report.compare(
        "rate has the lower deviation of the distance (lazy)",
        "lower",
        f"{rate['deviation of means']:.4f} and {interval['deviation of means']:.4f}",
        rate["deviation of means"] <= interval["deviation of means"],
    )
    more = interval["delivered"] > rate["delivered"]
    report.compare(
        "interval delivers more",
        "more",
        f"{interval['delivered']:.4f} against {rate['delivered']:.4f}",
        more,
        ""
        if more
        else "both forms estimate the same number here: the mean distance of matches is the inverse of the match rate",
    )


EXPERIMENT = Experiment("thesis_fig4_4", "The sampling filter", "Thesis 2011, Figure 4.4", run)
