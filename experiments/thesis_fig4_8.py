"""Thesis Figure 4.8: a user removes five of ten subscriptions; the threshold filter."""

from math import log2
from statistics import fmean

from experiments.novelty_changes import KEPT, QUICK, leaving_runs
from experiments.novelty_common import EVENTS, HIGHEST, SOURCE

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

RETAINS = Rule(
    "all variants reach 99 % of the highest entropy of ten subscriptions before, and of five after the change",
    lambda before, after: (
        all(value >= 0.99 * HIGHEST for value in before) and all(value >= 0.99 * log2(len(KEPT)) for value in after)
    ),
    example=((3.32, 3.3), (2.32, 2.31)),
    contradiction=((3.32, 3.3), (2.32, 2.2)),
)
ADAPTS_QUICKLY = Rule(
    f"in the first {QUICK} periods after the change, all variants reach 99 % of the highest entropy of five",
    lambda soon: all(value >= 0.99 * log2(len(KEPT)) for value in soon),
    example=((2.32, 2.31),),
    contradiction=((2.32, 2.2),),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy and mean distance of each half."""
    found = leaving_runs(report, "fig4_8", "Figure 4.8: five of ten subscriptions left", FilterKind.THRESHOLD, events)
    first = {name: f"{of['before']:.4f}, {of['soon']:.4f}, {of['after']:.4f}" for name, of in found[0].items()}
    shown = "; ".join(f"{name} {values}" for name, values in first.items())
    by_rate = [[of for name, of in one.items() if name.endswith("rate")] for one in found]
    kept = sum(RETAINS([of["before"] for of in one], [of["after"] for of in one]) for one in by_rate)
    quick = sum(ADAPTS_QUICKLY([of["soon"] for of in one]) for one in by_rate)
    report.shape(
        RETAINS,
        [([of["before"] for of in one.values()], [of["after"] for of in one.values()]) for one in found],
        "seeds",
        "not only retains its effectiveness",
        f"before, soon after, whole second half, first seed: {shown}",
        f"the rate forms alone: {kept} of {len(found)}; the interval forms are below 99 % from the start",
    )
    report.shape(
        ADAPTS_QUICKLY,
        [([of["soon"] for of in one.values()],) for one in found],
        "seeds",
        "but also adapts quickly to the change",
        note=f"the rate forms alone: {quick} of {len(found)}; the text has no number of periods, five was fixed before the run",
    )
    report.ours(
        "mean interdelivery distance before and after, lazy, rate",
        f"{fmean(one['lazy, rate']['distance before'] for one in found):.3f}, "
        f"{fmean(one['lazy, rate']['distance after'] for one in found):.3f}",
        note="the thesis: 5 after; the mean is the number of subscriptions for any filter that delivers all of them",
    )


EXPERIMENT = Experiment("thesis_fig4_8", "Subscriptions left: threshold", f"{SOURCE}, Figure 4.8", run)
