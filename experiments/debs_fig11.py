"""DEBS'09 Figure 11: the mean rank of delivered events, sigma 1.0."""

from experiments.debs_common import MODES
from experiments.debs_rank import compare_above, compare_fall, compare_level, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport) -> None:
    """Mean ranks for every mode, length, scenario and k."""
    means = mean_ranks(report, "debs_fig11", 11, 1.0)
    compare_level(report)
    compare_above(report, means)
    compare_fall(report, means, MODES)
    report.remark(
        "For this user the mean rank is above that of all matching events in every case. This does not hold for "
        "every user: for one with few different ranks (u00031 of the same workload), Best-First with a sliding "
        "window delivers a mean rank of 0.42 to 0.45, below 0.46. Among equal ranks the more recent wins, so the "
        "many low-ranked events are all sent in the end."
    )


EXPERIMENT = Experiment("debs_fig11", "Mean rank of delivered events, sigma 1", "DEBS'09, Figure 11", run)
