"""DEBS'09 Figure 12: the mean rank of delivered events, sigma 0.0."""

from experiments.debs_common import MODES
from experiments.debs_rank import compare_fall, compare_sigma, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport) -> None:
    """Mean ranks for every mode, length, scenario and k."""
    means = mean_ranks(report, "debs_fig12", 12, 0.0)
    compare_sigma(report, means)
    compare_fall(
        report, means, MODES, "with sigma 0 ranks do not count, so they stay near those of all matching events"
    )


EXPERIMENT = Experiment("debs_fig12", "Mean rank of delivered events, sigma 0", "DEBS'09, Figure 12", run)
