"""Ours, for the thesis's threshold filter: the paced update, which spends its budget, beside the lazy and eager forms."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from experiments.novelty_changes import KEPT, leaving, skew_reverse, skew_transient
from experiments.novelty_common import (
    EVENTS,
    PERIOD,
    RATE,
    SOURCE,
    SUBSCRIPTIONS,
    Run,
    Stream,
    default_stream,
    run,
    settings,
    zipf,
)

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring, Update
from rankcast.rank import entropy

CLOSE = 0.005
"""Bits of entropy; the goal is to be so near to the lazy form."""
SEEDS = range(300, 320)
"""Seeds that no rule was chosen by."""
Changes = Mapping[int, Sequence[str]] | None
UPDATES = (Update.LAZY, Update.EAGER, Update.PACED)
COLOURS = {Update.LAZY: "C0", Update.EAGER: "C2", Update.PACED: "C3"}


def joining(events: int, seed: int = 0) -> Stream:
    """One subscription matches everything; after a tenth of the events a second one joins, equally frequent."""
    places = zipf(0.0, events, seed, count=2)
    places[: events // 10] = 0
    return Stream(places, [[0], [1]], ("s1", "s2"))


def joining_five(events: int, seed: int = 0) -> Stream:
    """Five subscriptions match by Zipf 1.25; in the middle five more join, and all ten match by Zipf 1.25."""
    places = zipf(1.25, events, seed)
    places[: events // 2] = zipf(1.25, events // 2, seed, count=5)
    return Stream(places)


STREAMS: dict[str, Callable[[int], Stream]] = {
    "zipf 1.25": lambda events: default_stream(1.25, events),
    "zipf 0.75": lambda events: default_stream(0.75, events),
    "skew-transient": skew_transient,
    "skew-reverse": skew_reverse,
    "five of ten subscriptions leave": leaving,
    "a second subscription joins": joining,
    "five subscriptions join five": joining_five,
}


def shares(found: Run, periods: int = 1) -> np.ndarray:
    """The share delivered in each stretch of so many periods, from every period on."""
    each = np.bincount(found.at // found.period, minlength=found.events // found.period) / found.period
    return np.convolve(each, np.full(periods, 1 / periods), "valid")


def run_all(report: ExperimentReport, events: int = EVENTS) -> None:
    """The share of each period and the entropy, for each stream and update."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(15, 6), layout="constrained")
    panels = list(figure.subplots(2, 4, sharey=True).flat)
    panels.pop().set_axis_off()
    figure.suptitle("Share delivered in each period of 1,000 matching events, threshold filter by rate, rate 0.2")
    rows = []
    stretch = min(10, events // PERIOD)
    for axes, (name, make) in zip(panels, STREAMS.items(), strict=True):
        stream = make(events)
        changes = {events // 2: KEPT} if "leave" in name else None
        found = {update: run(stream, settings(FilterKind.THRESHOLD, update=update), changes) for update in UPDATES}
        for update, one in found.items():
            over = shares(one, stretch)
            values = (one.share, over.min(), over.max(), *_entropies(one))
            rows.append((name, update.value, *(round(float(value), 4) for value in values)))
            axes.plot(np.arange(1, events // PERIOD + 1), shares(one), color=COLOURS[update], lw=1, label=update.value)
        report.ours(
            f"{name}: share, least and most of any {stretch} periods, entropy of each half, paced (beside it: lazy)",
            _told(found[Update.PACED], stretch),
            _told(found[Update.LAZY], stretch),
            f"eager: {_told(found[Update.EAGER], stretch)}",
        )
        axes.axhline(RATE, color="black", lw=0.8, ls=":")
        axes.set_title(name, fontsize=10)
        axes.set_xlabel("period")
        axes.grid(alpha=0.3)
        report.progress(len(rows) / len(STREAMS) / len(UPDATES))
    _by_interval(report, events)
    for scoring in (Scoring.RATE, Scoring.INTERVAL):
        _any_ten_periods(report, events, scoring)
    figure.axes[0].set_ylabel("delivered / matching")
    figure.axes[0].legend(frameon=False)
    columns = ("share", "least of ten periods", "most of ten periods", "entropy, first half", "entropy, second half")
    report.table("paced", ("stream", "update", *columns), rows)
    report.figure("paced", figure)
    report.remark(
        "The thesis has the lazy and the eager update. The lazy threshold is the k-th highest score of the past, which no "
        "subscription reaches again after another one has joined. Semantics: Paced filters. By interval, subscriptions take "
        "turns; a threshold that stays is less even. Where lazy has more entropy than paced, it delivers fewer events. If "
        "subscriptions leave within ten periods, the entropy of these periods is higher if less is delivered after that. The "
        "bound is the entropy of a filter that spends the rate, within 2 % in favour of evenness, before and after the "
        "change, evenly among the subscriptions that are there; before they leave, nobody knows which will."
    )


def _by_interval(report: ExperimentReport, events: int) -> None:
    """The stream on which paced has less entropy than lazy by interval, at the rate and at the share that lazy spends."""
    half, rows = events // 2, []
    for seed in SEEDS:
        stream = joining_five(events, seed)

        def counts(update: Update, rate: float = RATE, stream: Stream = stream) -> list[int]:
            how = replace(settings(FilterKind.THRESHOLD, Scoring.INTERVAL, update), rate=rate)
            return _counts(run(stream, how), half, events)

        lazy, steady = counts(Update.LAZY), steady_entropy(stream.places[half:], RATE)
        share = sum(lazy) / (events - half)
        of_paced = [entropy(counts(Update.PACED, rate)) for rate in (RATE, share)]
        rows.append((share, entropy(lazy), of_paced[0], steady, of_paced[1]))
    shares_of_lazy, lazy_bits, *bits = np.array(rows).T
    told = [f"{of.mean():+.4f} ({of.min():+.4f} to {of.max():+.4f})" for of in (one - lazy_bits for one in bits)]
    within = [int((one - lazy_bits >= -CLOSE).sum()) for one in bits]
    report.ours(
        f"five subscriptions join five, by interval, {len(SEEDS)} seeds: bits of the second half, less those of lazy",
        f"{told[0]}; within {CLOSE} of lazy: {within[0]}",
        f"{lazy_bits.mean():.4f} bits, at a share of {shares_of_lazy.min():.3f} to {shares_of_lazy.max():.3f}",
        f"the steady threshold that spends the rate: {told[1]}; within {CLOSE}: {within[1]}. "
        f"Paced at lazy's share: {told[2]}; within {CLOSE}: {within[2]}",
    )


def steady_entropy(places: np.ndarray, share: float) -> float:
    """The entropy of a threshold by interval that never moves, and lets this share of the events through."""
    at = [np.flatnonzero(places == place) for place in range(places.max() + 1)]

    def passed(threshold: int) -> list[int]:
        counts = []
        for positions in at:
            found = place = 0
            while place < len(positions):
                found += 1
                place = int(np.searchsorted(positions, positions[place] + threshold))
            counts.append(found)
        return counts

    low, high = 1, int(len(at) / share) + 1  # no subscription passes more often than once in `threshold` events
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if sum(passed(middle)) >= share * len(places) else (low, middle)
    above, below = passed(low), passed(high)
    part = (sum(above) - share * len(places)) / max(1, sum(above) - sum(below))
    return entropy(above) + part * (entropy(below) - entropy(above))


def most_even(name: str, start: int, end: int, events: int) -> float:
    """The entropy in a stretch of the evenest filter that spends the rate within 2 % before and after the change in it.

    Before subscriptions leave, nobody knows which will, so they are served evenly; those that stay may have all of the
    rest. Before the only other one joins, everything goes to one; after it, everything may go to the other. Elsewhere
    the bound is that of all subscriptions served evenly.
    """
    change = events // 2 if "leave" in name else events // 10 if "second" in name else 0
    if not start < change < end:
        return float(np.log2(2 if "second" in name else 5 if "leave" in name and start >= change else SUBSCRIPTIONS))
    before, after = 1.02 * RATE * (change - start), 0.98 * RATE * (end - change)
    if "leave" in name:
        return entropy([before / 10 + after / 5] * 5 + [before / 10] * 5)
    before, after = 0.98 * RATE * (change - start), 1.02 * RATE * (end - change)
    return entropy([max(before, (before + after) / 2), min(after, (before + after) / 2)])


def _any_ten_periods(report: ExperimentReport, events: int, scoring: Scoring) -> None:
    """In how many stretches of ten periods paced has less entropy than lazy, on all streams, and why."""
    stretch = min(10, events // PERIOD) * PERIOD
    less, count, as_much, beyond, at_its_share, widest = 0, 0, 0, 0, 0, 0.0
    for name, make in STREAMS.items():
        stream, changes = make(events), {events // 2: KEPT} if "leave" in name else None

        def found(update: Update, rate: float = RATE, stream: Stream = stream, changes: Changes = changes) -> Run:
            return run(stream, replace(settings(FilterKind.THRESHOLD, scoring, update), rate=rate), changes)

        lazy, paced = found(Update.LAZY), found(Update.PACED)
        for start in range(0, events - stretch + 1, PERIOD):
            end = start + stretch
            before, after = (_counts(one, start, end) for one in (lazy, paced))
            count += 1
            if entropy(after) >= entropy(before) - CLOSE:
                continue
            less += 1
            as_much += sum(before) >= 0.98 * RATE * stretch
            if entropy(before) - CLOSE > most_even(name, start, end, events):
                beyond += 1
                continue
            widest = max(widest, entropy(before) - entropy(after))
            at_lazys_share = _counts(found(Update.PACED, sum(before) / stretch), start, end)
            at_its_share += entropy(at_lazys_share) >= entropy(before) - CLOSE
    note = (
        f"in {as_much} of these lazy spends the rate within 2 %; in {beyond} the evenest filter that spends the rate before "
        f"and after the change is more than {CLOSE} below, too"
    )
    if less > beyond:
        note += (
            f"; in the other {less - beyond} paced is up to {widest:.4f} bits below, and with the share of lazy it is within "
            f"{CLOSE} in {at_its_share}"
        )
    what = f"any ten periods of all streams, by {scoring.value}: more than {CLOSE} bits below lazy"
    report.ours(what, f"{less} of {count}", "", note)


def _counts(found: Run, start: int, end: int) -> list[int]:
    """The number of deliveries at each place from an event on, and before another."""
    return np.bincount(found.places[(found.at >= start) & (found.at < end)], minlength=found.count).tolist()


def _entropies(found: Run) -> tuple[float, float]:
    """The entropy of each half: subscriptions may leave in the middle."""
    half = found.events // 2
    return entropy(_counts(found, 0, half)), entropy(_counts(found, half, found.events))


def _told(found: Run, stretch: int) -> str:
    over, (first, second) = shares(found, stretch), _entropies(found)
    return f"{found.share:.4f}, {over.min():.4f} to {over.max():.4f}, {first:.4f} and {second:.4f} bits"


EXPERIMENT = Experiment("thesis_paced", "A filter that spends its budget", f"{SOURCE}, Paced filters", run_all)
