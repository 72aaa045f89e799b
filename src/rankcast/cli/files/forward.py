"""``rankcast forward``: which subscriptions a broker passes on towards a publisher."""

from enum import Enum
from typing import Annotated

import typer

from rankcast.cli.inputs import count_lines
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.options import CatalogFile, Json
from rankcast.cli.output import Output

__all__ = ["ScoreBy", "StrategyName", "forward"]


class StrategyName(Enum):
    """The forwarding strategies."""

    REGULAR_COVER = "regular-cover"
    REGULAR = "regular"
    RANK_COVER = "rank-cover"
    ANCESTOR_COVER = "ancestor-cover"
    ANCESTOR_FAIR = "ancestor-fair"


class ScoreBy(Enum):
    """The scorers."""

    AREA = "area"
    SELECTIVITY = "selectivity"
    PREFERENCE = "preference"
    DEGREE = "degree"
    WEIGHT = "weight"


def forward(
    catalog_file: CatalogFile,
    advertisement: Annotated[str, typer.Option("--advertisement", "-a", metavar="ID", help="Under which one.")],
    strategy: Annotated[StrategyName, typer.Option(help="How to choose.")] = StrategyName.ANCESTOR_COVER,
    score: Annotated[
        ScoreBy | None,
        typer.Option(help="What relevance is; by default what the advertisement says. Makes a fair ranking one by it."),
    ] = None,
    k: Annotated[int | None, typer.Option("-k", "--k", min=1, help="By default the advertisement's.")] = None,
    json: Json = False,
) -> None:
    """Say which subscriptions of a catalog a broker has to forward towards the publisher of an advertisement, so that
    each publication can reach its k best-ranked subscriptions.

    One id per line, in the order of the catalog; with --json also the weight of each, which is 1 but for
    ancestor-fair. Subscriptions that no publication under the advertisement can match are left out.

    Strategies: regular-cover (those that none covers; no top-k), regular (all), rank-cover (the first k levels),
    ancestor-cover (those with fewer than k above them), ancestor-fair (the same, where the lot decides ties).

    Example:

      rankcast forward --catalog catalog.jsonl --advertisement a1 --score area
    """
    from rankcast.language import read_catalog
    from rankcast.model import ScorerName
    from rankcast.overlay import STRATEGIES, advertisement_of, forwarded, order_of

    out = Output(json)
    with out.progress("reading the catalog", count_lines(catalog_file)) as advance:
        catalog, bad = read_catalog(catalog_file, lambda number: advance(1))
    tell(out, bad)
    under = advertisement_of(catalog, advertisement)
    chosen, scorer = STRATEGIES[strategy.value], ScorerName(score.value) if score else None
    sent = forwarded(catalog, under, chosen, scorer, k)
    for known in sent:
        if json:
            out.record({"subscription": known.subscription.id, "weight": round(known.weight, 12)})
        else:
            out.line(known.subscription.id)
    if out.terminal:
        out.say(f"{len(sent)} of {len(catalog.subscriptions)} subscriptions")
    if chosen.is_top_k and chosen.standing.value == "rank" and order_of(catalog, under, chosen, scorer).proves_nothing:
        out.say(
            f"under a {under.rank.value} ranking no subscription provably outranks another, so all are forwarded"
            + ("; ancestor-fair forwards fewer" if under.rank.value == "fair" else "")
        )
    exit_if_any(len(bad))
