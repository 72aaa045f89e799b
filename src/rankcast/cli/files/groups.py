"""``rankcast groups``: share filters among users with similar interests, and see what that saves and costs."""

from pathlib import Path
from typing import Annotated

import typer

from rankcast.cli.files.engines import EngineChoice, replay_all
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, bounded, output_file
from rankcast.cli.output import Output, amount, amounts, write_lines
from rankcast.plain import JsonObject

_COLUMNS = (
    amount("similarity", form="g"),
    *amounts("groups", "users"),
    amount("filter decisions", lambda row: _pair(row["decisions"]), ""),
    amount("messages", lambda row: _pair(row["messages"]), ""),
    amount("deliveries", lambda row: _pair(row["deliveries"]), ""),
    amount("mean entropy", lambda row: _pair(row["entropy"], ".3f"), ""),
)
_SIMILARITIES = [1.0, 0.8, 0.6, 0.4, 0.2]


def groups(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    similarity: Annotated[
        list[float] | None,
        bounded(0, 1, metavar="SHARE", help="Least share of common subscriptions. May be repeated."),
    ] = None,
    engine: EngineChoice = None,
    out_file: Annotated[Path | None, output_file("--out", "Write the catalog in which each group is one user.")] = None,
    deliveries_file: Annotated[Path | None, output_file("--deliveries", "Write what all users get in groups.")] = None,
    json: Json = False,
) -> None:
    """Find users with similar interests who can share one novelty filter, and compare with a filter for each.

    Works for users with the same policy: a threshold or sampling filter by rate or interval, and mode all. A group is
    served as one user with all subscriptions of its members. What passes goes to the members that it matches. Each
    column shows the users alone → in groups. A filter decision is one matching event. A message is one event that
    leaves a filter.

    Example:

      rankcast groups --catalog c.jsonl --events e.jsonl
      rankcast groups --catalog c.jsonl --events e.jsonl --similarity 0.6 --out s.jsonl
    """
    from rankcast.lab.groups import find_groups, shared_catalog, study_groups
    from rankcast.language import encode_delivery, encode_record

    tried = similarity or _SIMILARITIES
    if (out_file or deliveries_file) and len(tried) != 1:
        raise typer.BadParameter("--out and --deliveries need one --similarity")
    if 0 in tried:
        raise typer.BadParameter("--similarity must be above 0")
    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    rows: list[JsonObject] = []
    for least in tried:
        found = find_groups(catalog, least)
        if not found:
            continue
        study, handed = study_groups(catalog, found, events, lambda known, seen: replay_all(engine, known, seen, out))
        members = {group.user: list(group.members) for group in found}
        rows.append({"similarity": least, **study.to_json(), "members": members})
        if deliveries_file is not None:
            write_lines(deliveries_file, map(encode_delivery, handed))
    if out_file is not None:
        write_lines(out_file, map(encode_record, shared_catalog(catalog, find_groups(catalog, tried[0])).records()))
    out.records(rows, _COLUMNS, "no two users can share a filter")
    exit_if_any(rejected)


def _pair(pair: JsonObject, form: str = ",") -> str:
    return f"{pair['alone']:{form}} → {pair['shared']:{form}}"
