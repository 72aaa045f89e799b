"""Thesis Figure 4.1: the four variants of the threshold filter on the default stream."""

from experiments.novelty_common import EVENTS, HIGHEST, default_stream, four, picture, summary

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind

WHY_EAGER = (
    "any common delivery rate is stable: subscriptions delivered at the same rate have about the same score, and "
    "the threshold, the k-th highest of these scores, equals it. So the first window sets the share, which then "
    "rises slowly. We tried adding the event to the window first, and a budget by disjoint periods; both change the "
    "share by 0.0001"
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy, share delivered, and distances between deliveries, against time."""
    stream = default_stream(events=events)
    runs = four(stream, FilterKind.THRESHOLD, report)
    summary(report, "fig4_1", stream, list(runs.values()))
    picture(report, "fig4_1", "Figure 4.1: threshold filter, zipf 1.25, r = 0.2, P = 1,000", list(runs.values()))
    found = {name: each.measures() for name, each in runs.items()}
    lazy, interval = found["lazy, rate"], found["lazy, interval"]
    eager, eager_interval = found["eager, rate"], found["eager, interval"]
    report.compare(
        "lazy, rate: entropy", f"{HIGHEST:.4f} (log2 10)", f"{lazy['entropy']:.4f}", HIGHEST - lazy["entropy"] < 0.001
    )
    report.compare("lazy, rate: delivered", "0.2", f"{lazy['delivered']:.4f}", 0.19 <= lazy["delivered"] <= 0.2)
    report.compare(
        "lazy, interval: entropy (3.278 in a separate trial)",
        "below rate",
        f"{interval['entropy']:.4f}",
        abs(interval["entropy"] - 3.278) < 0.005,
    )
    same = abs(lazy["entropy"] - eager["entropy"]) < 0.01 > abs(interval["entropy"] - eager_interval["entropy"])
    ours = f"{lazy['entropy']:.4f} and {eager['entropy']:.4f}; {interval['entropy']:.4f} and {eager_interval['entropy']:.4f}"
    report.compare("lazy and eager reach the same entropy", "same", ours, same)
    share = eager["delivered"]
    report.compare("eager, rate: delivered", "0.2", f"{share:.4f}", share > 0.19, WHY_EAGER if share <= 0.19 else "")
    later = runs["eager, interval"].measures(events // 2)["delivered"]
    report.compare("eager, interval: delivered, second half", "0.2", f"{later:.4f}", later > 0.19)
    report.compare("rate: mean distance", "10", f"{lazy['distance']:.3f}", abs(lazy["distance"] - 10) < 0.05)
    report.compare(
        "rate: deviation of the distance",
        "about 0",
        f"{lazy['deviation of means']:.3f}",
        lazy["deviation of means"] < 0.1,
    )
    report.compare(
        "interval: deviation of the distance",
        "above rate",
        f"{interval['deviation of means']:.3f}",
        interval["deviation of means"] > lazy["deviation of means"],
    )
    report.remark(
        "The deviation is that of the mean distances per subscription. The table also has the deviation of single "
        "distances."
    )


EXPERIMENT = Experiment("thesis_fig4_1", "The threshold filter", "Thesis 2011, Figure 4.1", run)
