"""The condo example: the family's subscription, the published offers, and the degrees of the matches."""

from datetime import UTC, datetime

import numpy as np
from matplotlib.figure import Figure

from rankcast import model
from rankcast.engine.reference.shard import Shard
from rankcast.fuzzy import batch_degree
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse, show
from rankcast.matching import evaluate
from rankcast.matching.predicates import degrees_of, reaches

NOON = datetime(2004, 8, 31, 12, tzinfo=UTC)
CATALOG = model.Catalog(
    [
        model.Concept("medium", "size", model.Trapezoid(50, 70, 100, 130)),
        model.Concept("cheap", "price", model.LeftShoulder(1000, 2000)),
        model.Concept(
            "old", "condition", model.Table((("new", 0.0), ("renovated", 0.4), ("worn", 0.8), ("derelict", 1.0)))
        ),
        model.Subscription(
            "family",
            "ann",
            parse("size is medium [0.8, 0] and price <= 1500 [1, 0] and condition is not old [1, 0.3]"),
        ),
    ]
)
OFFERS = {
    "the paper's: 160 m², cheap": model.Event(
        "p160", NOON, {"size": (160,), "price": model.Term("cheap"), "condition": ("new",)}
    ),
    "its formula: 60 m², cheap": model.Event(
        "p60", NOON, {"size": (60,), "price": model.Term("cheap"), "condition": ("new",)}
    ),
    "66 m², cheap": model.Event("p66", NOON, {"size": (66,), "price": model.Term("cheap"), "condition": ("new",)}),
    "55 to 68 m², 1400, new or worn": model.Event(
        "vague",
        NOON,
        {"size": model.Interval(55, 68), "price": (1400,), "condition": model.Table((("new", 1.0), ("worn", 0.5)))},
    ),
    "80 m², not cheap": model.Event(
        "dear", NOON, {"size": (80,), "price": model.RightShoulder(1500, 2000), "condition": ("new",)}
    ),
    "80 m², 1400, renovated": model.Event("reno", NOON, {"size": (80,), "price": (1400,), "condition": ("renovated",)}),
    "no condition said": model.Event("bare", NOON, {"size": (80,), "price": (1400,)}),
}


def run(report: ExperimentReport) -> None:
    """Compute the degree of each predicate for each offer, and the match as a whole, with the system itself."""
    family = CATALOG.subscriptions["family"].where
    shard = Shard(CATALOG)
    rows, matched = [], set()
    for name, offer in OFFERS.items():
        rows += [(name, *_degrees(predicate, offer)) for predicate in family.parts]
        outcome = evaluate(family, offer, CATALOG.membership)
        found = [match.degree for match in shard.match(offer)]
        assert bool(found) is outcome.holds
        if outcome.holds:
            matched.add(offer.id)
        rows.append((name, "all", round(outcome.possibility, 6), round(outcome.necessity, 6), outcome.holds))
    report.table("condo", ["offer", "predicate", "possibility", "necessity", "holds"], rows)
    report.figure("condo", _drawn())
    by_name = {(row[0], row[1]): row for row in rows}
    size = by_name["its formula: 60 m², cheap", "size is medium [0.8, 0]"]
    report.ours(
        "60 m² against medium, possibility at least 0.8",
        f"medium to {size[2]:g}: {'matches' if size[4] else 'no match'}",
        note="the paper's axes have no numbers; the degree is that of our axes",
    )
    price = by_name["66 m², cheap", "price <= 1500 [1, 0]"]
    report.ours("cheap against at most 1500, possibility at least 1", f"P {price[2]:g}, N {price[3]:g}")
    vague = by_name["55 to 68 m², 1400, new or worn", "condition is not old [1, 0.3]"]
    report.ours("new or worn against not old, P at least 1 and N at least 0.3", f"P {vague[2]:g}, N {vague[3]:g}")
    report.ours("offers that match", ", ".join(sorted(matched)))
    report.remark(
        "The paper has 160 m² in its text and 60 in its formula; both are among the offers. Its condo does not "
        "mention the condition. Here a missing attribute satisfies no predicate; that offer is included, too."
    )


def _degrees(predicate: model.Predicate, offer: model.Event) -> tuple[object, ...]:
    value = offer.attributes.get(predicate.attribute)
    if value is None:
        return show(predicate), 0.0, 0.0, False
    possibility, necessity = degrees_of(predicate, value, CATALOG.membership, CATALOG.membership)
    return show(predicate), round(possibility, 6), round(necessity, 6), reaches(predicate, possibility, necessity)


def _drawn() -> Figure:
    figure = Figure(figsize=(10, 3), layout="constrained")
    size, price, condition = figure.subplots(1, 3)
    x = np.linspace(30, 150, 2000)
    medium = batch_degree(model.Trapezoid(50, 70, 100, 130), (), x)
    known = batch_degree(model.Interval(55, 68), (), x)
    _panel(size, x, medium, known, "size: medium", "55 to 68 m²")
    x = np.linspace(500, 2500, 2000)
    _panel(price, x, (x <= 1500) * 1.0, batch_degree(model.LeftShoulder(1000, 2000), (), x), "price: ≤ 1500", "cheap")
    words = ["new", "renovated", "worn", "derelict"]
    places = np.arange(4)
    condition.bar(places - 0.2, [1, 0.6, 0.2, 0], 0.4, color="#2a7f9e", label="wish")
    condition.bar(places + 0.2, [1, 0, 0.5, 0], 0.4, color="#d98e04", label="publication")
    condition.set_xticks(places, words)
    condition.set_title("condition: not old; new or worn", fontsize=10)
    for axes in (size, price, condition):
        axes.set_ylim(0, 1.1)
        axes.set_yticks([0, 0.5, 1])
        axes.spines[["top", "right"]].set_visible(False)
    condition.legend(fontsize=8, frameon=False)
    size.set_ylabel("degree")
    return figure


def _panel(axes, x, wish, known, asked: str, told: str) -> None:
    axes.plot(x, wish, color="#2a7f9e", linewidth=2)
    axes.plot(x, known, color="#d98e04", linewidth=2)
    both = np.minimum(wish, known)
    axes.fill_between(x, both, color="#b3b3b3", alpha=0.5, linewidth=0)
    at = both.argmax()
    axes.annotate(f"P = {both[at]:.2g}", (x[at], both[at]), (6, -12), textcoords="offset points", fontsize=9)
    axes.set_title(f"{asked}; {told}", fontsize=10)


EXPERIMENT = Experiment(
    "approx_condo", "The condo example, end to end", "A-ToPSS (VLDB 2004), sections 2.1 and 2.2", run
)
