"""``rankcast replay``: what each user would receive of a finished stream of events."""

from typing import Annotated

import typer

from rankcast.cli.files.engines import ReplayEngine, replay_all
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.deliveries import COLUMNS, delivery_cells
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OutFile, RejectsFile
from rankcast.cli.output import Output

__all__ = ["replay"]


def replay(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    engine: Annotated[ReplayEngine, typer.Option(help="What does the work.")] = ReplayEngine.ORACLE,
    out_file: OutFile = None,
    rejects_file: RejectsFile = None,
    json: Json = False,
) -> None:
    """Work out what each user receives of a finished stream of events.

    Reads files and keeps nothing; an unfinished period is closed at the end. The deliveries come sorted by window,
    user and position of the event, whichever the engine. Lines that cannot be used are told on stderr, and the exit
    code is then 1.

    Example:

      rankcast replay --catalog c.jsonl --events e.jsonl
      rankcast replay --catalog c.jsonl --events e.jsonl --engine spark
    """
    from rankcast.language import encode_delivery

    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out, rejects_file)
    deliveries = replay_all(engine, catalog, events, out)
    out.records(
        map(encode_delivery, deliveries), COLUMNS, delivery_cells(catalog), "nobody receives anything", out_file
    )
    exit_if_any(rejected)
