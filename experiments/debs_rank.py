"""The mean rank of delivered events. Figures 11, 12 and 13 are this experiment with different sigma."""

from statistics import fmean

from experiments.debs_common import KS, SCENARIOS, deliveries, mean_rank_of_all, panels, settings

from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import Mode


def mean_ranks(report: ExperimentReport, name: str, number: int, sigma: float) -> dict:
    """The mean rank for every mode, length, scenario and k, as table and picture."""
    means = {}
    for done, scenario in enumerate(SCENARIOS, 1):
        for setting, found in deliveries(scenario, settings([sigma])).items():
            means[setting.mode, scenario, setting.length, setting.k] = fmean(one.rank for one in found)
        report.progress(done / len(SCENARIOS))
    rows = [(mode.value, *key, round(mean, 4)) for (mode, *key), mean in means.items()]
    report.table(name, ("mode", "scenario", "length", "k", "mean rank"), rows)
    level = mean_rank_of_all()
    title = f"Figure {number}: mean rank of delivered events, sigma {sigma:g}"
    report.figure(name, panels(means, "mean rank", title, level))
    return means


def compare_level(report: ExperimentReport) -> None:
    """The mean rank of all matching events."""
    level = mean_rank_of_all()
    report.compare("mean rank of all matching events", "0.46", f"{level:.2f}", abs(level - 0.46) <= 0.01)


def compare_above(report: ExperimentReport, means: dict) -> None:
    """Whether every top-k has a higher mean rank than all matching events."""
    level = mean_rank_of_all()
    below = [key for key, mean in means.items() if mean < level]
    least = min(means.values())
    report.compare(
        "every top-k has a higher mean rank than all matching events",
        "in all cases",
        f"lowest {least:.3f} against {level:.3f}" + (f"; below in {len(below)} of {len(means)}" if below else ""),
        not below,
    )


def compare_sigma(report: ExperimentReport, means: dict) -> None:
    """Check that the mean rank is below that of selection by rank alone."""
    by_rank = [
        fmean(one.rank for one in found) for name in SCENARIOS for found in deliveries(name, settings([1.0])).values()
    ]
    ours = fmean(means.values())
    report.compare(
        "diverse events have lower ranks than with sigma 1",
        "a decrease",
        f"{fmean(by_rank):.3f} → {ours:.3f} on average",
        ours < fmean(by_rank),
    )


def compare_fall(report: ExperimentReport, means: dict, modes: tuple[Mode, ...], why: str = "") -> None:
    """Check that the mean rank falls as k grows; `why` explains an exception."""
    for mode in modes:
        first, last = (
            fmean(mean for key, mean in means.items() if key[0] is mode and key[3] == k) for k in (KS[0], KS[-1])
        )
        agrees = last < first
        report.compare(
            f"{mode.value}: mean rank falls with k", "falls", f"{first:.3f} → {last:.3f}", agrees, "" if agrees else why
        )
