"""Shared by the novelty experiments: streams, runs of a filter, measures by period, and pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from rankcast.choose.filters.chance import user_key
from rankcast.engine.arrays.filters import ArrayThreshold, FilterBatch, array_filter, draws, event_keys
from rankcast.lab.reproduce import ExperimentReport
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.rank import distances, entropy, fairness, optimum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

EVENTS, SUBSCRIPTIONS, RATE, PERIOD = 100_000, 10, 0.2, 1_000
IDS = tuple(f"s{number}" for number in range(1, SUBSCRIPTIONS + 1))
HIGHEST = log2(SUBSCRIPTIONS)
VARIANTS = [(update, scoring) for update in (Update.LAZY, Update.EAGER) for scoring in (Scoring.RATE, Scoring.INTERVAL)]
COLOURS = {"lazy, rate": "C0", "lazy, interval": "C3", "eager, rate": "C2", "eager, interval": "C1", "random": "0.5"}


@dataclass(frozen=True)
class Stream:
    """Events that match one user.

    It has the number of the place (most specific subscription) at which each event counts, and the subscriptions that
    an event of each place matches.
    """

    places: np.ndarray
    matching: Sequence[Sequence[int]] = field(default_factory=lambda: [[place] for place in range(SUBSCRIPTIONS)])
    ids: Sequence[str] = IDS

    @property
    def share_of_each(self) -> np.ndarray:
        """The share of the stream at each place."""
        return np.bincount(self.places, minlength=len(self.matching)) / len(self.places)


@dataclass(frozen=True)
class Run:
    """The result of a filter: the place and number of each event that passed, and the threshold after each period."""

    label: str
    events: int
    period: int
    at: np.ndarray
    places: np.ndarray
    count: int
    bars: Sequence[float] = ()

    @property
    def share(self) -> float:
        """The share of the stream that passed."""
        return len(self.at) / self.events

    @property
    def counts(self) -> np.ndarray:
        """The number of passed events at each place."""
        return np.bincount(self.places, minlength=self.count)

    @property
    def entropy(self) -> float:
        """The output entropy."""
        return entropy(self.counts.tolist())

    def measures(self, start: int = 0) -> dict[str, float]:
        """All measures of the events that passed after the event `start`."""
        places = self.places[self.at >= start]
        counts = np.bincount(places, minlength=self.count).tolist()
        apart = distances([[place] for place in places.tolist()])
        return {
            "entropy": entropy(counts),
            "fairness": fairness(counts),
            "delivered": len(places) / (self.events - start),
            "distance": apart.mean,
            "deviation": apart.deviation,
            "deviation of means": apart.means_deviation,
        }

    def series(self, start: int = 0) -> dict[str, np.ndarray]:
        """The measures after each period, over all events that passed since the event `start`."""
        ends = np.arange(start // self.period + 1, self.events // self.period + 1) * self.period
        found: dict[str, list[float]] = {
            name: [] for name in ("entropy", "delivered", "distance", "deviation of means")
        }
        kept = self.at >= start
        at, places = self.at[kept], self.places[kept]
        for end in ends:
            upto = int(np.searchsorted(at, end))
            counts = np.bincount(places[:upto], minlength=self.count)
            found["entropy"].append(entropy(counts.tolist()))
            found["delivered"].append(upto / (end - start))
            means, total, pairs = [], 0, 0
            for place in np.flatnonzero(counts > 1):
                where = np.flatnonzero(places[:upto] == place)
                means.append((where[-1] - where[0]) / (len(where) - 1))
                total, pairs = total + int(where[-1] - where[0]), pairs + len(where) - 1
            found["distance"].append(total / pairs if pairs else 0.0)
            found["deviation of means"].append(float(np.std(means)) if means else 0.0)
        return {"period": ends / self.period, **{name: np.array(values) for name, values in found.items()}}


@cache
def _uniform(events: int, seed: int) -> np.ndarray:
    return draws(event_keys(str(number) for number in range(1, events + 1)), user_key(seed, "stream"))


def zipf(exponent: float, events: int = EVENTS, seed: int = 0, count: int = SUBSCRIPTIONS) -> np.ndarray:
    """Places drawn by hash, the n-th with probability proportional to 1 / n^exponent."""
    shares = np.cumsum(1 / np.arange(1, count + 1) ** exponent)
    return np.searchsorted(shares, _uniform(events, seed) * shares[-1], side="right")


@cache
def default_stream(exponent: float = 1.25, events: int = EVENTS) -> Stream:
    """The stream of the thesis: ten exclusive subscriptions."""
    return Stream(zipf(exponent, events))


def settings(kind: FilterKind, scoring: Scoring = Scoring.RATE, update: Update = Update.LAZY, **more: float) -> Filter:
    """A filter with the defaults of the thesis."""
    return Filter(kind, RATE, scoring=scoring, update=update, **{"period": PERIOD, **more})


def label(how: Filter) -> str:
    """A name for a variant."""
    return "random" if how.novelty is FilterKind.RANDOM else f"{how.update.value}, {how.scoring.value}"


def run(stream: Stream, how: Filter, changes: Mapping[int, Sequence[str]] | None = None) -> Run:
    """Run a filter over a stream; `changes` gives the remaining subscriptions from an event on.

    The stream must not have events that match none of the remaining subscriptions.
    """
    ids = list(stream.ids)
    made = array_filter("reader", how, ids)
    assert made is not None
    keys = event_keys(f"e{number}" for number in range(len(stream.places)))
    passed, bars = [], []
    for start in range(0, len(stream.places), how.period):
        if changes and start in changes:
            ids = list(changes[start])
            after = array_filter("reader", how, ids)
            after.restore(made.state())
            made = after
        number = {name: place for place, name in enumerate(ids)}
        matching = [[number[stream.ids[s]] for s in each if stream.ids[s] in number] for each in stream.matching]
        starts = np.cumsum([0, *map(len, matching)])
        flat = np.array([place for each in matching for place in each], np.int64)
        part = slice(start, start + how.period)
        passed.append(made.admit(FilterBatch(stream.places[part], starts, flat, keys=keys[part])))
        if isinstance(made, ArrayThreshold):
            bars.append(made.threshold)
    at = np.flatnonzero(np.concatenate(passed))
    return Run(label(how), len(stream.places), how.period, at, stream.places[at], len(stream.matching), bars)


def yardstick(stream: Stream, k: int) -> float:
    """The highest entropy of any k events of the stream."""
    return optimum(([place] for place in stream.places.tolist()), k).entropy


def summary(report: ExperimentReport, name: str, stream: Stream, runs: Sequence[Run]) -> None:
    """Tabulate the final measures of each run, with the offline optimum for the same number of events."""
    rows = []
    for each in runs:
        found = each.measures()
        best = yardstick(stream, len(each.at))
        values = [round(value, 5) for value in found.values()]
        rows.append((each.label, *values, round(best, 5), round(found["entropy"] / best, 5) if best else 1.0))
    columns = ("variant", *runs[0].measures(), "offline optimum", "share of the optimum")
    report.table(name, columns, rows)


PANELS = {
    "entropy": "entropy (bits)",
    "delivered": "delivered / matching",
    "distance": "mean distance (deliveries)",
    "deviation of means": "deviation of the mean distances",
}


def picture(
    report: ExperimentReport,
    name: str,
    title: str,
    runs: Sequence[Run],
    panels: Sequence[str] = tuple(PANELS),
    draw: Callable[[str, "Axes"], None] = lambda panel, axes: None,
    series: Sequence[Mapping[str, np.ndarray]] | None = None,
) -> None:
    """Draw a panel for each measure against the periods, with a line for each run; save the numbers as CSV."""
    from matplotlib.figure import Figure

    found = series or [each.series() for each in runs]
    rows = [
        (each.label, int(lines["period"][number]), *(round(float(lines[panel][number]), 6) for panel in panels))
        for each, lines in zip(runs, found, strict=True)
        for number in range(len(lines["period"]))
    ]
    report.table(f"{name}_series", ("variant", "period", *panels), rows)
    across = min(2, len(panels))
    figure = Figure(figsize=(5.2 * across, 3.6 * ((len(panels) + 1) // 2)), layout="constrained")
    figure.suptitle(title)
    for axes, panel in zip(
        np.ravel(figure.subplots(-(-len(panels) // across), across, squeeze=False)), panels, strict=False
    ):
        for number, (each, lines) in enumerate(zip(runs, found, strict=True)):
            style = "--" if each.label.startswith("eager") else "-"
            axes.plot(
                lines["period"],
                lines[panel],
                style,
                lw=1.4,
                label=each.label,
                color=COLOURS.get(each.label, f"C{number}"),
            )
        axes.set_xlabel(f"periods of {runs[0].period:,} events")
        axes.set_ylabel(PANELS[panel])
        axes.grid(alpha=0.3)
        draw(panel, axes)
    figure.axes[0].legend(fontsize=8)
    report.figure(name, figure)


def four(stream: Stream, kind: FilterKind, report: ExperimentReport, **more: float) -> dict[str, Run]:
    """The four variants of a filter over a stream."""
    found = {}
    for number, (update, scoring) in enumerate(VARIANTS, 1):
        each = run(stream, settings(kind, scoring, update, **more))
        found[each.label] = each
        report.progress(number / len(VARIANTS))
    return found


def aged(report: ExperimentReport, name: str, title: str, kind: FilterKind, scoring: Scoring, events: int) -> list[Run]:
    """A lazy filter with aging factors 1, 0.5 and 0.1."""
    stream = default_stream(events=events)
    runs = []
    for number, gamma in enumerate((1.0, 0.5, 0.1), 1):
        each = run(stream, settings(kind, scoring, aging=gamma))
        runs.append(replace(each, label="gamma 1 (no aging)" if gamma == 1 else f"gamma {gamma:g}"))
        report.progress(number / 3)
    summary(report, name, stream, runs)
    picture(report, name, title, runs, ["entropy", "deviation of means"])
    return runs
