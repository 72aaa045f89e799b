"""Thesis Section 3.4: one user's subscriptions on several nodes, compared with a single node."""

import numpy as np
from experiments.novelty_common import PERIOD, default_stream, settings
from experiments.novelty_common import run as run_filter

from rankcast.choose.filters.team import serve_together
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.model import FilterKind, Scoring
from rankcast.rank import entropy

NODES = (1, 2, 3, 5, 10)
EVENTS = 30_000


def run(report: ExperimentReport, events: int = EVENTS) -> None:
    """Lazy threshold filter; nodes communicate after each period of 1,000 published events."""
    from matplotlib.figure import Figure

    stream = default_stream(events=events)
    rounds = events // PERIOD
    rows, shares = [], {}
    for scoring in (Scoring.RATE, Scoring.INTERVAL):
        how = settings(FilterKind.THRESHOLD, scoring)
        central = run_filter(stream, how)
        whole = set((central.at + 1).tolist())
        rows.append((scoring.value, "one that knows all", round(central.entropy, 4), round(central.share, 4), 1.0))
        for nodes in NODES:
            matches = [[] for _ in range(nodes)]
            for seq, place in enumerate(stream.places.tolist(), 1):
                matches[place % nodes].append((seq, (stream.ids[place],)))
            got = serve_together(matches, events, how, rounds)
            counts = np.bincount(stream.places[np.array(got) - 1], minlength=len(stream.ids))
            agree = len(whole & set(got)) / len(whole | set(got))
            rows.append(
                (scoring.value, nodes, round(entropy(counts.tolist()), 4), round(len(got) / events, 4), round(agree, 4))
            )
            shares[scoring, nodes] = len(got) / events, entropy(counts.tolist()), agree, central
            report.progress(len(rows) / (2 * (len(NODES) + 1)))
    report.table("sec3_4", ("scoring", "nodes", "entropy", "delivered", "same events (Jaccard)"), rows)
    figure = Figure(figsize=(10.4, 3.6), layout="constrained")
    figure.suptitle("Section 3.4: a team's subscriptions on several nodes, which merge their scores every 1,000 events")
    left, right = figure.subplots(1, 2)
    for scoring, colour in ((Scoring.RATE, "C0"), (Scoring.INTERVAL, "C3")):
        for axes, which, what in ((left, 1, "entropy (bits)"), (right, 0, "delivered / matching")):
            values = [shares[scoring, nodes][which] for nodes in NODES]
            axes.plot(NODES, values, "o-", color=colour, label=scoring.value)
            central = shares[scoring, 1][3]
            axes.axhline(central.entropy if which else central.share, color=colour, ls=":", lw=1)
            axes.set_ylabel(what)
            axes.set_xlabel("nodes (dotted: one that knows all)")
            axes.grid(alpha=0.3)
    right.set_ylim(0, 0.21)
    left.legend()
    report.figure("sec3_4", figure)
    share, found, agree, central = shares[Scoring.RATE, 1]
    report.compare("one node equals the plain filter", "the same", f"Jaccard {agree:.3f}", agree == 1)
    for nodes in (2, 5, 10):
        share, found, agree, central = shares[Scoring.RATE, nodes]
        report.compare(
            f"{nodes} nodes, rate: entropy, and share delivered",
            "no figure",
            f"{found:.4f} ({found - central.entropy:+.4f}); {share:.4f} ({share - central.share:+.4f})",
            abs(found - central.entropy) < 0.01,
            "entropy agrees; fewer events are delivered, because within a round a node cannot use another node's spare quota",
        )
    report.remark(
        "The thesis lists what nodes must exchange, but has no measurements. "
        "rankcast.pipeline.spark.deliver_to_team implements the exchange."
    )


EXPERIMENT = Experiment("thesis_sec3_4", "Subscriptions on several nodes", "Thesis 2011, Section 3.4", run)
