"""Ours, for the covering paper's AncestorFairK: k split by counts, beside weights that are drawn at most once."""

from collections import Counter
from collections.abc import Mapping
from unittest.mock import patch

from experiments.covering_common import NOW, SOURCE

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.model import Advertisement, Event, Ranking, Subscription
from rankcast.overlay import AncestorFairK, Overlay, RegularK, Strategy, lots, parse_topology

SUBSCRIBERS, PUBLICATIONS = 24, 1_500
KS = (1, 2, 3, 6, 12)


def draw_once(weights: Mapping[str, int], k: int, *ids: str) -> dict[str, int]:
    """The paper's form: k different names, a name with probability proportional to its weight at each draw."""
    seed = lots(*ids)
    best = sorted(weights, key=lambda name: -(seed(name) ** (1 / weights[name])))
    return dict.fromkeys(best[:k], 1)


def received(strategy: Strategy, k: int, publications: int) -> list[int]:
    """How many publications each of 24 equal subscriptions receives, six at each of four edge brokers."""
    overlay = Overlay(parse_topology("chain:4x1"))
    homes = [name for name in overlay.tree.leaves if name != "publisher"]
    advertisement = Advertisement("a1", "publisher", parse("x exists"), k, Ranking.FAIR)
    overlay.advertise(advertisement, "publisher", strategy)
    subscriptions = [Subscription(f"s{n:02}", f"u{n:02}", parse("x > 1")) for n in range(SUBSCRIBERS)]
    overlay.subscribe_all([(one, homes[number % len(homes)]) for number, one in enumerate(subscriptions)])
    events = (Event(f"e{n}", NOW, {"x": (2,)}, advertisement="a1") for n in range(publications))
    counts = Counter(name for event in events for name in overlay.publish(event).recipients)
    return [counts[one.id] for one in subscriptions]


def run(report: ExperimentReport, publications: int = PUBLICATIONS) -> None:
    """The chi-square of what the subscribers get, and of the share of the best-served broker, against k."""
    from matplotlib.figure import Figure

    forms = ("RegularK", "weights drawn once", "split by counts")
    rows = []
    for k in KS:
        with patch("rankcast.overlay.broker.draw", draw_once):
            once = received(AncestorFairK(), k, publications)
        found = dict(
            zip(
                forms,
                (received(RegularK(), k, publications), once, received(AncestorFairK(), k, publications)),
                strict=True,
            )
        )
        for name, counts in found.items():
            mean = sum(counts) / len(counts)
            by_broker = [sum(counts[broker::4]) / 6 / mean for broker in range(4)]
            chi = sum((count - mean) ** 2 for count in counts) / mean
            delivered = sum(counts) / publications / k
            rows.append(
                (k, name, round(chi, 1), round(max(by_broker), 3), round(min(by_broker), 3), round(delivered, 3))
            )
        report.progress(len(rows) / len(KS) / len(forms))
    columns = ("k", "form", "chi-square", "best-served broker", "worst-served broker", "delivered of k")
    report.table("split", columns, rows)
    by = {(row[0], row[1]): row for row in rows}
    for k in (2, 3, 6):
        ours, paper = by[k, "split by counts"], by[k, "weights drawn once"]
        report.ours(
            f"k {k}: chi-square over 24 equal subscribers, best- and worst-served broker (beside it: weights drawn once)",
            f"{ours[2]}, {ours[3]} and {ours[4]} times the mean",
            f"{paper[2]}, {paper[3]} and {paper[4]} times the mean",
            f"RegularK, which knows all: {by[k, 'RegularK'][2]}; by chance about 23 or less",
        )
    report.remark(
        "If each subscription is drawn at most once, a broker that stands for many others is served too seldom. "
        "Splitting k by counts is as fair as one broker that knows all."
    )
    figure = Figure(figsize=(10.4, 3.8), layout="constrained")
    figure.suptitle("AncestorFairK: 24 equal subscriptions at four brokers in a row")
    left, right = figure.subplots(1, 2)
    for name in forms:
        left.plot(KS, [by[k, name][2] for k in KS], "o-", label=name, markersize=4)
        (line,) = right.plot(KS, [by[k, name][3] for k in KS], "o-", markersize=4)
        right.plot(KS, [by[k, name][4] for k in KS], "o--", color=line.get_color(), markersize=4)
    left.set(yscale="log", ylabel="chi-square (less is fairer)")
    left.legend(frameon=False)
    right.set_ylabel("best (solid), worst (dashed) / mean")
    for axes in (left, right):
        axes.set_xlabel("k")
        axes.grid(alpha=0.3)
    report.figure("split", figure)


EXPERIMENT = Experiment("covering_split", "Fair splitting by counts", f"{SOURCE}, Fair splitting", run)
