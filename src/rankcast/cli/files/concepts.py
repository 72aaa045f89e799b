"""``rankcast concepts mine``: derive concepts from past events and subscriptions."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.files.mining_sources import (
    Dataset,
    MiningEngine,
    add_subscriptions,
    count_events,
    from_store,
    with_known,
)
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, input_file, output_file
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.extras import require
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.fuzzy import MiningResult, ValueMiningResult


def mine(
    attribute: Annotated[
        list[str], typer.Option(metavar="NAME", help="Attribute with numbers or strings. May be repeated.")
    ],
    events: Annotated[
        list[Path] | None,
        input_file("--events", "Past events (JSON Lines). May be repeated."),
    ] = None,
    dataset: Annotated[Dataset | None, typer.Option(help="Built-in dataset to use as past events.")] = None,
    catalog: Annotated[
        Path | None,
        input_file("--catalog", "Catalog file; use what its subscriptions ask for."),
    ] = None,
    summary: Annotated[
        Path | None, output_file("--summary", "Summary file of earlier data; the new data is added to it.")
    ] = None,
    count: Annotated[int | None, typer.Option(min=2, max=9, metavar="N", help="Number of concepts.")] = None,
    name: Annotated[
        list[str] | None,
        typer.Option(
            metavar="WORD",
            help="Name of a concept, from low to high (strings: the most frequent first). May be repeated.",
        ),
    ] = None,
    picture: Annotated[
        Path | None, output_file("--picture", "Draw histogram and membership functions (PNG, SVG, PDF).")
    ] = None,
    engine: Annotated[MiningEngine, typer.Option(help="Count on Spark, or in this process.")] = MiningEngine.SPARK,
    put: Annotated[bool, typer.Option("--put", help="Save the concepts in the store.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Mine concepts: find how many vague words an attribute needs, and what each of them means.

    The values are clustered and each cluster becomes a concept. Every value belongs to at least one concept with a
    degree of 0.5 or more. Strings are clustered by what else is in their events, and by which of them subscriptions
    accept together. Without a source, the command uses the events and subscriptions of the store. On Spark it needs Java
    (see rankcast doctor). Concepts are saved only with --put; define one by hand with rankcast concept, and let mined
    ones follow the data with rankcast concepts adapt.

    Example:

      rankcast concepts mine --attribute price --dataset listings --picture price.png
      rankcast concepts mine --attribute price --events may.jsonl --summary price.json --put
      rankcast concepts mine --attribute price                  (from the store)
    """
    from rankcast.fuzzy import NumberSummary, mine_values
    from rankcast.fuzzy import mine as mine_concepts
    from rankcast.language import encode_record, read_catalog

    if summary is not None and len(attribute) > 1:
        raise typer.BadParameter("a --summary is for one attribute", param_hint="'--attribute'")
    if picture is not None:
        require("plots")
    out = Output(json)
    if events or dataset or catalog or (summary is not None and summary.exists()):
        summaries = count_events(attribute, events or [], dataset, engine, out)
        if catalog is not None:
            asked = read_catalog(catalog)[0]
            summaries = [add_subscriptions(known, asked) for known in summaries]
    else:
        summaries = from_store(attribute, store, engine, out)
    if summary is not None:
        summaries = [with_known(summaries[0], summary)]
    found: list[MiningResult | ValueMiningResult] = [
        mine_concepts(known, count=count, names=name)
        if isinstance(known, NumberSummary)
        else mine_values(known, count=count, names=name)
        for known in summaries
    ]
    if picture is not None:
        _draw(found, picture)
    if put:
        from rankcast.store import Store

        with Store.open(store) as opened:
            opened.change(put=[concept for one in found for concept in one.concepts])
    for one in found:
        if one.reason:
            out.say(f"no concepts: {one.reason}")
    clusters = {
        (concept.attribute, concept.name): _cells_of(one, at)
        for one in found
        for at, concept in enumerate(one.concepts)
    }

    def of_cluster(place: int) -> Callable[[JsonObject], str]:
        return lambda record: clusters[record["attribute"], record["name"]][place]

    columns = (
        TableColumn("concept", "name", style="bold"),
        TableColumn("on", "attribute"),
        TableColumn("means", _meaning, folds=True),
        *(amount(title, of_cluster(place), "") for place, title in enumerate(("share", "from", "to"))),
    )
    out.records([encode_record(concept) for one in found for concept in one.concepts], columns)
    if any(one.reason for one in found):
        raise typer.Exit(NEGATIVE)


def _meaning(record: JsonObject) -> str:
    form, told = next((key, told) for key, told in record.items() if isinstance(told, list | dict))
    listed = told if isinstance(told, list) else [f"{value} {degree:g}," for value, degree in told.items()]
    return f"{form} {' '.join(map(_shown, listed))}".rstrip(",")


def _cells_of(one: "MiningResult | ValueMiningResult", at: int) -> tuple[str, str, str]:
    """The share of the values that a concept describes, and the first and the last of them."""
    from rankcast.fuzzy import MiningResult

    if isinstance(one, MiningResult):
        cluster = one.clusters[at]
        return f"{cluster.count / one.summary.count:.0%}", _shown(cluster.low), _shown(cluster.high)
    values = one.clusters[at]
    share = sum(one.summary.values[value] for value in values) / one.summary.count
    return f"{share:.0%}", values[0], values[-1]


def _draw(found: "Sequence[MiningResult | ValueMiningResult]", file: Path) -> None:
    from matplotlib.figure import Figure

    from rankcast.fuzzy import MiningResult
    from rankcast.fuzzy.picture import draw_concepts

    drawn = [one for one in found if isinstance(one, MiningResult) and one.summary.count]
    if len(drawn) < len(found):
        raise typer.BadParameter("pictures are drawn of numbers only", param_hint="'--picture'")
    figure = Figure(figsize=(8, 3.6 * len(drawn)), layout="constrained")
    for number, one in enumerate(drawn, 1):
        draw_concepts(figure.add_subplot(len(drawn), 1, number), one)
    figure.savefig(file, dpi=120)


def _shown(x: float | str) -> str:
    if isinstance(x, str):
        return x
    return f"{x:,.6g}" if abs(x) < 1e6 else f"{x:,.0f}"
