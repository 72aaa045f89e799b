"""An auction with real listings: the paper's five cases side by side."""

from collections.abc import Sequence

from experiments.approx_common import SOURCE, in_words, items, mined, past_items, uniform, widened
from matplotlib.figure import Figure

from rankcast.fuzzy import MiningResult, alpha_cut
from rankcast.lab.reproduce import Experiment, ExperimentReport
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, Subscription

WISHES = 400
PUBLICATIONS = 600
CASES = {
    "1": "crisp wish, crisp item",
    "2": "vague wish, crisp item",
    "3": "crisp wish, vague item",
    "3, [0.6, 0]": "the same, stricter",
    "4": "vague wish, vague item",
    "4, [0.6, 0]": "the same, stricter",
    "5": "mixed",
}


def run(report: ExperimentReport, wishes: int = WISHES, publications: int = PUBLICATIONS) -> None:
    """Four hundred users look for items of a category at a price, with crisp, vague and mixed subscriptions."""
    past = past_items()
    prices, ratings = mined(past, "first_bid"), mined(past, "seller_rating")
    catalog = Catalog([*prices.concepts, *ratings.concepts])
    categories = sorted({event.attributes["category"][0] for event in past})
    popular = sorted(categories, key=lambda name: -sum(name in event.attributes["category"] for event in past))[:6]
    known = (popular, prices, ratings)
    crisp = [_wish(i, *known, price="", seller="") for i in range(wishes)]
    strict = [_wish(i, *known, price="", seller="", crisp=" [0.6, 0]") for i in range(wishes)]
    vague = [_wish(i, *known, price=" [0.3, 0]", seller=" [0.3, 0]") for i in range(wishes)]
    stricter = [_wish(i, *known, price=" [0.6, 0]", seller=" [0.6, 0]") for i in range(wishes)]
    mixed = [_wish(i, *known, price=" [0.3, 0]", seller="") for i in range(wishes)]
    plain = items(publications)
    told = [_told(event, ratings) for event in plain]
    half = [event if uniform("mixed", event.id) < 0.5 else widened(event, "first_bid", 0.25) for event in plain]
    pairings = [
        (crisp, plain),
        (vague, plain),
        (crisp, told),
        (strict, told),
        (vague, told),
        (stricter, told),
        (mixed, half),
    ]
    found: dict[str, dict[tuple[str, str], float]] = {}
    for step, (case, (subscriptions, events)) in enumerate(zip(CASES, pairings, strict=True), 1):
        found[case] = _matches(catalog, subscriptions, events)
        report.progress(step / len(CASES))
    base = set(found["1"])
    rows = []
    for case, pairs in found.items():
        full = sum(degree >= 1 for degree in pairs.values())
        rows.append(
            (
                case,
                CASES[case],
                len(pairs),
                round(len(pairs) / publications, 1),
                round(full / len(pairs), 3),
                round(sum(pairs.values()) / len(pairs), 3),
                round(len(base & set(pairs)) / len(base), 3),
                len(set(pairs) - base),
            )
        )
    columns = [
        "case",
        "what is vague",
        "matches",
        "per item",
        "fully",
        "mean degree",
        "of case 1 found",
        "beyond case 1",
    ]
    report.table("auction", columns, rows)
    report.table(
        "concepts",
        ["attribute", "concept", "corners"],
        [(c.attribute, c.name, c.membership.points()) for m in (prices, ratings) for c in m.concepts],
    )
    report.figure("auction", _drawn(found, base))
    report.ours("cases that one engine serves", sum(bool(found[case]) for case in ("1", "2", "3", "4", "5")))
    report.ours(
        "matches of vague subscriptions (beside them: of crisp ones), case 2 and case 1",
        f"{len(found['2'])}, among them {rows[1][6]:.0%} of case 1",
        len(base),
        "more by construction: the thresholds of the vague form are below the cut of the crisp one",
    )
    report.ours(
        "matches of crisp subscriptions with imprecise items, case 3",
        f"{rows[2][6]:.0%} of case 1, {rows[2][7]} more; stricter: {rows[3][6]:.0%}, {rows[3][7]} more",
        note="neighbouring concepts have a possibility of exactly 0.5, the default threshold; 0.6 separates them",
    )
    report.remark(
        "first_bid and seller_rating are real. The bids of this dataset are synthetic, so they are not used. A "
        "fifth of the subscriptions is in disjunctive normal form: they also accept a second category at another "
        "price. A vague item has a price known to within 25 % and a seller rating given by a concept. In the mixed "
        "case, half of the items have only the imprecise price."
    )


def _wish(
    i: int,
    categories: Sequence[str],
    prices: MiningResult,
    ratings: MiningResult,
    *,
    price: str,
    seller: str,
    crisp: str = "",
) -> Subscription:
    """A subscription. `price` and `seller` are the thresholds of its vague parts.

    An empty threshold makes the part crisp; `crisp` has the thresholds of crisp parts.
    """

    def branch(purpose: str) -> str:
        category = categories[int(uniform(purpose, "category", i) * len(categories))].replace("'", "''")
        word = prices.concepts[int(uniform(purpose, "price", i) * len(prices.concepts))]
        asked = f"first_bid is {word.name}{price}" if price else _as_range("first_bid", word.membership) + crisp
        where = f"category = '{category}' and {asked}"
        if uniform(purpose, "seller", i) < 0.5:
            low = ratings.concepts[0]
            limit = alpha_cut(low.membership, (), 0.5).spans[-1].high
            vague = f"seller_rating is not {low.name}{seller}"
            where += f" and {vague if seller else f'seller_rating >= {limit:.0f}{crisp}'}"
        return where

    where = branch("first")
    if uniform("dnf", i) < 0.2:
        where = f"({where}) or ({branch('second')})"
    return Subscription(f"w{i:04}", f"u{i:04}", parse(where))


def _as_range(attribute: str, membership: object) -> str:
    """The values with a degree of at least 0.5, as a range."""
    ((low, high),) = alpha_cut(membership, (), 0.5).spans
    if low == float("-inf"):
        return f"{attribute} <= {high:.4f}"
    return f"{attribute} >= {low:.4f}" if high == float("inf") else f"{attribute} between {low:.4f} and {high:.4f}"


def _told(event: Event, ratings: MiningResult) -> Event:
    """The event with an imprecise price, and with the seller's rating as a concept."""
    return in_words(widened(event, "first_bid", 0.25), "seller_rating", ratings.concepts)


def _matches(
    catalog: Catalog, subscriptions: Sequence[Subscription], events: Sequence[Event]
) -> dict[tuple[str, str], float]:
    matcher = OracleMatcher(subscriptions, lambda user: catalog.membership, shared=catalog.membership)
    return {(event.id, wish.id): degree for event in events for wish, degree in matcher.match(event)}


def _drawn(found: dict[str, dict[tuple[str, str], float]], base: set[tuple[str, str]]) -> Figure:
    figure = Figure(figsize=(8, 3.8))
    axes = figure.add_subplot()
    parts = {
        "also in case 1": lambda pair, degree: pair in base,
        "beyond, fully (degree 1)": lambda pair, degree: pair not in base and degree >= 1,
        "beyond, to a degree": lambda pair, degree: pair not in base and degree < 1,
    }
    left = [0] * len(found)
    for (label, belongs), colour in zip(parts.items(), ("#2a7f9e", "#d98e04", "#f0d9a8"), strict=True):
        widths = [sum(belongs(pair, degree) for pair, degree in pairs.items()) for pairs in found.values()]
        axes.barh(range(len(found)), widths, left=left, color=colour, label=label)
        left = [a + b for a, b in zip(left, widths, strict=True)]
    axes.set_yticks(range(len(found)), [f"{CASES[case]}   {case}" for case in found])
    axes.invert_yaxis()
    axes.set_xlabel("matches (item, wish)")
    axes.legend(frameon=False, fontsize=9)
    axes.spines[["top", "right"]].set_visible(False)
    return figure


EXPERIMENT = Experiment(
    "approx_auction", "An auction of real listings, five cases side by side", f"{SOURCE}, scenario 1", run
)
