"""DEBS'09 Figure 10: the number of events delivered by rank alone."""

from experiments.debs_common import KS, LENGTHS, MATCHING, SCENARIOS, USER, deliveries, panels, settings

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Mode, Ties


def run(report: ExperimentReport, scenarios: tuple[str, ...] = SCENARIOS) -> None:
    """Counts for every mode, length, scenario and k."""
    counts = {}
    for number, scenario in enumerate(scenarios, 1):
        for setting, found in deliveries(scenario, settings([1.0])).items():
            counts[setting.mode, scenario, setting.length, setting.k] = len(found)
        report.progress(number / len(scenarios))
    rows = [(mode.value, *key, count, round(count / MATCHING, 4)) for (mode, *key), count in counts.items()]
    report.table("debs_fig10", ("mode", "scenario", "length", "k", "delivered", "share"), rows)
    _periodic(report, counts, scenarios)
    for mode in (Mode.SLIDING, Mode.HISTORY):
        _pruning(report, counts, mode, scenarios)
        shorter, longer = (
            sum(count for key, count in counts.items() if key[0] is mode and key[2] == w) for w in LENGTHS
        )
        report.compare(
            f"{mode.value}: a longer window delivers less", "less", f"{shorter} → {longer} in all", longer < shorter
        )
    _ties(report, scenarios)
    report.remark(
        f"Figures 10 to 15 show one user of the workload, {USER}, the third user that we tried. Other users differ; "
        "the remark under Figure 11 describes one. The paper does not say how it chose its user."
    )
    if scenarios == SCENARIOS:
        report.figure(
            "debs_fig10", panels(counts, "events delivered", "Figure 10: events delivered of 930 matching, sigma 1")
        )


def _periodic(report: ExperimentReport, counts: dict, scenarios: tuple[str, ...]) -> None:
    exact = all(
        counts[Mode.PERIODIC, scenario, length, k] == k * 2000 // length
        for scenario in scenarios
        for length in LENGTHS
        for k in KS
    )
    report.compare(
        "periodic: k per period, whatever the scenario", "k per period", "k per period" if exact else "not", exact
    )
    shares = [count / MATCHING for key, count in counts.items() if key[0] is Mode.PERIODIC]
    ours = f"{100 * min(shares):.1f} % to {100 * max(shares):.1f} %"
    report.compare("periodic: share of the matching", "2.2 % to 21.5 %", ours, ours == "2.2 % to 21.5 %")


def _pruning(report: ExperimentReport, counts: dict, mode: Mode, scenarios: tuple[str, ...]) -> None:
    totals = {name: sum(c for key, c in counts.items() if key[0] is mode and key[1] == name) for name in scenarios}
    order = sorted(totals, key=totals.get)
    ours = ", ".join(f"{name} {totals[name]}" for name in order)
    worst_agrees, best_agrees = order[-1] == "Best-Last", order[0] == "Random"
    report.compare(
        f"{mode.value}: prunes worst",
        "Best-Last",
        f"{order[-1]} ({ours})",
        worst_agrees,
        ""
        if worst_agrees
        else "our ranks have ties, and of equals `>` (Algorithm 2) sends none; `>=` (Definition 14): next line",
    )
    report.compare(
        f"{mode.value}: prunes best",
        "Random",
        order[0],
        best_agrees,
        ""
        if best_agrees
        else "entries expire, so k of every w must be sent; Best-First sends no more than that: 60 * 15 = 900 in all",
    )


def _ties(report: ExperimentReport, scenarios: tuple[str, ...]) -> None:
    """Run the history mode again with the other reading of the paper."""
    totals = {
        name: sum(map(len, deliveries(name, settings([1.0], [Mode.HISTORY], Ties.REPLACE)).values()))
        for name in scenarios
    }
    order = sorted(totals, key=totals.get)
    ours = ", ".join(f"{name} {totals[name]}" for name in order)
    note = (
        "Definition 14 has >=, Algorithm 2 has > (semantics: Errata of the papers); the paper's figure seems to use >="
    )
    for what, expected, place in (("worst", "Best-Last", -1), ("best", "Random", 0)):
        agrees = order[place] == expected
        report.compare(f'history, ties="replace": prunes {what}', expected, f"{order[place]} ({ours})", agrees, note)


EXPERIMENT = Experiment("debs_fig10", "Events delivered, by rank alone", "DEBS'09, Figure 10", run)
