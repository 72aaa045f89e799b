"""Shared by the experiments in which the stream or the user changes halfway."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import cache

import numpy as np
from experiments.novelty_common import EVENTS, IDS, VISIBLE, Run, Stream, picture, summary, variants, zipf

from rankcast.lab.reproduce import ExperimentReport, Rule
from rankcast.model import FilterKind

KINDS = (FilterKind.THRESHOLD, FilterKind.SAMPLING)
KEPT = IDS[::2]
"""The subscriptions that a user keeps when removing five of ten: every second one."""


@cache
def skew_transient(events: int = EVENTS, seed: int = 0) -> Stream:
    """First Zipf 0.75, then Zipf 1.25."""
    half = events // 2
    return Stream(np.concatenate([zipf(0.75, events, seed)[:half], zipf(1.25, events, seed)[half:]]))


@cache
def skew_reverse(events: int = EVENTS, seed: int = 0) -> Stream:
    """Zipf 1.25; in the second half the order of popularity is reversed."""
    places = zipf(1.25, events, seed)
    half = events // 2
    return Stream(np.concatenate([places[:half], len(IDS) - 1 - places[half:]]))


@cache
def leaving(events: int = EVENTS, seed: int = 0) -> Stream:
    """Zipf 1.25; the second half has only events that match the remaining subscriptions."""
    half = events // 2
    kept = np.array([IDS.index(name) for name in KEPT])
    more = zipf(1.25, 4 * events, seed + 1000)
    after = more[np.isin(more, kept)][: events - half]
    return Stream(np.concatenate([zipf(1.25, events, seed)[:half], after]))


UNAFFECTED = Rule(
    f"after the change, the entropy never falls more than {VISIBLE} bits below its value before the change",
    lambda curves, change: all(min(curve[change:]) >= curve[change - 1] - VISIBLE for curve in curves),
    example=([[3.3, 3.32, 3.32, 3.315]], 2),
    contradiction=([[3.3, 3.32, 3.30, 3.32]], 2),
)
VARIES_A_LITTLE = Rule(
    f"after the change, the entropy moves by more than {VISIBLE} bits and by less than 0.1 bits",
    lambda curves, change: all(
        VISIBLE < max(abs(value - curve[change - 1]) for value in curve[change:]) < 0.1 for curve in curves
    ),
    example=([[3.3, 3.32, 3.29, 3.3]], 2),
    contradiction=([[3.3, 3.32, 3.32, 3.32]], 2),
)
DETERIORATES = Rule(
    "after the change, the entropy falls by at least 0.05 bits",
    lambda curves, change: all(min(curve[change:]) <= curve[change - 1] - 0.05 for curve in curves),
    example=([[3.3, 3.32, 3.25, 3.2]], 2),
    contradiction=([[3.3, 3.32, 3.31, 3.30]], 2),
)
QUICK = 5
"""Periods after a change within which a filter has adapted quickly."""


def halves(
    report: ExperimentReport, name: str, title: str, stream_of: Callable[[int, int], Stream], events: int
) -> dict[FilterKind, list[dict[str, Run]]]:
    """Run all variants of both filters over the streams of all seeds, and draw the entropy of the first."""
    found: dict[FilterKind, list[dict[str, Run]]] = {}
    rows = []
    half = events // 2
    for kind in KINDS:
        found[kind] = variants(report, kind, events, stream_of)
        runs = list(found[kind][0].values())
        summary(report, f"{name}_{kind.value}", stream_of(events, 0), runs)
        for each in runs:
            parts = each.measures(0, half)["entropy"], each.measures(half)["entropy"]
            rows.append((kind.value, each.label, *(round(part, 5) for part in parts)))
        picture(report, f"{name}_{kind.value}", f"{title}: {kind.value} filter", runs, ["entropy"], mark(half))
    report.table(
        f"{name}_halves", ("filter", "variant", "entropy of the first half", "entropy of the second half"), rows
    )
    return found


def compare_change(
    report: ExperimentReport, rule: Rule, found: Sequence[Mapping[str, Run]], names: Sequence[str], paper: str, of: str
) -> None:
    """Check what a change in the middle of the stream does to the entropy, from the first event on, of some variants."""
    change = found[0][names[0]].events // 2 // found[0][names[0]].period
    curves = [[one[name].series()["entropy"].tolist() for name in names] for one in found]
    before, lowest = curves[0][0][change - 1], min(curves[0][0][change:])
    report.shape(
        rule,
        [(each, change) for each in curves],
        "seeds",
        paper,
        f"{names[0]}, first seed: {before:.4f} before, {lowest:.4f} at the lowest after",
        of=f"{of} ({'; '.join(names)})",
    )


def run_until(each: Run, end: int) -> Run:
    """The part of a run before an event."""
    kept = each.at < end
    return replace(each, events=end, at=each.at[kept], places=each.places[kept])


def mark(event: int):
    """A function that marks the event of the change in a picture."""

    def draw(panel: str, axes) -> None:
        axes.axvline(event / 1000, color="0.4", lw=0.8, ls=":")

    return draw


def leaving_runs(
    report: ExperimentReport, name: str, title: str, kind: FilterKind, events: int
) -> list[dict[str, dict[str, float]]]:
    """For each seed and variant, the entropy of the first half, of the first periods after it, and of the second half.

    Halfway, the user removes half of the subscriptions.
    """
    half = events // 2
    runs = variants(report, kind, events, leaving, KEPT)
    found = [
        {
            label: {
                "before": each.measures(0, half)["entropy"],
                "soon": each.measures(half, min(events, half + QUICK * each.period))["entropy"],
                "after": each.measures(half)["entropy"],
                "distance before": each.measures(0, half)["distance"],
                "distance after": each.measures(half)["distance"],
            }
            for label, each in of_seed.items()
        }
        for of_seed in runs
    ]
    rows = [
        (seed, label, *(round(value, 5) for value in values.values()))
        for seed, of_seed in enumerate(found)
        for label, values in of_seed.items()
    ]
    report.table(name, ("seed", "variant", *next(iter(found[0].values()))), rows)
    first = list(runs[0].values())
    series = []
    for each in first:
        parts = run_until(each, half).series(), each.series(half)
        series.append({key: np.concatenate([part[key] for part in parts]) for key in parts[0]})
    picture(report, name, f"{title}: {kind.value} filter", first, ["entropy", "distance"], mark(half), series)
    return found
