"""Thesis Figure 4.9: a user removes five of ten subscriptions; the sampling filter."""

from math import log2

from experiments.novelty_changes import KEPT, QUICK, leaving_runs
from experiments.novelty_common import EVENTS, SOURCE

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind

AFFECTED = Rule(
    f"in the first {QUICK} periods after the change, no variant reaches 99 % of the highest entropy of five",
    lambda soon: all(value < 0.99 * log2(len(KEPT)) for value in soon),
    example=((2.2, 2.25),),
    contradiction=((2.2, 2.31),),
)
INTERVAL_MORE = Rule(
    f"in the first {QUICK} periods after the change, interval has a lower entropy than rate, lazy and eager",
    lambda interval, rate: all(one < other for one, other in zip(interval, rate, strict=True)),
    example=((2.1, 2.15), (2.2, 2.25)),
    contradiction=((2.1, 2.25), (2.2, 2.25)),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Entropy and mean distance of each half."""
    found = leaving_runs(report, "fig4_9", "Figure 4.9: five of ten subscriptions left", FilterKind.SAMPLING, events)
    shown = "; ".join(f"{name} {of['soon']:.4f}" for name, of in found[0].items())
    report.shape(
        AFFECTED,
        [([of["soon"] for of in one.values()],) for one in found],
        "seeds",
        "both the entropy and the average distance are affected by the change",
        f"first seed: {shown}",
        FORGOTTEN,
    )
    report.shape(
        INTERVAL_MORE,
        [
            [[one[f"{update}, {scoring}"]["soon"] for update in ("lazy", "eager")] for scoring in ("interval", "rate")]
            for one in found
        ],
        "seeds",
        "especially when interval-based scoring mode is used",
        note=FORGOTTEN,
    )


FORGOTTEN = "the thesis updates the number of active subscriptions once a period; ours forgets a removed one at once"
EXPERIMENT = Experiment("thesis_fig4_9", "Subscriptions left: sampling", f"{SOURCE}, Figure 4.9", run)
