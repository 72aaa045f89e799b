"""Thesis Figure 4.12: aging of the rate form: sampling; the interval form, whose figure the thesis omits."""

from experiments.novelty_common import EVENTS, SOURCE, VISIBLE, aged, settles

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import FilterKind, Scoring

SLOWER = Rule(
    f"the entropy settles (within {VISIBLE} bits of its last value) in later periods as gamma falls from 1 to 0.5 to 0.1",
    lambda none, some, much: none < some < much,
    example=(13, 30, 89),
    contradiction=(13, 13, 89),
)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Aging factors 1 (none), 0.5 and 0.1."""
    for scoring, name in ((Scoring.RATE, "fig4_12"), (Scoring.INTERVAL, "fig4_12_interval")):
        title = f"Figure 4.12: aging of the {scoring.value} form: sampling"
        found = aged(report, name, title, FilterKind.SAMPLING, scoring, events)
        when = [[settles(each.series()["entropy"], VISIBLE) for each in runs] for runs in found]
        report.shape(
            SLOWER,
            when,
            "seeds",
            "the more aging is used, the slower is the conversion",
            f"in periods {'; '.join(', '.join(map(str, one)) for one in when)}",
            of=scoring.value,
        )


EXPERIMENT = Experiment("thesis_fig4_12", "Aging: sampling", f"{SOURCE}, Figure 4.12", run)
