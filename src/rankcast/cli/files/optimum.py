"""``rankcast optimum``: how evenly each user could be served, and how evenly the policies serve them."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.files.engines import EngineChoice, replay_all
from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OneUser, bounded
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Catalog, Delivery, Event

_COLUMNS = (
    TableColumn("user", style="bold"),
    amount("matches", "matched"),
    amount("of which", "k"),
    amount("best entropy", lambda row: _best(row["optimum"]), ""),
    amount("delivered", lambda row: row["delivered"]["deliveries"]),
    amount("its entropy", lambda row: row["delivered"]["entropy"], ".4f"),
    amount("of the best", lambda row: _share(row["delivered"]["entropy"], row["optimum"]["entropy"]), ""),
    amount("even from", lambda row: _rate(row["r_min"]), ""),
    amount("to", lambda row: _rate(row["r_max"]), ""),
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
    out.records(rows, _COLUMNS, "no users")
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


def _best(optimum: JsonObject) -> str:
    return f"{optimum['entropy']:.4f}" + ("" if optimum["exact"] else f" (at most {optimum['bound']:.4f})")


def _share(part: float, whole: float) -> str:
    return f"{100 * part / whole:.1f} %" if whole else "-"


def _rate(rate: float | None) -> str:
    return "-" if rate is None else f"{rate:.3g}"
