"""Shared by the novelty experiments: streams, runs of a filter, measures by period, and pictures."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from math import log2
from typing import TYPE_CHECKING

import numpy as np

from rankcast.choose.filters.chance import user_key
from rankcast.engine.arrays.filters import ArrayThreshold, FilterBatch, array_filter, draws, event_keys
from rankcast.lab.reproduce import ExperimentReport, Paper, Rule
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.rank import distances, entropy, fairness, optimum

if TYPE_CHECKING:
    from matplotlib.axes import Axes

SOURCE = "Thesis 2011"
PAPER = Paper(
    SOURCE,
    "Novelty in publish/subscribe delivery (Souravlias, thesis 2011)",
    agrees="The threshold filter reaches the highest entropy by rate and less by interval, and keeps it when the stream "
    "changes; the sampling filter suffers when popularity is reversed, and settles sooner in its eager form; both filters "
    "are far better than chance.",
    differs="The standard deviation of the interdelivery distance is far from 0 in ours if it is taken over single "
    "distances; over the means per subscription it is near 0. The eager rate form keeps the share of its first window, "
    "below 0.2. Differences that the thesis reads from one run (who delivers a bit more, who is a bit better on the "
    "news) often change with the seed. Sampling forgets a removed subscription at once in ours, so it is not affected.",
    unknown=(
        "Over what the standard deviation is taken. All rows use single distances, the literal reading; the notes count "
        "how often a rule holds over the means per subscription.",
        "Whether a delivery is credited to all matching subscriptions (section 2.4) or to the most novel (equation 2.1).",
        "The period on the news. All rows use the default, 1,000; our news have 8,172 posts, the thesis's 17,362.",
        "The posts themselves, and the values of Figures 4.1 to 4.16, of which our copy has the text alone.",
        "How many runs a curve shows. We take one, as the text mentions no mean, and ask for ten that all agree.",
    ),
)
EVENTS, SUBSCRIPTIONS, RATE, PERIOD = 100_000, 10, 0.2, 1_000
IDS = tuple(f"s{number}" for number in range(1, SUBSCRIPTIONS + 1))
HIGHEST = log2(SUBSCRIPTIONS)
VISIBLE = 0.01
"""Bits of entropy: a smaller difference cannot be seen in a figure, so "the same" means less than this."""
ANY_FILTER = "near 10 for any filter that delivers all ten; a difference comes from the first and last events"
"""Why no rule goes by the mean interdelivery distance."""
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

    def measures(self, start: int = 0, end: int | None = None) -> dict[str, float]:
        """All measures of the events that passed from the event `start` on, and before the event `end`."""
        end = self.events if end is None else end
        places = self.places[(self.at >= start) & (self.at < end)]
        counts = np.bincount(places, minlength=self.count).tolist()
        apart = distances([[place] for place in places.tolist()])
        return {
            "entropy": entropy(counts),
            "fairness": fairness(counts),
            "delivered": len(places) / (end - start),
            "distance": apart.mean,
            "deviation": apart.deviation,
            "deviation of means": apart.means_deviation,
        }

    def series(self, start: int = 0) -> dict[str, np.ndarray]:
        """The measures after each period, over all events that passed since the event `start`."""
        ends = np.arange(start // self.period + 1, self.events // self.period + 1) * self.period
        found: dict[str, list[float]] = {
            name: [] for name in ("entropy", "delivered", "distance", "deviation", "deviation of means")
        }
        kept = self.at >= start
        at, places = self.at[kept], self.places[kept]
        for end in ends:
            upto = int(np.searchsorted(at, end))
            counts = np.bincount(places[:upto], minlength=self.count)
            found["entropy"].append(entropy(counts.tolist()))
            found["delivered"].append(upto / (end - start))
            apart = [np.diff(np.flatnonzero(places[:upto] == place)) for place in np.flatnonzero(counts > 1)]
            every = np.concatenate([np.zeros(0), *apart])
            found["distance"].append(float(every.mean()) if len(every) else 0.0)
            found["deviation"].append(float(every.std()) if len(every) else 0.0)
            found["deviation of means"].append(float(np.std([one.mean() for one in apart])) if apart else 0.0)
        return {"period": ends / self.period, **{name: np.array(values) for name, values in found.items()}}


@cache
def _uniform(events: int, seed: int) -> np.ndarray:
    return draws(event_keys(str(number) for number in range(1, events + 1)), user_key(seed, "stream"))


def zipf(exponent: float, events: int = EVENTS, seed: int = 0, count: int = SUBSCRIPTIONS) -> np.ndarray:
    """Places drawn by hash, the n-th with probability proportional to 1 / n^exponent."""
    shares = np.cumsum(1 / np.arange(1, count + 1) ** exponent)
    return np.searchsorted(shares, _uniform(events, seed) * shares[-1], side="right")


@cache
def default_stream(exponent: float = 1.25, events: int = EVENTS, seed: int = 0) -> Stream:
    """The stream of the thesis: ten exclusive subscriptions."""
    return Stream(zipf(exponent, events, seed))


@cache
def measured(
    stream_of: Callable[[int, int], Stream], events: int, seed: int, how: Filter, changed: tuple[str, ...] = ()
) -> Run:
    """Run a filter over the stream of a seed; `changed` are the subscriptions that remain from the middle on."""
    return run(stream_of(events, seed), how, {events // 2: changed} if changed else None, f"reader {seed}")


def plain(events: int, seed: int) -> Stream:
    """The stream of most figures."""
    return default_stream(1.25, events, seed)


def variants(
    report: ExperimentReport,
    kind: FilterKind,
    events: int,
    stream_of: Callable[[int, int], Stream] = plain,
    changed: tuple[str, ...] = (),
    **more: float,
) -> list[dict[str, Run]]:
    """The four variants of a filter by their labels, for each seed."""

    def of_seed(seed: int) -> dict[str, Run]:
        hows = [settings(kind, scoring, update, **more) for update, scoring in VARIANTS]
        return {label(how): measured(stream_of, events, seed, how, changed) for how in hows}

    return report.each_seed(of_seed, 0.9)


def settings(kind: FilterKind, scoring: Scoring = Scoring.RATE, update: Update = Update.LAZY, **more: float) -> Filter:
    """A filter with the defaults of the thesis."""
    return Filter(kind, RATE, scoring=scoring, update=update, **{"period": PERIOD, **more})


def label(how: Filter) -> str:
    """A name for a variant."""
    return "random" if how.novelty is FilterKind.RANDOM else f"{how.update.value}, {how.scoring.value}"


def run(stream: Stream, how: Filter, changes: Mapping[int, Sequence[str]] | None = None, user: str = "reader") -> Run:
    """Run a filter over a stream; `changes` gives the remaining subscriptions from an event on.

    The stream must not have events that match none of the remaining subscriptions.
    """
    ids = list(stream.ids)
    made = array_filter(user, how, ids)
    assert made is not None
    keys = _keys(len(stream.places))
    passed, bars = [], []
    for start in range(0, len(stream.places), how.period):
        if changes and start in changes:
            ids = list(changes[start])
            after = array_filter(user, how, ids)
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


@cache
def _keys(count: int) -> np.ndarray:
    return event_keys(f"e{number}" for number in range(count))


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
    "deviation": "deviation of the distance",
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
        axes.set(xlabel=f"periods of {runs[0].period:,} events", ylabel=PANELS[panel])
        axes.grid(alpha=0.3)
        draw(panel, axes)
    figure.axes[0].legend(fontsize=8)
    report.figure(name, figure)


STEADIER = Rule(
    "the standard deviation of the interdelivery distance is lower",
    lambda lower, higher: all(one < other for one, other in zip(lower, higher, strict=True)),
    example=((0.1, 0.2), (2.5, 2.6)),
    contradiction=((0.1, 2.6), (2.5, 2.6)),
)
HIGHER_ENTROPY = Rule(
    "the entropy is higher",
    lambda higher, lower: all(one > other for one, other in zip(higher, lower, strict=True)),
    example=((3.32, 3.32), (3.28, 3.27)),
    contradiction=((3.32, 3.27), (3.28, 3.27)),
)
SAME_ENTROPY = Rule(
    f"the entropies differ by less than {VISIBLE} bits",
    lambda values, others: all(abs(one - other) < VISIBLE for one, other in zip(values, others, strict=True)),
    example=((3.321, 3.28), (3.32, 3.275)),
    contradiction=((3.321, 3.28), (3.32, 3.26)),
)
DELIVERS_MORE = Rule(
    "more events are delivered",
    lambda more, fewer: all(one > other for one, other in zip(more, fewer, strict=True)),
    example=((0.2, 0.199), (0.19, 0.18)),
    contradiction=((0.2, 0.17), (0.19, 0.18)),
)
SETTLES_SOONER = Rule(
    "the eager form settles in an earlier period than the lazy one",
    lambda eager, lazy: eager < lazy,
    example=(1, 3),
    contradiction=(2, 2),
)


def of_scoring(found: Mapping[str, Run], scoring: str, measure: str) -> tuple[float, ...]:
    """A measure of the lazy and of the eager variant of a scoring."""
    return tuple(found[f"{update}, {scoring}"].measures()[measure] for update in ("lazy", "eager"))


def of_update(found: Mapping[str, Run], update: str, measure: str) -> tuple[float, ...]:
    """A measure of the rate and of the interval variant of an update mode."""
    return tuple(found[f"{update}, {scoring}"].measures()[measure] for scoring in ("rate", "interval"))


Cases = Sequence[tuple[tuple[float, ...], tuple[float, ...]]]
"""For each seed, a measure on both sides of a comparison."""


def by_scoring(found: Sequence[Mapping[str, Run]], one: str, other: str, measure: str) -> Cases:
    """A measure of both update modes, by one scoring and by the other."""
    return [(of_scoring(each, one, measure), of_scoring(each, other, measure)) for each in found]


def compare(report: ExperimentReport, rule: Rule, cases: Cases, paper: str, of: str, note: str = "") -> None:
    """Check a rule on both sides of a comparison for each seed, and tell their means."""
    report.shape(rule, cases, "seeds", paper, told(cases, 4), note, of)


def rate_is_steadier(report: ExperimentReport, found: Sequence[Mapping[str, Run]], paper: str) -> None:
    """Check that the deviation of the distance is lower by rate than by interval, in both update modes."""
    rate, interval = (
        [one[f"{update}, {scoring}"] for one in found for update in ("lazy", "eager")]
        for scoring in ("rate", "interval")
    )
    steadier(report, rate, interval, paper, "rate against interval, lazy and eager", 2)


def steadier(
    report: ExperimentReport, lower: Sequence[Run], higher: Sequence[Run], paper: str, of: str, pairs: int = 1
) -> None:
    """Check a statement about the standard deviation of the interdelivery distance.

    The rule takes single distances. The note says how often it holds over the means per subscription. `pairs` runs
    belong to one seed.
    """
    cases: dict[str, Cases] = {}
    for measure in ("deviation", "deviation of means"):
        values, others = ([one.measures()[measure] for one in runs] for runs in (lower, higher))
        cases[measure] = [
            (tuple(values[at : at + pairs]), tuple(others[at : at + pairs])) for at in range(0, len(values), pairs)
        ]
    report.shape(
        STEADIER,
        cases["deviation"],
        "seeds",
        paper,
        told(cases["deviation"]),
        over_means(STEADIER, cases["deviation of means"]),
        of=of,
    )


def over_means(rule: Rule, cases: Sequence[Sequence[object]]) -> str:
    """How often a rule holds if the deviation is that of the mean distances per subscription."""
    return f"over the means per subscription: {sum(rule(*case) for case in cases)} of {len(cases)}"


def told(cases: Cases, digits: int = 3) -> str:
    """The mean over seeds of both sides of a comparison."""
    sides = (np.mean([case[side] for case in cases], axis=0) for side in (0, 1))
    return " against ".join(", ".join(f"{value:.{digits}f}" for value in side) for side in sides)


def settles(values: Sequence[float], within: float) -> int:
    """The first period from which the values stay within a distance of the last one."""
    line = np.asarray(values)
    far = np.flatnonzero(np.abs(line - line[-1]) > within)
    return int(far[-1]) + 2 if len(far) else 1


def aged(
    report: ExperimentReport, name: str, title: str, kind: FilterKind, scoring: Scoring, events: int
) -> list[list[Run]]:
    """A lazy filter with aging factors 1, 0.5 and 0.1, for each seed."""

    def of_seed(seed: int) -> list[Run]:
        labels = {1.0: "gamma 1 (no aging)", 0.5: "gamma 0.5", 0.1: "gamma 0.1"}
        runs = {gamma: measured(plain, events, seed, settings(kind, scoring, aging=gamma)) for gamma in labels}
        return [replace(each, label=labels[gamma]) for gamma, each in runs.items()]

    found = report.each_seed(of_seed, 0.9)
    summary(report, name, plain(events, 0), found[0])
    picture(report, name, title, found[0], ["entropy", "deviation"])
    return found


def compare_aged(
    report: ExperimentReport, rule: Rule, found: Sequence[Sequence[Run]], measure: str, paper: str
) -> None:
    """Check a rule on a measure of the runs that `aged` returned."""
    cases = [[each.measures()[measure] for each in runs] for runs in found]
    note = ""
    if measure == "deviation":
        note = over_means(rule, [[each.measures()["deviation of means"] for each in runs] for runs in found])
    shown = ", ".join(f"{value:.4f}" for value in cases[0])
    report.shape(rule, cases, "seeds", paper, f"first seed, gamma 1, 0.5, 0.1: {shown}", note)
