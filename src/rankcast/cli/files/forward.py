"""``rankcast forward``: which subscriptions a broker forwards towards a publisher."""

from enum import Enum
from typing import Annotated

import typer

from rankcast.cli.inputs import read_catalog_file
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.options import CatalogFile, Json, bounded
from rankcast.cli.output import Output
from rankcast.model.advertisements import K, ScorerName


class StrategyName(Enum):
    """The forwarding strategies."""

    REGULAR_COVER = "regular-cover"
    REGULAR = "regular"
    RANK_COVER = "rank-cover"
    ANCESTOR_COVER = "ancestor-cover"
    ANCESTOR_FAIR = "ancestor-fair"


def forward(
    catalog_file: CatalogFile,
    advertisement: Annotated[str, typer.Option("--advertisement", "-a", metavar="ID", help="Advertisement id.")],
    strategy: Annotated[StrategyName, typer.Option(help="Forwarding strategy.")] = StrategyName.ANCESTOR_COVER,
    score: Annotated[
        ScorerName | None,
        typer.Option(help="Relevance score to rank by; by default that of the advertisement."),
    ] = None,
    k: Annotated[
        int | None,
        bounded(K.low, K.high, "-k", "--k", help="Number of subscriptions per publication; by default as advertised."),
    ] = None,
    json: Json = False,
) -> None:
    """List the subscriptions that a broker must forward towards the publisher of an advertisement.

    A broker that forwards these can deliver each publication to its k best-ranked subscriptions. The command prints
    one id per line, in catalog order; with --json, also the weights, which are 1 except for ancestor-fair. It leaves
    out subscriptions that no publication under the advertisement can match.

    Strategies: regular-cover (subscriptions that no other covers; no top-k), regular (all), rank-cover (the first k
    levels), ancestor-cover (fewer than k ancestors), ancestor-fair (the same, with ties decided by lot).

    Example:

      rankcast forward --catalog catalog.jsonl --advertisement a1 --score area
    """
    from rankcast.overlay import STRATEGIES, advertisement_of, forwarded, order_of

    out = Output(json)
    catalog, bad = read_catalog_file(catalog_file, out)
    tell(out, bad)
    under = advertisement_of(catalog, advertisement)
    chosen = STRATEGIES[strategy.value]
    sent = forwarded(catalog, under, chosen, score, k)
    for known in sent:
        if json:
            out.record({"subscription": known.subscription.id, "weight": round(known.weight, 12)})
        else:
            out.line(known.subscription.id)
    if out.terminal:
        out.say(f"{len(sent)} of {len(catalog.subscriptions)} subscriptions")
    if chosen.is_top_k and chosen.standing.value == "rank" and order_of(catalog, under, chosen, score).proves_nothing:
        out.say(
            f"under a {under.rank.value} ranking no subscription provably outranks another, so all are forwarded"
            + ("; ancestor-fair forwards fewer" if under.rank.value == "fair" else "")
        )
    exit_if_any(len(bad))
