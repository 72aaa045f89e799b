"""``rankcast concepts compare``: how often vague subscriptions match, beside their crisp counterparts."""

from collections import defaultdict
from typing import Annotated

import typer

from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OneUser, check_user, duration
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.plain import JsonObject

_HEADS = {
    "subscription": "id", "as_subscribed": "subscribed", "at_thresholds": "crisp", "at_core": "core"
}  # fmt: skip


def compare(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    user: OneUser = None,
    every: Annotated[
        str | None,
        duration("--every", metavar="LENGTH", help="Compare over time: one row for each hour, day, … like 1h or 1d."),
    ] = None,
    json: Json = False,
) -> None:
    """Compare vague subscriptions with crisp ones: how many events each would match.

    The table has one row per subscription with a vague word. Its columns count the matching events: "subscribed" with
    the subscription's own thresholds, "crisp" if a word fits only values with degree 1, and one column per attitude
    (optimistic, indifferent, pessimistic). With --every, there is one row per period instead. It adds up all these
    subscriptions in three columns: as subscribed, crisp at their thresholds, and crisp at the core of each word. Crisp
    counts use the middle of an imprecise value. The monitor of rankcast serve draws the same numbers.

    Example:

      rankcast concepts compare --catalog c.jsonl --events e.jsonl
      rankcast concepts compare --catalog c.jsonl --events e.jsonl --user ann --every 1d
    """
    from rankcast.lab.vague_comparison import compare_thresholds, compare_vague, vague_subscriptions
    from rankcast.language.times import parse_duration, show_time
    from rankcast.model import EPOCH, Event

    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    if user is not None:
        check_user(catalog, user)
        catalog = catalog.alone(user)
    known = len(catalog.subscriptions)
    vague = vague_subscriptions(catalog, known, known)
    rows: list[JsonObject] = []
    if every is not None:
        length = parse_duration(every)
        if not length:
            raise typer.BadParameter("must be longer than 0", param_hint="'--every'")
        periods: dict[int, list[Event]] = defaultdict(list)
        for event in events:
            periods[(event.time - EPOCH) // length].append(event)
        for number, seen in sorted(periods.items()):
            counts = compare_vague(catalog, vague, seen)._asdict()
            rows.append({"time": show_time(EPOCH + number * length), **counts})
    else:
        for one in vague:
            told = compare_thresholds(catalog, one.user, one.where, events)
            as_subscribed = compare_vague(catalog, [one], events).vague
            rows.append({"subscription": one.id, "user": one.user, "as_subscribed": as_subscribed, **told})
    columns = [
        (amount if isinstance(told, int) else TableColumn)(_HEADS.get(name, name), name)
        for name, told in (rows[0] if rows else {}).items()
    ]
    out.records(rows, columns, "no subscription has a vague word")
    exit_if_any(rejected)
