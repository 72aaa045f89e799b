"""DEBS'09 Figure 13: the mean rank of delivered events, sigma 0.5."""

from experiments.debs_common import MODES
from experiments.debs_rank import compare_fall, compare_sigma, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport) -> None:
    """Mean ranks for every mode, length, scenario and k."""
    means = mean_ranks(report, "debs_fig13", 13, 0.5)
    compare_sigma(report, means)
    compare_fall(report, means, MODES)


EXPERIMENT = Experiment("debs_fig13", "Mean rank of delivered events, sigma 0.5", "DEBS'09, Figure 13", run)
