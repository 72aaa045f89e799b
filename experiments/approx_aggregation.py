"""The effect of aggregation and thresholds on matches and their degrees."""

from experiments.approx_common import SOURCE, flats, mined, past_flats, widened
from matplotlib.figure import Figure

from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.matching import evaluate
from rankcast.model import Catalog, Concept, Gaussian, Norm

FLATS = 1_500
WIDTH = 0.15
LEVELS = [step / 10 for step in range(11)]
NECESSITIES = (0.0, 0.25, 0.5, 0.75)
BOTH = "price is usual [0, 0] and size is usual [0, 0] and distance is usual [0, 0]"
EITHER = BOTH.replace(" and ", " or ")


def run(report: ExperimentReport, count: int = FLATS) -> None:
    """Look for a flat of usual price, size and distance.

    Usual is a bell curve around the median of the past flats, as wide as their interquartile range.
    """
    past = past_flats()
    prices = mined(past, "price")
    catalog = Catalog([*prices.concepts, *(_usual(name) for name in ("price", "size", "distance"))])
    offers = flats(count)
    degrees: dict[str, list[float]] = {}
    for label, text in (("and", BOTH), ("or", EITHER)):
        where = parse(text)
        for norm in Norm:
            outcomes = [evaluate(where, flat, catalog.membership, norm) for flat in offers]
            degrees[f"{label}, {norm.value}"] = [outcome.possibility for outcome in outcomes]
    report.progress(0.3)
    rows = [
        (
            name,
            sum(degree > 0 for degree in found),
            *(sum(degree >= level - 1e-9 for degree in found) for level in LEVELS[1:]),
        )
        for name, found in degrees.items()
    ]
    report.table("aggregation", ["aggregation", "above 0", *(f"at least {level}" for level in LEVELS[1:])], rows)
    vague = [widened(flat, "price", WIDTH) for flat in offers]
    grid = []
    for step, tp in enumerate(LEVELS, 1):
        row = []
        for tn in NECESSITIES:
            where = parse(f"price is fair [{tp}, {tn}]")
            row.append(sum(evaluate(where, flat, catalog.membership).holds for flat in vague))
        grid.append((tp, *row))
        report.progress(0.3 + 0.7 * step / len(LEVELS))
    report.table("thresholds", ["possibility", *(f"necessity {tn}" for tn in NECESSITIES)], grid)
    report.figure("aggregation", _drawn(degrees, grid, count))
    for connective, norms, what in (
        ("and", ("lukasiewicz", "product", "min"), "and: Lukasiewicz below product below minimum"),
        ("or", ("min", "product", "lukasiewicz"), "or (dual norms): maximum below sum below bounded sum"),
    ):
        triples = zip(*(degrees[f"{connective}, {norm}"] for norm in norms), strict=True)
        ordered = sum(low <= middle + 1e-12 and middle <= high + 1e-12 for low, middle, high in triples)
        report.ours(what, f"for {ordered} of {count} flats", note="a theorem")
    least = [row[1] for row in grid]
    report.ours(
        "matches as the possibility threshold rises from 0 to 1", f"{least[0]} to {least[-1]} of {count}", note=THEOREM
    )
    at_half = grid[5]
    report.ours(
        "matches as the necessity threshold rises from 0 to 0.75, at possibility 0.5",
        f"{at_half[1]} to {at_half[-1]} of {count}",
        note=THEOREM,
    )
    report.remark(
        "Logic decides which flats match; the aggregation only sets the degree. There is one exception: a degree of "
        "0 is no match, and Lukasiewicz gives degree 0 to flats that satisfy each part only slightly."
    )


def _usual(attribute: str) -> Concept:
    spread = mined(past_flats(), attribute).summary
    return Concept(
        "usual", attribute, Gaussian(spread.quantile(0.5), (spread.quantile(0.75) - spread.quantile(0.25)) / 2)
    )


def _drawn(degrees: dict[str, list[float]], grid: list[tuple[float, ...]], count: int) -> Figure:
    figure = Figure(figsize=(10, 3.8), layout="constrained")
    left, right = figure.subplots(1, 2)
    colours = {"min": "#2a7f9e", "product": "#d98e04", "lukasiewicz": "#b3432b"}
    levels = [step / 200 for step in range(1, 201)]
    for name, found in degrees.items():
        connective, norm = name.split(", ")
        shares = [100 * sum(degree >= level - 1e-9 for degree in found) / count for level in levels]
        left.plot(levels, shares, "-" if connective == "and" else "--", color=colours[norm], linewidth=2, label=name)
    left.set(xlabel="degree at least", ylabel="% of the flats")
    left.set_title("aggregation: price, size, distance usual", loc="left", fontsize=10)
    for i, (tn, colour) in enumerate(zip(NECESSITIES, ("#2a7f9e", "#6a4c93", "#d98e04", "#b3432b"), strict=True), 1):
        right.plot(
            [row[0] for row in grid],
            [100 * row[i] / count for row in grid],
            "o-",
            color=colour,
            label=f"necessity {tn:g}",
        )
    right.set_xlabel("threshold of possibility")
    right.set_title(f"thresholds: price is fair, known to ± {WIDTH:.0%}", loc="left", fontsize=10)
    for axes in (left, right):
        axes.set_ylim(0, 100)
        axes.legend(frameon=False, fontsize=8)
        axes.spines[["top", "right"]].set_visible(False)
    return figure


THEOREM = "that they fall is a theorem; how far depends on the data"
EXPERIMENT = Experiment("approx_aggregation", "The effect of aggregation and thresholds", f"{SOURCE}, scenario 2", run)
