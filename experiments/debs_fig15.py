"""DEBS'09 Figure 15: how long events wait for their delivery, sigma 0.5."""

from statistics import fmean

from experiments.debs_common import LENGTHS, MODES, SCENARIOS, deliveries, panels, settings

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Mode


def run(report: ExperimentReport) -> None:
    """Mean freshness, in published events (one per second), for every mode, length, scenario and k."""
    waits = {}
    for number, scenario in enumerate(SCENARIOS, 1):
        for setting, found in deliveries(scenario, settings([0.5])).items():
            wait = fmean(one.freshness.total_seconds() for one in found)
            waits[setting.mode, scenario, setting.length, setting.k] = wait
        report.progress(number / len(SCENARIOS))
    rows = [(mode.value, *key, round(wait, 2)) for (mode, *key), wait in waits.items()]
    report.table("debs_fig15", ("mode", "scenario", "length", "k", "mean wait in events"), rows)
    mean = {
        (mode, length): fmean(wait for key, wait in waits.items() if key[0] is mode and key[2] == length)
        for mode in MODES
        for length in LENGTHS
    }
    for mode, why in ((Mode.PERIODIC, "a larger delay"), (Mode.SLIDING, "a larger delay")):
        short, long = mean[mode, 200], mean[mode, 400]
        report.compare(f"{mode.value}: a longer length", why, f"{short:.1f} → {long:.1f} events", long > short)
    late, early = (
        fmean(wait for key, wait in waits.items() if key[:2] == (Mode.PERIODIC, name))
        for name in ("Best-Last", "Best-First")
    )
    report.compare(
        "periodic: high ranks late in a period wait less",
        "Best-Last below Best-First",
        f"{late:.1f} < {early:.1f}",
        late < early,
    )
    report.compare(
        "history: hardly depends on the scenario",
        "processing time only",
        f"{max(wait for key, wait in waits.items() if key[0] is Mode.HISTORY):.0f} events",
        all(wait == 0 for key, wait in waits.items() if key[0] is Mode.HISTORY),
        "we count the wait in events, which is 0 for immediate sending; the paper's milliseconds are computing time",
    )
    report.figure(
        "debs_fig15", panels(waits, "mean wait, events", "Figure 15: freshness of delivered events, sigma 0.5")
    )


EXPERIMENT = Experiment("debs_fig15", "Freshness of delivered events", "DEBS'09, Figure 15", run)
