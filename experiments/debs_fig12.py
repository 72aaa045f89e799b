"""DEBS'09 Figure 12: the mean rank of delivered events, sigma 0.0."""

from collections.abc import Sequence

from experiments.debs_common import SOURCE, USERS
from experiments.debs_rank import compare_with_ranked, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport, users: Sequence[str] = USERS) -> None:
    """Mean ranks for every user, mode, length, scenario and k."""
    found = mean_ranks(report, "debs_fig12", 12, 0.0, users)
    compare_with_ranked(report, found)


EXPERIMENT = Experiment("debs_fig12", "Mean rank of delivered events, sigma 0", f"{SOURCE}, Figure 12", run)
