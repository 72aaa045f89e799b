"""The summary of section V: what an overlay of 10 core brokers with 5 edge brokers each forwards and sends."""

from time import perf_counter

from experiments.covering_common import SOURCE, intervals, poset, share, subscriptions

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.model import Advertisement
from rankcast.overlay import STRATEGIES, BrokerMessage, Overlay, parse_topology

SMALL, LARGE = 10_000, 50_000
CASES = (
    ("regular-cover", SMALL, 1),
    ("rank-cover", SMALL, 10),
    ("ancestor-cover", SMALL, 10),
    ("ancestor-cover", SMALL, 100),
    ("ancestor-cover", LARGE, 10),
    ("ancestor-cover", LARGE, 500),
)


def run(report: ExperimentReport, cases: tuple[tuple[str, int, int], ...] = CASES) -> None:
    """Subscribe everybody at the edge brokers, and count the subscriptions that reach the publisher's broker."""
    tree = parse_topology("chain:10x5")
    edges = [name for name in tree.leaves if name != "publisher"]
    rows = []
    for number, (strategy, count, k) in enumerate(cases, 1):
        overlay = Overlay(tree)
        space = parse("x between 0 and 1")
        overlay.advertise(Advertisement("a1", "publisher", space, k), "publisher", STRATEGIES[strategy])
        start = perf_counter()
        overlay.subscribe_all((one, edges[at % 50]) for at, one in enumerate(subscriptions(intervals(count))))
        seconds = perf_counter() - start
        arrived = 100 * len(overlay.known("a1", "publisher")) / count
        messages = overlay.traffic.total(BrokerMessage.SUBSCRIBE)
        hops = sum(len(tree.path(edges[at % 50], "publisher")) - 1 for at in range(count))
        rows.append(
            (strategy, count, k, round(arrived, 3), messages, round(100 * messages / hops, 2), round(seconds, 1))
        )
        report.progress(number / len(cases))
    report.table(
        "overlay",
        [
            "strategy",
            "subscribers",
            "k",
            "forwarded, %",
            "messages",
            "messages, % of RegularK's",
            "seconds to simulate",
        ],
        rows,
    )
    for strategy, count, k, arrived, _, messages, _ in rows:
        counts, depths = poset(count)
        of_poset = {
            "regular-cover": share(counts, 0),
            "rank-cover": share(depths, k),
            "ancestor-cover": share(counts, k - 1),
        }
        report.ours(
            f"{strategy}, {count:,} subscribers, k {k}: at the publisher (beside it: as the poset predicts)",
            f"{arrived:.2f} %",
            f"{of_poset[strategy]:.2f} %",
            f"messages on all links: {messages} % of forwarding everything",
        )
    report.remark("The numbers that the paper prints are compared in Figures 5(a) to 5(d).")
    _figure(report, rows)


def _figure(report: ExperimentReport, rows: list[tuple[object, ...]]) -> None:
    from matplotlib.figure import Figure

    figure = Figure(figsize=(7.2, 3.6))
    axes = figure.subplots()
    labels = [f"{row[0]}, k {row[2]}\nof {row[1]:,}" for row in rows]
    places = list(range(len(rows)))
    axes.barh(
        [place - 0.2 for place in places], [row[3] for row in rows], 0.38, color="#00798c", label="at the publisher"
    )
    axes.barh(
        [place + 0.2 for place in places],
        [row[5] for row in rows],
        0.38,
        color="#edae49",
        label="messages on all links",
    )
    axes.set_yticks(places, labels)
    axes.invert_yaxis()
    axes.set_xlabel("% of forwarding everything")
    axes.grid(alpha=0.3, axis="x")
    axes.legend(frameon=False)
    report.figure("overlay", figure)


EXPERIMENT = Experiment(
    "covering_summary", "The chain of brokers, summarised", f"{SOURCE}, summary", run, is_timed=True
)
