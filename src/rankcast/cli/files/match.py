"""``rankcast match``: which subscriptions the events of a file match."""

from collections.abc import Sequence

from rankcast.cli.files.engines import EngineChoice, match_all
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OutFile, RejectsFile
from rankcast.cli.output import Output, TableColumn
from rankcast.plain import JsonObject

_COLUMNS = (
    TableColumn("event"),
    TableColumn("user"),
    TableColumn("subscription"),
    TableColumn("degree", align="right"),
    TableColumn("expression", folds=True),
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

    def cells(match: JsonObject) -> Sequence[str]:
        wanted = label(catalog.subscriptions[match["subscription"]].where)
        return match["event"], match["user"], match["subscription"], f"{match['degree']:.4g}", wanted

    matches = map(encode_match, match_all(engine, catalog, events, out))
    out.records(matches, _COLUMNS, cells, "no matches", out_file)
    exit_if_any(rejected)
