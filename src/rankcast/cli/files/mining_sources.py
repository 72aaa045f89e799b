"""The data from which concepts are mined: files, built-in datasets, or a store, counted on Spark or in this process."""

from collections.abc import Sequence
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING

from rankcast.cli.output import Output
from rankcast.cli.sparks import spark_session
from rankcast.extras import require

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame

    from rankcast.fuzzy import NumberSummary, ValueSummary
    from rankcast.model import Catalog

    Summary = NumberSummary | ValueSummary


class Dataset(Enum):
    """The built-in datasets."""

    LISTINGS = "listings"
    RENTALS = "rentals"
    AUCTION_ITEMS = "auction_items"
    AUCTIONS = "auctions"
    MOVIES = "movies"


class MiningEngine(Enum):
    """Where values are counted."""

    SPARK = "spark"
    LOCAL = "local"


def count_events(
    attributes: Sequence[str], files: Sequence[Path], dataset: Dataset | None, engine: MiningEngine, out: Output
) -> "list[Summary]":
    """A summary of each attribute, of its numbers, or of its strings if it has no numbers."""
    from rankcast.fuzzy import NumberSummary

    if not files and dataset is None:
        return [NumberSummary.of(attribute, []) for attribute in attributes]
    on_spark = engine is MiningEngine.SPARK
    require(*(["spark"] if on_spark else []), *(["demo"] if dataset is not None else []))
    if not on_spark:
        return _counted_here(attributes, files, dataset)
    with spark_session(out, "counting values") as (session, _):
        frames: list[tuple[DataFrame, str | None]] = []
        if dataset is not None:
            frames.append((session.createDataFrame(_table(dataset)), None))
        if files:
            frames.append((session.read.text([str(path.resolve()) for path in files]), "value"))
        return [_counted_on_spark(frames, attribute) for attribute in attributes]


def add_subscriptions(summary: "Summary", catalog: "Catalog") -> "Summary":
    """The summary with what subscriptions ask for. Without events, the subscriptions say what an attribute holds."""
    from rankcast.fuzzy import NumberSummary, ValueSummary, numbers_asked_for

    wheres = [subscription.where for subscription in catalog.subscriptions.values()]
    strings = ValueSummary.of(summary.attribute, [], wheres)
    if isinstance(summary, ValueSummary):
        return summary.merged(strings)
    numbers = summary.merged(NumberSummary.of(summary.attribute, numbers_asked_for(wheres, summary.attribute)))
    return strings if strings.values and not numbers.count else numbers


def from_store(attributes: Sequence[str], store: str, engine: MiningEngine, out: Output) -> "list[Summary]":
    """Summaries of the values in a store's events and subscriptions. On Spark, the executors read the log."""
    from rankcast.lab.adapting import summary_of
    from rankcast.store import Store

    with Store.open(store) as opened:
        last = opened.last_offset()
        wheres = [subscription.where for subscription in opened.catalog().subscriptions.values()]
        if engine is MiningEngine.LOCAL:
            events = [logged.event for logged in opened.events()]
            return [summary_of(attribute, events, wheres) for attribute in attributes]
    require("spark")
    from rankcast.pipeline.spark import summarise_store

    with spark_session(out, "counting values") as (session, _):
        return [summarise_store(session, store, attribute, wheres, last) for attribute in attributes]


def with_known(new: "Summary", file: Path) -> "Summary":
    """Add the new data to the summary in the file, and write the file."""
    import msgspec

    from rankcast.errors import ModelError
    from rankcast.fuzzy import NumberSummary, ValueSummary
    from rankcast.language import dumps

    if file.exists():
        try:
            form = msgspec.json.decode(file.read_bytes())
        except msgspec.DecodeError as error:
            raise ModelError(f"{file} is not a summary: {error}") from None
        if isinstance(form, dict) and "values" in form:
            strings = ValueSummary.of_json(form)
            new = strings.merged(new) if isinstance(new, ValueSummary) else _one_kind(strings, new)
        else:
            numbers = NumberSummary.of_json(form)
            new = numbers.merged(new) if isinstance(new, NumberSummary) else _one_kind(numbers, new)
    file.write_text(dumps(new.to_json()) + "\n", encoding="utf-8")
    return new


def _one_kind(known: "Summary", new: "Summary") -> "Summary":
    """The one that holds anything, if one of a summary of numbers and one of strings is empty."""
    from rankcast.errors import ModelError

    if new.count:
        raise ModelError(f"{known.attribute!r} had other values before: numbers and strings do not mix")
    return known


def _counted_on_spark(frames: "Sequence[tuple[DataFrame, str | None]]", attribute: str) -> "Summary":
    from rankcast.fuzzy import NumberSummary, ValueSummary
    from rankcast.pipeline.spark import summarise, summarise_values

    numbers = NumberSummary.of(attribute, [])
    for frame, json in frames:
        if json is not None or not _has_strings(frame, attribute):
            numbers = numbers.merged(summarise(frame, attribute, json=json))
    if numbers.count:
        return numbers
    strings = ValueSummary(attribute)
    for frame, json in frames:
        strings = strings.merged(summarise_values(frame, attribute, json=json))
    return strings if strings.values else numbers


def _has_strings(frame: "DataFrame", attribute: str) -> bool:
    kinds = {field.name: field.dataType.simpleString() for field in frame.schema.fields}
    return kinds.get(attribute) in ("string", "array<string>")


def _counted_here(attributes: Sequence[str], files: Sequence[Path], dataset: Dataset | None) -> "list[Summary]":
    from rankcast.lab.adapting import summary_of
    from rankcast.language import read_events
    from rankcast.language.tables import events_of_table
    from rankcast.model import Catalog, Event

    found: list[Event] = []
    if dataset is not None:
        found += [event for event in events_of_table(_table(dataset)) if isinstance(event, Event)]
    for file in files:
        found += read_events(file, Catalog())[0]
    return [summary_of(attribute, found, []) for attribute in attributes]


def _table(dataset: Dataset) -> "pa.Table":
    from rankcast.lab import datasets

    table: pa.Table = getattr(datasets, f"{dataset.value}_table")()
    return table
