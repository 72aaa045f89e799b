"""Shared by the experiments in which the stream or the user changes halfway."""

from dataclasses import replace

import numpy as np
from experiments.novelty_common import EVENTS, IDS, VARIANTS, Run, Stream, picture, settings, summary, zipf
from experiments.novelty_common import run as run_filter

from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import FilterKind

KINDS = (FilterKind.THRESHOLD, FilterKind.SAMPLING)
KEPT = IDS[::2]
"""The subscriptions that a user keeps when removing five of ten: every second one."""


def skew_transient(events: int = EVENTS) -> Stream:
    """First Zipf 0.75, then Zipf 1.25."""
    half = events // 2
    return Stream(np.concatenate([zipf(0.75, events)[:half], zipf(1.25, events)[half:]]))


def skew_reverse(events: int = EVENTS) -> Stream:
    """Zipf 1.25; in the second half the order of popularity is reversed."""
    places = zipf(1.25, events)
    half = events // 2
    return Stream(np.concatenate([places[:half], len(IDS) - 1 - places[half:]]))


def leaving(events: int = EVENTS) -> Stream:
    """Zipf 1.25; the second half has only events that match the remaining subscriptions."""
    half = events // 2
    kept = np.array([IDS.index(name) for name in KEPT])
    more = zipf(1.25, 4 * events, seed=1)
    after = more[np.isin(more, kept)][: events - half]
    return Stream(np.concatenate([zipf(1.25, events)[:half], after]))


def halves(report: ExperimentReport, name: str, title: str, stream: Stream) -> dict[FilterKind, dict[str, Run]]:
    """Run all variants of both filters over a stream, and draw the entropy of each filter."""
    found: dict[FilterKind, dict[str, Run]] = {}
    rows = []
    for number, kind in enumerate(KINDS, 1):
        runs = [run_filter(stream, settings(kind, scoring, update)) for update, scoring in VARIANTS]
        found[kind] = {each.label: each for each in runs}
        summary(report, f"{name}_{kind.value}", stream, runs)
        half = len(stream.places) // 2
        for each in runs:
            before = run_until(each, half).entropy
            rows.append((kind.value, each.label, round(before, 5), round(each.measures(half)["entropy"], 5)))
        picture(report, f"{name}_{kind.value}", f"{title}: {kind.value} filter", runs, ["entropy"], mark(half))
        report.progress(number / len(KINDS))
    report.table(
        f"{name}_halves", ("filter", "variant", "entropy of the first half", "entropy of the second half"), rows
    )
    return found


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
) -> dict[str, tuple[dict[str, float], dict[str, float]]]:
    """The measures of each half for all variants of a filter; halfway, the user removes half of the subscriptions."""
    stream, half = leaving(events), events // 2
    found, runs, series = {}, [], []
    for number, (update, scoring) in enumerate(VARIANTS, 1):
        each = run_filter(stream, settings(kind, scoring, update), {half: KEPT})
        runs.append(each)
        found[each.label] = run_until(each, half).measures(), each.measures(half)
        first, second = run_until(each, half).series(), each.series(half)
        series.append({key: np.concatenate([first[key], second[key]]) for key in first})
        report.progress(number / len(VARIANTS))
    rows = [
        (label, part, *(round(value, 5) for value in measures.values()))
        for label, parts in found.items()
        for part, measures in zip(("ten subscriptions", "five subscriptions"), parts, strict=True)
    ]
    report.table(name, ("variant", "half", *next(iter(found.values()))[0]), rows)
    picture(report, name, f"{title}: {kind.value} filter", runs, ["entropy", "distance"], mark(half), series)
    return found
