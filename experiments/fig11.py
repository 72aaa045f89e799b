"""DEBS'09 Figure 11: the mean rank of delivered events, sigma 1.0."""

from experiments.debs_common import MODES
from experiments.debs_rank import compare_above, compare_fall, compare_level, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport) -> None:
    """Mean ranks for every mode, length, scenario and k."""
    means = mean_ranks(report, "fig11", 11, 1.0)
    compare_level(report)
    compare_above(report, means)
    compare_fall(report, means, MODES)
    report.remark(
        "Above the mean of all in every case holds for this user. It is no law: of a user with few different ranks (u00031 of "
        "the same workload), Best-First with a sliding window delivers 0.42 to 0.45 of 0.46, for of equal ranks the more "
        "recent wins, so all of the many low ones are sent in the end."
    )


EXPERIMENT = Experiment("fig11", "Mean rank of delivered events, sigma 1", "DEBS'09, Figure 11", run)
