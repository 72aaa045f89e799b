"""``rankcast concepts mine``: derive concepts from past events and subscriptions."""

from collections.abc import Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, existing_file
from rankcast.cli.output import Output, TableColumn
from rankcast.cli.sparks import silenced
from rankcast.extras import require

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from rankcast.fuzzy import MiningResult, NumberSummary
    from rankcast.model import Catalog

__all__ = ["Dataset", "mine"]

_COLUMNS = (
    TableColumn("concept", style="bold"),
    TableColumn("on"),
    TableColumn("means", folds=True),
    TableColumn("share", align="right"),
    TableColumn("from", align="right"),
    TableColumn("to", align="right"),
)


class Dataset(Enum):
    """The built-in datasets with numeric attributes."""

    LISTINGS = "listings"
    RENTALS = "rentals"
    AUCTION_ITEMS = "auction_items"
    AUCTIONS = "auctions"
    MOVIES = "movies"


def mine(
    attribute: Annotated[list[str], typer.Option(metavar="NAME", help="Numeric attribute. May be repeated.")],
    events: Annotated[
        list[Path] | None,
        typer.Option(
            callback=existing_file, dir_okay=False, metavar="FILE", help="Past events (JSON Lines). May be repeated."
        ),
    ] = None,
    dataset: Annotated[Dataset | None, typer.Option(help="Built-in dataset to use as past events.")] = None,
    catalog: Annotated[
        Path | None,
        typer.Option(
            callback=existing_file,
            dir_okay=False,
            metavar="FILE",
            help="Catalog file; use the numbers in its subscriptions.",
        ),
    ] = None,
    summary: Annotated[
        Path | None,
        typer.Option(dir_okay=False, metavar="FILE", help="Summary file of earlier data; the new data is added to it."),
    ] = None,
    count: Annotated[int | None, typer.Option(min=2, max=9, metavar="N", help="Number of concepts.")] = None,
    name: Annotated[
        list[str] | None, typer.Option(metavar="WORD", help="Name of a concept, from low to high. May be repeated.")
    ] = None,
    picture: Annotated[
        Path | None,
        typer.Option(dir_okay=False, metavar="FILE", help="Draw histogram and membership functions (PNG, SVG, PDF)."),
    ] = None,
    put: Annotated[bool, typer.Option("--put", help="Save the concepts in the store.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Mine concepts: find how many vague words an attribute needs, and what each of them means.

    The numbers are clustered and each cluster becomes a concept. Every number belongs to at least one concept with a
    degree of 0.5 or more. Without a source, the command uses the events and subscriptions of the store. It needs Java
    (see rankcast doctor). Concepts are saved only with --put; define one by hand with rankcast concept.

    Example:

      rankcast concepts mine --attribute price --dataset listings --picture price.png
      rankcast concepts mine --attribute price --events may.jsonl --summary price.json --put
      rankcast concepts mine --attribute price                  (from the store)
    """
    from rankcast.fuzzy import mine as mine_concepts
    from rankcast.language import encode_record, read_catalog

    if summary is not None and len(attribute) > 1:
        raise typer.BadParameter("a --summary is for one attribute", param_hint="'--attribute'")
    if picture is not None:
        require("plots")
    out = Output(json)
    if events or dataset or catalog or (summary is not None and summary.exists()):
        summaries = _from_events(attribute, events or [], dataset, out)
        if catalog is not None:
            asked = read_catalog(catalog)[0]
            summaries = [known.merged(_from_subscriptions(known.attribute, asked)) for known in summaries]
    else:
        summaries = _from_store(attribute, store, out)
    if summary is not None:
        summaries = [_with_known(summaries[0], summary)]
    found = [mine_concepts(known, count=count, names=name) for known in summaries]
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
        (concept.attribute, concept.name): (cluster, cluster.count / one.summary.count)
        for one in found
        for concept, cluster in zip(one.concepts, one.clusters, strict=True)
    }

    def cells(record: Mapping[str, Any]) -> Sequence[str]:
        cluster, share = clusters[record["attribute"], record["name"]]
        form = next(key for key, told in record.items() if isinstance(told, list))
        means = f"{form} {' '.join(map(_shown, record[form]))}"
        return record["name"], record["attribute"], means, f"{share:.0%}", _shown(cluster.low), _shown(cluster.high)

    records = [encode_record(concept) for one in found for concept in one.concepts]
    out.records(records, _COLUMNS, cells)
    if any(one.reason for one in found):
        raise typer.Exit(NEGATIVE)


def _from_events(
    attributes: Sequence[str], files: Sequence[Path], dataset: Dataset | None, out: Output
) -> "list[NumberSummary]":
    from rankcast.fuzzy import NumberSummary

    found = [NumberSummary.of(attribute, []) for attribute in attributes]
    if not files and dataset is None:
        return found
    require("spark", *(["demo"] if dataset is not None else []))
    from rankcast.pipeline.spark import local_session, summarise

    with silenced(), out.working("starting Spark") as stage:
        session = local_session()
        stage("counting numbers")
        if dataset is not None:
            frame = _frame(session, dataset)
            found = [known.merged(summarise(frame, known.attribute)) for known in found]
        if files:
            lines = session.read.text([str(path.resolve()) for path in files])
            found = [known.merged(summarise(lines, known.attribute, json="value")) for known in found]
    return found


def _frame(session: "SparkSession", dataset: Dataset) -> "DataFrame":
    from rankcast.lab import datasets

    table = getattr(datasets, f"{dataset.value}_table")()
    return session.createDataFrame(table)


def _from_subscriptions(attribute: str, catalog: "Catalog") -> "NumberSummary":
    from rankcast.fuzzy import NumberSummary, numbers_asked_for

    wheres = [subscription.where for subscription in catalog.subscriptions.values()]
    return NumberSummary.of(attribute, numbers_asked_for(wheres, attribute))


def _from_store(attributes: Sequence[str], store: str, out: Output) -> "list[NumberSummary]":
    """Summaries of the numbers in the store's events and subscriptions."""
    import tempfile

    from rankcast.cli.output import write_lines
    from rankcast.language import encode_event
    from rankcast.store import Store

    with Store.open(store) as opened, tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "events.jsonl"
        write_lines(file, (encode_event(logged.event) for logged in opened.events()))
        catalog = opened.catalog()
        found = _from_events(attributes, [file], None, out)
    return [known.merged(_from_subscriptions(known.attribute, catalog)) for known in found]


def _with_known(new: "NumberSummary", file: Path) -> "NumberSummary":
    """Add the new data to the summary in the file, and write the file."""
    import msgspec

    from rankcast.errors import ModelError
    from rankcast.fuzzy import NumberSummary
    from rankcast.language import dumps

    if file.exists():
        try:
            known = NumberSummary.of_json(msgspec.json.decode(file.read_bytes()))
        except msgspec.DecodeError as error:
            raise ModelError(f"{file} is not a summary: {error}") from None
        new = known.merged(new)
    file.write_text(dumps(new.to_json()) + "\n", encoding="utf-8")
    return new


def _draw(found: "Sequence[MiningResult]", file: Path) -> None:
    from matplotlib.figure import Figure

    from rankcast.fuzzy.picture import draw_concepts

    figure = Figure(figsize=(8, 3.6 * len(found)), layout="constrained")
    for number, one in enumerate(found, 1):
        if one.summary.count:
            draw_concepts(figure.add_subplot(len(found), 1, number), one)
    figure.savefig(file, dpi=120)


def _shown(x: float) -> str:
    return f"{x:,.6g}" if abs(x) < 1e6 else f"{x:,.0f}"
