"""``rankcast index``: compile subscriptions into an index file, and measure it."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, input_file
from rankcast.cli.output import Output, TableColumn, table
from rankcast.wording import counted

if TYPE_CHECKING:
    from rankcast.model import Catalog

IndexFile = Annotated[Path, typer.Argument(metavar="INDEX", dir_okay=False, help="Index file.")]


def build_index(
    index: IndexFile,
    catalog_file: Annotated[
        Path | None,
        input_file("--catalog", "Compile this catalog file (JSON Lines)."),
    ] = None,
    parquet: Annotated[
        Path | None,
        input_file("--parquet", "Compile this Parquet file, which may be large."),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Compile subscriptions into an index file: those of the store, of a catalog, or of a Parquet file.

    A Parquet file has the columns id, user, optionally score, and either where (expressions) or predicates (lists of
    attribute, op, number, upper, text). Predicates compile much faster.

    Example:

      rankcast index build films.index --catalog c.jsonl
      rankcast index build big.index --parquet subscriptions.parquet
    """
    from rankcast.engine.index import LiveIndex, Senses, write_index

    out = Output(json)
    if parquet is not None:
        from rankcast.engine.index.parquet import compile_parquet

        with out.bars(["compiling"]) as update:
            compiled = compile_parquet(parquet, lambda share: update("compiling", share))
        write_index(compiled, index)
        count, size = compiled.size, compiled.nbytes
    else:
        catalog = _catalog(catalog_file, store)
        with out.bars(["compiling"]) as update:
            made = LiveIndex.create(
                index,
                catalog.subscriptions.values(),
                Senses.of_catalog(catalog),
                lambda share: update("compiling", share),
            )
        count, size = len(made), made.stats()["bytes"]
    per = size / max(1, count)
    out.done(
        f"{index}: {counted(count, 'subscription')}, {size:,} bytes, {per:.0f} each",
        {"index": str(index), "subscriptions": count, "bytes": size, "bytes_per_subscription": round(per, 1)},
    )


def index_stats(
    index: IndexFile,
    events_file: Annotated[
        Path | None,
        input_file("--events", "Match these events and measure the cost."),
    ] = None,
    catalog_file: Annotated[
        Path | None,
        input_file("--catalog", "Rebuild a damaged index from this catalog file (JSON Lines)."),
    ] = None,
    json: Json = False,
) -> None:
    """Show the contents and size of an index; with --events, also measure the cost of matching.

    The whole file is verified. A damaged file is refused, or rebuilt if you give its catalog.

    Example:

      rankcast index stats films.index --events e.jsonl
      rankcast index stats films.index --catalog c.jsonl
    """
    import time

    from rankcast.engine.index import LiveIndex, Senses

    out = Output(json)
    began = time.perf_counter()
    if catalog_file is None:
        opened = LiveIndex(index)
    else:
        catalog = _catalog(catalog_file, DEFAULT_STORE)
        subscriptions = catalog.subscriptions.values()
        opened = LiveIndex.restored(index, subscriptions, Senses.of_catalog(catalog), out.say)
    facts = {**opened.stats(), "seconds_to_open": round(time.perf_counter() - began, 3)}
    if events_file is not None:
        from rankcast.language import read_events
        from rankcast.model import Catalog

        events, _ = read_events(events_file, Catalog())
        opened.match_batch(events[:1])
        began = time.perf_counter()
        found = opened.match_batch(events)
        spent = time.perf_counter() - began
        facts |= {
            "events": len(events),
            "matches_per_event": round(len(found.event) / max(1, len(events)), 2),
            "microseconds_per_event": round(1e6 * spent / max(1, len(events)), 1),
            "nanoseconds_per_event_and_subscription": round(1e9 * spent / max(1, len(events) * len(opened)), 3),
        }
    facts["bytes_per_subscription"] = round(facts["bytes_per_subscription"], 1)
    if out.as_lines:
        out.record(facts)
        return
    rows = [(name.replace("_", " "), f"{value:,}") for name, value in facts.items()]
    out.show(table([TableColumn(str(index)), TableColumn("", align="right")], rows))


def _catalog(catalog_file: Path | None, store: str) -> "Catalog":
    if catalog_file is not None:
        from rankcast.language import read_catalog

        return read_catalog(catalog_file)[0]
    from rankcast.store import Store

    with Store.open(store) as opened:
        return opened.catalog()
