"""Ours, for the thesis's threshold filter: the paced update, which spends its budget, beside the lazy and eager forms."""

from collections.abc import Callable
from dataclasses import replace

import numpy as np
from experiments.novelty_changes import KEPT, leaving, skew_reverse, skew_transient
from experiments.novelty_common import EVENTS, PERIOD, RATE, SOURCE, Run, Stream, default_stream, run, settings, zipf

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring, Update

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
    figure.axes[0].set_ylabel("delivered / matching")
    figure.axes[0].legend(frameon=False)
    columns = ("share", "least of ten periods", "most of ten periods", "entropy, first half", "entropy, second half")
    report.table("paced", ("stream", "update", *columns), rows)
    report.figure("paced", figure)
    report.remark(
        "The thesis has the lazy and the eager update. The lazy threshold is the k-th highest score of the past, which no "
        "subscription reaches again after another one has joined. Semantics: Paced filters. By interval, lazy spends less: "
        "where it has more entropy than paced, it delivers fewer events. At the share that lazy spends, paced has more."
    )


def _by_interval(report: ExperimentReport, events: int) -> None:
    """The stream on which paced has less entropy than lazy by interval, at the rate and at the share that lazy spends."""
    stream, half = joining_five(events), events // 2

    def found(update: Update, rate: float = RATE) -> dict[str, float]:
        how = settings(FilterKind.THRESHOLD, Scoring.INTERVAL, update)
        return run(stream, replace(how, rate=rate)).measures(half)

    lazy = found(Update.LAZY)
    told = [
        f"{one['delivered']:.4f}, {one['entropy']:.4f} bits"
        for one in (lazy, found(Update.PACED), found(Update.PACED, lazy["delivered"]))
    ]
    report.ours(
        "five subscriptions join five, by interval: share and entropy of the second half, paced (beside it: lazy)",
        told[1],
        told[0],
        f"paced at lazy's share: {told[2]}",
    )


def _entropies(found: Run) -> tuple[float, float]:
    """The entropy of each half: subscriptions may leave in the middle."""
    half = found.events // 2
    return found.measures(0, half)["entropy"], found.measures(half)["entropy"]


def _told(found: Run, stretch: int) -> str:
    over, (first, second) = shares(found, stretch), _entropies(found)
    return f"{found.share:.4f}, {over.min():.4f} to {over.max():.4f}, {first:.4f} and {second:.4f} bits"


EXPERIMENT = Experiment("thesis_paced", "A filter that spends its budget", f"{SOURCE}, Paced filters", run_all)
