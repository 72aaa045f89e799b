"""DEBS'09 Figure 11: the mean rank of delivered events, sigma 1.0."""

from collections.abc import Sequence
from statistics import fmean

from experiments.debs_common import SOURCE, USERS, mean_rank_of_all
from experiments.debs_rank import ABOVE, mean_ranks

from rankcast.lab.reproduce import Experiment, ExperimentReport


def run(report: ExperimentReport, users: Sequence[str] = USERS) -> None:
    """Mean ranks for every user, mode, length, scenario and k."""
    found = mean_ranks(report, "debs_fig11", 11, 1.0, users)
    levels = {user: mean_rank_of_all(user) for user in users}
    ours = fmean(levels.values())
    note = f"from {min(levels.values()):.2f} to {max(levels.values()):.2f} by user"
    report.printed("mean rank of all matching events, mean over users", 0.46, ours, note=note)
    report.shape(
        ABOVE,
        [([mean], levels[user]) for user, values in found.items() for mean in values.values()],
        "cells",
        "larger than that in all cases",
        note="among equal ranks the more recent event wins, so a sliding window sends low-ranked events while better ones expire",
    )


EXPERIMENT = Experiment("debs_fig11", "Mean rank of delivered events, sigma 1", f"{SOURCE}, Figure 11", run)
