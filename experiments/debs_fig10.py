"""DEBS'09 Figure 10: the number of events delivered by rank alone."""

from collections.abc import Sequence

from experiments import debs_common as debs
from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.model import Mode, Ties

BY_SETTINGS = "follows from k, the length of the period and the 930 matching events, which the paper prints"
LONGER_SENDS_LESS = Rule(
    "the longer window delivers fewer events",
    lambda shorter, longer: all(many > few for many, few in zip(shorter, longer, strict=True)),
    example=([90, 80], [50, 40]),
    contradiction=([90, 80], [50, 80]),
)
LEAST = Rule(
    "Random delivers the fewest events",
    lambda cells: all(
        counts["Random"] < min(value for name, value in counts.items() if name != "Random") for counts in cells
    ),
    example=([{"Random": 40, "Best-First": 50, "Best-Last": 90}],),
    contradiction=([{"Random": 40, "Best-First": 40, "Best-Last": 90}],),
)
MOST = Rule(
    "Best-Last delivers the most events",
    lambda cells: all(
        counts["Best-Last"] > max(value for name, value in counts.items() if name != "Best-Last") for counts in cells
    ),
    example=([{"Random": 40, "Burst": 50, "Best-Last": 90}],),
    contradiction=([{"Random": 40, "Burst": 90, "Best-Last": 90}],),
)


def run(report: ExperimentReport, users: Sequence[str] = debs.USERS) -> None:
    """Counts for every user, mode, length, scenario and k."""
    found = debs.measured(report, 1.0, len, users)
    debs.tabulate(report, "debs_fig10", "delivered", found, 0)
    periodic = [(cell, values[cell]) for values in found.values() for cell in debs.cells_of(Mode.PERIODIC)]
    shares = [value / debs.MATCHING for _, value in periodic]
    report.printed("periodic: smallest share of the matching", 2.2, 100 * min(shares), " %", 1, BY_SETTINGS)
    report.printed("periodic: largest share of the matching", 21.5, 100 * max(shares), " %", 1, BY_SETTINGS)
    same = sum(value == k * debs.PUBLISHED // w for (_, _, w, k), value in periodic)
    report.ours("periodic: k events per period", f"in {same} of {len(periodic)} cells", note=debs.K_PER_PERIOD)
    for mode in (Mode.SLIDING, Mode.HISTORY):
        other = debs.measured(report, 1.0, len, users, (Mode.HISTORY,), Ties.REPLACE) if mode is Mode.HISTORY else None
        for rule, paper in (
            (MOST, "the worse pruning is observed in Best-Last"),
            (LEAST, "Random achieves the greatest pruning"),
        ):
            note = ""
            if other is not None:
                held = [rule([cell]) for values in other.values() for cell in _by_scenario(values, mode)]
                note = f'with ties="replace" (Definition 14 instead of Algorithm 2): {sum(held)} of {len(held)} cells'
            report.shape(
                rule,
                [([cell],) for values in found.values() for cell in _by_scenario(values, mode)],
                "cells",
                paper,
                _told(debs.means(found), mode),
                note,
                of=mode.value,
            )
        report.shape(
            LONGER_SENDS_LESS,
            debs.by_length(found, mode),
            "cells",
            "a larger window size leads to the delivery of fewer events",
            note="in Best-Last every new event is at least as good, so both lengths send all"
            if mode is Mode.SLIDING
            else "",
            of=mode.value,
        )
    report.figure(
        "debs_fig10",
        debs.panels(
            debs.means(found),
            "events delivered",
            "Figure 10: events delivered of 930 matching, sigma 1, mean over users",
        ),
    )


def _by_scenario(values: debs.Values, mode: Mode) -> list[dict[str, float]]:
    return [
        {scenario: values[mode, scenario, w, k] for scenario in debs.SCENARIOS} for w in debs.LENGTHS for k in debs.KS
    ]


def _told(values: debs.Values, mode: Mode) -> str:
    totals = {name: sum(value for cell, value in values.items() if cell[:2] == (mode, name)) for name in debs.SCENARIOS}
    return "per user " + ", ".join(f"{name} {totals[name]:.0f}" for name in sorted(totals, key=totals.get))


EXPERIMENT = Experiment("debs_fig10", "Events delivered, by rank alone", f"{debs.SOURCE}, Figure 10", run)
