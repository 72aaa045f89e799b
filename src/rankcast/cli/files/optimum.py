"""``rankcast optimum``: how evenly each user could be served, and how evenly the policies serve them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.files.engines import EngineChoice, replay_all
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OneUser, bounded
from rankcast.cli.output import Output, TableColumn, amounts
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Catalog, Delivery, Event

_COLUMNS = (
    TableColumn("user", style="bold"),
    *amounts("matches", "of which", "best entropy", "delivered", "its entropy", "of the best", "even from", "to"),
    TableColumn("advice", folds=True, style="dim"),
)


def optimum(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    user: OneUser = None,
    rate: Annotated[
        float | None,
        bounded(0, 1, metavar="SHARE", help="Share to deliver; by default that of the policy's filter."),
    ] = None,
    engine: EngineChoice = None,
    json: Json = False,
) -> None:
    """Compare what each user gets with the best choice that someone who knew all events could make.

    The best choice has the highest entropy of the deliveries over the subscriptions (thesis, section 3.1). It is exact if
    subscriptions exclude each other, or if there are few events. Otherwise it is a good choice, and `bound` is a value
    that no choice exceeds. Also shows between which rates all subscriptions can be delivered evenly.

    Example:

      rankcast optimum --catalog c.jsonl --events e.jsonl
      rankcast optimum --catalog c.jsonl --events e.jsonl --user addison --rate 0.1 --json
    """
    if rate == 0:
        raise typer.BadParameter("--rate must be above 0")
    out = Output(json)
    catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    users = catalog.subscribers(user)
    sent: dict[str, list[Delivery]] = {name: [] for name in users}
    for one in replay_all(engine, catalog, events, out):
        if one.user in sent:
            sent[one.user].append(one)
    rows = [_row(catalog, name, events, rate, sent[name]) for name in users]
    out.records(rows, _COLUMNS, _cells, "no users")
    exit_if_any(rejected)


def _row(
    catalog: "Catalog", user: str, events: "Sequence[Event]", rate: float | None, sent: "list[Delivery]"
) -> JsonObject:
    from rankcast.lab.evenness import evenness
    from rankcast.lab.statistics import user_places, user_stats

    found = evenness(catalog, user, events, rate)
    served = user_stats(user, user_places(catalog, user), sent)
    return {
        "user": user,
        **found.to_json(),
        "delivered": {"deliveries": served.deliveries, "entropy": round(served.entropy, 6)},
    }


def _cells(row: JsonObject) -> Sequence[str]:
    best, got = row["optimum"], row["delivered"]
    return (
        row["user"],
        f"{row['matched']:,}",
        f"{row['k']:,}",
        f"{best['entropy']:.4f}" + ("" if best["exact"] else f" (at most {best['bound']:.4f})"),
        f"{got['deliveries']:,}",
        f"{got['entropy']:.4f}",
        f"{100 * got['entropy'] / best['entropy']:.1f} %" if best["entropy"] else "-",
        "-" if row["r_min"] is None else f"{row['r_min']:.3g}",
        "-" if row["r_max"] is None else f"{row['r_max']:.3g}",
        row["advice"],
    )
