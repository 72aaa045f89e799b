"""Thesis Section 3.4: one user's subscriptions on several nodes, compared with a single node."""

from heapq import nlargest
from typing import NamedTuple

import numpy as np
from experiments.novelty_common import PERIOD, RATE, SOURCE, Stream, default_stream

from rankcast.choose.filters.team import Team, TeamMatch
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import Filter, FilterKind, Scoring, Update
from rankcast.rank import entropy

NODES = (1, 2, 3, 5, 10)
EVENTS = 30_000
SHORT = 100
VARIANTS = {
    "threshold, lazy, rate": (Filter(FilterKind.THRESHOLD, RATE, PERIOD), PERIOD),
    "threshold, eager, rate": (Filter(FilterKind.THRESHOLD, RATE, PERIOD, update=Update.EAGER), SHORT),
    "threshold, paced, rate": (Filter(FilterKind.THRESHOLD, RATE, PERIOD, update=Update.PACED), SHORT),
    "threshold, lazy, interval": (Filter(FilterKind.THRESHOLD, RATE, PERIOD, Scoring.INTERVAL), PERIOD),
    "threshold, lazy, interval, aging 0.1": (
        Filter(FilterKind.THRESHOLD, RATE, PERIOD, Scoring.INTERVAL, aging=0.1),
        PERIOD,
    ),
    "sampling, lazy, rate": (Filter(FilterKind.SAMPLING, RATE, PERIOD), PERIOD),
    "sampling, eager, rate": (Filter(FilterKind.SAMPLING, RATE, PERIOD, update=Update.EAGER), SHORT),
}
"""Each with the length of a round. A round is the period of a lazy filter; the others agree more often."""
ALL_SCORES = "threshold, lazy, rate"
"""The variant of which the thesis's form is shown too."""


class Served(NamedTuple):
    """What a team got: the entropy, the share delivered, bytes per node and round, and the events."""

    entropy: float
    share: float
    bytes: float
    events: frozenset[int]


def serve(stream: Stream, settings: Filter, nodes: int, length: int) -> Served:
    """Serve the stream by nodes that hold every n-th subscription."""
    team, delivered = Team("team", settings, nodes), []
    places = stream.places.tolist()
    for start in range(0, len(places), length):
        parts: list[list[TeamMatch]] = [[] for _ in range(nodes)]
        for seq, place in enumerate(places[start : start + length], start + 1):
            parts[place % nodes].append(TeamMatch(seq, f"e{seq}", (stream.ids[place],)))
        delivered += team.advance(parts, length)
    counts = np.bincount(stream.places[np.array(delivered) - 1], minlength=len(stream.ids))
    messages = team.traffic / nodes / (len(places) / length)
    return Served(entropy(counts.tolist()), len(delivered) / len(places), messages, frozenset(delivered))


def with_all_scores(stream: Stream, nodes: int, length: int) -> tuple[float, float]:
    """The thesis's form of the lazy threshold by rate: nodes exchange all scores. Returns the entropy and the share.

    The threshold is the k-th highest score of the last round, and a node delivers at most as many events as it had among
    the k highest scores. What it leaves is lost.
    """
    budget = int(RATE * length)
    threshold, quotas = 0.0, [budget // nodes + (node < budget % nodes) for node in range(nodes)]
    counts, places = [0] * len(stream.ids), stream.places.tolist()
    for start in range(0, len(places), length):
        scores: list[tuple[float, int, int]] = []
        used = [0] * nodes
        for t, place in enumerate(places[start : start + length], start + 1):
            node, score = place % nodes, 1 - counts[place] / max(1, t - 1)
            scores.append((score, -t, node))
            if score >= threshold and used[node] < quotas[node]:
                counts[place] += 1
                used[node] += 1
        best = nlargest(budget, scores)
        threshold, quotas = best[-1][0], np.bincount([node for *_, node in best], minlength=nodes).tolist()
    return entropy(counts), sum(counts) / len(places)


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Every variant of the filters; nodes communicate after each round."""
    from matplotlib.figure import Figure

    stream = default_stream(events=events)
    found = {}
    for name, (settings, length) in VARIANTS.items():
        for nodes in NODES:
            found[name, nodes] = serve(stream, settings, nodes, length)
            report.progress(len(found) / len(VARIANTS) / len(NODES))
    report.table(
        "sec3_4",
        ("filter", "events per round", "nodes", "entropy", "delivered", "bytes per node and round", "same (Jaccard)"),
        [
            (
                name,
                VARIANTS[name][1],
                nodes,
                round(one.entropy, 4),
                round(one.share, 4),
                round(one.bytes),
                round(len(one.events & found[name, 1].events) / len(one.events | found[name, 1].events), 4),
            )
            for (name, nodes), one in found.items()
        ],
    )
    for name, (_, length) in VARIANTS.items():
        alone, many = found[name, 1], found[name, NODES[-1]]
        scores = 9 * length / NODES[-1]
        report.ours(
            f"{name}: entropy, share delivered on {NODES[-1]} nodes (beside it: on one)",
            f"{many.entropy:.4f}, {many.share:.4f}",
            f"{alone.entropy:.4f}, {alone.share:.4f}",
            f"{many.bytes:,.0f} bytes per node and round of {length:,} events, both ways"
            + (f"; all scores alone would be {scores:,.0f}" if "threshold" in name else ""),
        )
    plain = [with_all_scores(stream, nodes, PERIOD) for nodes in NODES]
    report.ours(
        f"{ALL_SCORES}: entropy, share delivered on {NODES[-1]} nodes (beside it: the thesis's form, all scores)",
        f"{found[ALL_SCORES, NODES[-1]].entropy:.4f}, {found[ALL_SCORES, NODES[-1]].share:.4f}",
        f"{plain[-1][0]:.4f}, {plain[-1][1]:.4f}",
        f"the thesis's form on one node: {plain[0][0]:.4f}, {plain[0][1]:.4f}",
    )
    figure = Figure(figsize=(12.4, 4), layout="constrained")
    figure.suptitle("Section 3.4: one user's subscriptions on several nodes")
    panels = (("entropy", "entropy (bits)"), ("share", "delivered / matching"), ("bytes", "bytes per node and round"))
    for axes, (field, label) in zip(figure.subplots(1, 3), panels, strict=True):
        for name in VARIANTS:
            axes.plot(NODES, [getattr(found[name, nodes], field) for nodes in NODES], "o-", label=name, markersize=4)
        axes.set(xlabel="nodes", ylabel=label)
        axes.grid(alpha=0.3)
        if field != "bytes":
            drawn = [one[field == "share"] for one in plain]
            axes.plot(NODES, drawn, "x--", color="black", lw=1, label="threshold, lazy, rate: thesis's form")
        if field == "share":
            axes.axhline(RATE, color="black", lw=1, ls=":")
        if field == "bytes":
            for length, style in ((PERIOD, "--"), (SHORT, ":")):
                sent = [9 * length / nodes for nodes in NODES]
                axes.plot(NODES, sent, style, color="black", lw=1, label=f"all scores of rounds of {length:,}")
        axes.set_ylim(bottom=0) if field != "entropy" else None
    labels = {
        label: line for axes in figure.axes for line, label in zip(*axes.get_legend_handles_labels(), strict=True)
    }
    figure.legend(labels.values(), labels.keys(), loc="outside lower center", ncol=4, fontsize=8)
    report.figure("sec3_4", figure)
    report.remark(
        "The thesis lists what nodes must exchange, and has no measurements. With one node and a round for each "
        "period or event, every variant is the plain filter, event for event, as tests show. In the first round "
        "nobody knows who needs how much, so the quotas are equal. In the thesis's form nodes send all scores. It "
        "does not say how they divide the budget: here by the k highest scores, and what a node leaves of its part is "
        "lost. The black lines on the right are all scores, without what else is exchanged: a message of ours is "
        "shorter if a node has more than some 150 matches in a round, and it is bounded. "
        "rankcast.pipeline.spark.deliver_to_team runs the exchange in a Spark job and serve_team on a stream, and "
        "rankcast.choose.filters.team.Team in one process."
    )


EXPERIMENT = Experiment("thesis_sec3_4", "Subscriptions on several nodes", f"{SOURCE}, Section 3.4", run)
