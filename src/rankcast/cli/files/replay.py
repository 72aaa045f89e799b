"""``rankcast match`` and ``rankcast replay``: what events match, and what each user would receive."""

from rankcast.cli.files.engines import EngineChoice, match_all, replay_quickly
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.deliveries import delivery_columns
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OutFile, RejectsFile
from rankcast.cli.output import Output, TableColumn, amount


def replay(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    engine: EngineChoice = None,
    out_file: OutFile = None,
    rejects_file: RejectsFile = None,
    json: Json = False,
) -> None:
    """Compute what each user receives from a finished stream of events.

    Works on files only and stores nothing. Unfinished periods are closed at the end. Deliveries are sorted by window,
    user and position of the event, with every engine. Unusable lines are reported on stderr, and the exit code is
    then 1.

    Example:

      rankcast replay --catalog c.jsonl --events e.jsonl
      rankcast replay --catalog c.jsonl --events e.jsonl --engine spark
    """
    from rankcast.engine.arrays.delivery_lines import delivery_lines
    from rankcast.language import encode_delivery

    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out, rejects_file)
    deliveries = replay_quickly(engine, catalog, events, out)
    if not isinstance(deliveries, list):
        if out_file is not None or out.as_lines:
            out.texts(delivery_lines(deliveries), "no deliveries", out_file)
            exit_if_any(rejected)
            return
        deliveries = deliveries.records()
    out.records(map(encode_delivery, deliveries), delivery_columns(catalog), "no deliveries", out_file)
    exit_if_any(rejected)


_COLUMNS = (
    TableColumn("event"),
    TableColumn("user"),
    TableColumn("subscription"),
    amount("degree", form=".4g"),
)


def match(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    engine: EngineChoice = None,
    out_file: OutFile = None,
    rejects_file: RejectsFile = None,
    json: Json = False,
) -> None:
    """Find the subscriptions that each event matches, and to what degree.

    Works on files only and stores nothing. Matches are sorted by event in publication order, then by subscription in
    catalog order, with every engine. Unusable lines are reported on stderr, and the exit code is then 1.

    Example:

      rankcast match --catalog c.jsonl --events e.jsonl
      rankcast match --catalog c.jsonl --events e.jsonl --engine spark
    """
    from rankcast.language import encode_match, label

    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out, rejects_file)
    known = catalog.subscriptions
    expression = TableColumn("expression", lambda match: label(known[match["subscription"]].where), folds=True)
    matches = map(encode_match, match_all(engine, catalog, events, out))
    out.records(matches, (*_COLUMNS, expression), "no matches", out_file)
    exit_if_any(rejected)
