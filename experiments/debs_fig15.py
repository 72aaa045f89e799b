"""DEBS'09 Figure 15: how long events wait for their delivery, sigma 0.5."""

from collections.abc import Sequence
from statistics import fmean

from experiments import debs_common as debs
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import Mode

WAITS_LONGER = Rule(
    "the longer length waits longer",
    lambda shorter, longer: all(one < other for one, other in zip(shorter, longer, strict=True)),
    example=([90.0, 80.0], [180.0, 170.0]),
    contradiction=([90.0, 80.0], [180.0, 80.0]),
)
LATE_WAITS_LESS = Rule(
    "Best-Last, where the best come at the end of a period, waits less than Best-First",
    lambda late, early: all(one < other for one, other in zip(late, early, strict=True)),
    example=([50.0, 90.0], [150.0, 300.0]),
    contradiction=([50.0, 300.0], [150.0, 300.0]),
)


def mean_wait(sent: Sequence[debs.Sent]) -> float:
    """The mean time between publication and delivery, in published events (one per second)."""
    return fmean(one.wait for one in sent)


def run(report: ExperimentReport, users: Sequence[str] = debs.USERS) -> None:
    """Mean freshness for every user, mode, length, scenario and k."""
    found = debs.measured(report, 0.5, mean_wait, users)
    debs.tabulate(report, "debs_fig15", "mean wait in events", found, 2)
    overall = debs.means(found)
    for mode, paper in (
        (Mode.PERIODIC, "a larger period length results in larger delays"),
        (Mode.SLIDING, "a larger window length increases the average delivery time"),
    ):
        levels = [
            fmean(wait for cell, wait in overall.items() if cell[0] is mode and cell[2] == w) for w in debs.LENGTHS
        ]
        report.shape(
            WAITS_LONGER,
            debs.by_length(found, mode),
            "cells",
            paper,
            f"{levels[0]:.1f} → {levels[1]:.1f} events on average",
            of=mode.value,
        )
    report.shape(
        LATE_WAITS_LESS,
        [
            [[waits[Mode.PERIODIC, scenario, w, k]] for scenario in ("Best-Last", "Best-First")]
            for waits in found.values()
            for w in debs.LENGTHS
            for k in debs.KS
        ],
        "cells",
        "if high-ranked events are published towards the end of a period, they will reach the user earlier",
        of="periodic",
    )
    of_history = max(wait for cell, wait in overall.items() if cell[0] is Mode.HISTORY)
    report.ours(
        "history: the longest mean wait, in events",
        f"{of_history:.0f}",
        note="0 by construction: an event is sent at once or never; the paper's milliseconds are computing time",
    )
    report.figure(
        "debs_fig15",
        debs.panels(
            overall, "mean wait, events", "Figure 15: freshness of delivered events, sigma 0.5, mean over users"
        ),
    )


EXPERIMENT = Experiment("debs_fig15", "Freshness of delivered events", f"{debs.SOURCE}, Figure 15", run)
