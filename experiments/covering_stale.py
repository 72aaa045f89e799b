"""Beside Figure 6(b): what stale weights do to fairness, by the distance between publisher and subscriber."""

from collections import Counter
from statistics import fmean

from experiments.covering_common import COLOURS, SOURCE, Chain, chain

from rankcast.lab.reproduce import Experiment, ExperimentReport, Rule
from rankcast.overlay import AncestorFairK

KS = (1, 2)
SUBSCRIBERS = 250
PUBLICATIONS = 200
FRESH, STALE = "weights sent at once", "weights that travel with subscriptions"

UNDERESTIMATED = Rule(
    "the publisher's broker knows of fewer subscriptions than there are",
    lambda counted: counted < SUBSCRIBERS,
    example=(180.0,),
    contradiction=(250.0,),
)
NEAR_GET_MORE = Rule(
    "with stale weights, subscribers next to the publisher receive more than is due, and the farthest ones less",
    lambda surplus: surplus[0] > 0 > surplus[-1],
    example=([0.9, 0.1, -0.5],),
    contradiction=([-0.1, 0.1, 0.05],),
)
GROWS_WITH_DISTANCE = Rule(
    "stale weights favour the nearest over the farthest by more than fresh ones do",
    lambda fresh, stale: stale[0] - stale[-1] > fresh[0] - fresh[-1],
    example=([0.1, 0.0, -0.1], [0.5, 0.0, -0.5]),
    contradiction=([0.5, 0.0, -0.5], [0.1, 0.0, -0.1]),
)


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """Subscribers come one by one, and stay; then everything is published. Means over k, against what is due."""
    surplus: dict[str, list[list[float]]] = {FRESH: [], STALE: []}
    counted: dict[str, list[float]] = {FRESH: [], STALE: []}
    for seed in range(report.seeds):
        given = chain(SUBSCRIBERS, publications, seed)
        for name in (FRESH, STALE):
            runs = [_received(given, k, name == STALE) for k in KS]
            counted[name].append(fmean(known for _, known in runs))
            surplus[name].append(_surplus(given, [received for received, _ in runs]))
        report.progress((seed + 1) / report.seeds)
    means = {name: [fmean(values) for values in zip(*found, strict=True)] for name, found in surplus.items()}
    rows = [(1 + place, *(round(100 * means[name][place], 2) for name in means)) for place in range(5)]
    report.table("by_distance", ["core brokers", *(f"{name}, received more, %" for name in means)], rows)
    report.shape(
        UNDERESTIMATED,
        [(known,) for known in counted[STALE]],
        "seeds",
        "staleness in the meta-information tends to underestimate the number of subscriptions",
        f"{fmean(counted[STALE]):.0f} of {SUBSCRIBERS} on average; {fmean(counted[FRESH]):.0f} with fresh weights",
    )
    report.shape(
        NEAR_GET_MORE,
        [(one,) for one in surplus[STALE]],
        "seeds",
        "closer subscribers are overvalued, farther ones undervalued",
        f"{rows[0][2]:+.1f} % next to the publisher, {rows[-1][2]:+.1f} % farthest, on average",
    )
    report.shape(
        GROWS_WITH_DISTANCE,
        list(zip(surplus[FRESH], surplus[STALE], strict=True)),
        "seeds",
        "these inaccuracies accumulate over multiple hops",
        f"from the nearest to the farthest {rows[0][2] - rows[-1][2]:.1f} points, with fresh weights "
        f"{rows[0][1] - rows[-1][1]:.1f}",
    )
    report.remark(
        "Subscribers come one by one. A weight that changes goes upstream with the next subscription that passes the "
        "same link, or is taken back over it. With fresh weights it is a message of its own."
    )
    _figure(report, rows)


def _received(given: Chain, k: int, weights_travel: bool) -> tuple[Counter[str], int]:
    """What each subscription received, and how many subscriptions the publisher's broker thinks there are."""
    overlay = given.advertised(AncestorFairK(), k, weights_travel)
    for one, home in given.placed:
        overlay.subscribe(one, home)
    received = Counter(name for event in given.events for name in overlay.publish(event).recipients)
    return received, sum(overlay.weights("a1", "publisher").values())


def _surplus(given: Chain, runs: list[Counter[str]]) -> list[float]:
    """For each distance, what was received beyond what is due, as a share of it."""
    dues = [given.due(k) for k in KS]
    return [
        sum(run[name] for run in runs for name in ids) / sum(due[name] for due in dues for name in ids) - 1
        for ids in given.by_distance().values()
    ]


def _figure(report: ExperimentReport, rows: list[tuple[float, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(6.4, 4.0))
    axes = figure.subplots()
    distances = [row[0] for row in rows]
    axes.axhline(0, color="black", linewidth=0.8)
    axes.plot(distances, [row[1] for row in rows], "o-", color=COLOURS["AncestorFairK"], label=FRESH)
    axes.plot(distances, [row[2] for row in rows], "s--", color=COLOURS["RankCoverK"], label=STALE)
    axes.set_xticks(distances)
    axes.set(xlabel="core brokers between publisher and subscriber", ylabel="received more than is due, %")
    axes.set_title("AncestorFairK: who gets too much, who too little")
    axes.grid(alpha=0.3)
    axes.legend(frameon=False)
    figure.tight_layout()
    report.figure("by_distance", figure)


EXPERIMENT = Experiment("covering_stale", "Fairness with stale weights", f"{SOURCE}, Figure 6(b)", run)
