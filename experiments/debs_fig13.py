"""DEBS'09 Figure 13: the mean rank of delivered events, sigma 0.5."""

from collections.abc import Sequence

from experiments.debs_common import SOURCE, USERS
from experiments.debs_rank import compare_numbers, compare_with_ranked, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport, users: Sequence[str] = USERS) -> None:
    """Mean ranks for every user, mode, length, scenario and k."""
    found = mean_ranks(report, "debs_fig13", 13, 0.5, users)
    compare_with_ranked(report, found)
    compare_numbers(report, 0.5, users)


EXPERIMENT = Experiment("debs_fig13", "Mean rank of delivered events, sigma 0.5", f"{SOURCE}, Figure 13", run)
