"""``rankcast stats``: how evenly users were served."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, OneUser, StorePath
from rankcast.cli.output import Output, TableColumn, amount, amounts, table
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from rankcast.model import Catalog
    from rankcast.store import Store

_COLUMNS = (
    TableColumn("user", style="bold"),
    amount("deliveries"),
    amount("entropy", form=".3f"),
    amount("max entropy", "highest_entropy", ".3f", "dim"),
    amount("fairness", form=".3f"),
    amount("distance", lambda record: record["distance"]["mean"], ".2f"),
    TableColumn("over time", lambda record: _line(record["over_time"]), folds=True),
)
_PLACES = (
    TableColumn("place"),
    *amounts("deliveries", "share"),
    TableColumn(""),
)
_THRESHOLDS = (
    amount("matching events", "matched", ""),
    amount("event", "seq", "", "dim"),
    amount("threshold", form=".6g"),
)
_RECENT = 10_000
_BARS = " ▁▂▃▄▅▆▇█"
_WIDTH = 30


def stats(
    user: OneUser = None,
    thresholds: Annotated[
        bool, typer.Option("--thresholds", help="Show the filter threshold of the user after each period.")
    ] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Show how evenly deliveries are spread over the subscriptions of each user.

    Shows the entropy in bits, Jain's fairness index (1 is even), and the mean distance between deliveries of the same
    subscription, counted in deliveries. With --user, also shows each subscription, and between which rates a filter can
    deliver all of them evenly, by the last 10,000 events.

    Example:

      rankcast stats
      rankcast stats --user addison --json
      rankcast stats --user addison --thresholds
    """
    from rankcast.errors import RankcastError, did_you_mean
    from rankcast.lab.statistics import user_places, user_stats
    from rankcast.store import Store

    out = Output(json)
    if thresholds and user is None:
        raise typer.BadParameter("--thresholds needs a --user")
    with Store.open(store) as opened:
        catalog = opened.catalog()
        users = catalog.users() if user is None else [user]
        if user is not None and not catalog.subscriptions_of(user):
            raise RankcastError(f"there is no user {user!r} with subscriptions{did_you_mean(user, catalog.users())}")
        if thresholds:
            _show_thresholds(opened, str(user), out)
            return
        found = [
            user_stats(name, user_places(catalog, name), (sent for _, sent in opened.deliveries(name)))
            for name in sorted(users)
        ]
        records = [each.to_json() for each in found]
        if user is not None:
            records[0]["even"] = _evenness(opened, catalog, user)
    out.records(records, _COLUMNS, "no users")
    if user is not None and not out.as_lines:
        out.show(table(_PLACES, _places(records[0])))
        out.say(f"advice: {records[0]['even']['advice']}")


def _evenness(store: "Store", catalog: "Catalog", user: str) -> JsonObject:
    """How evenly the user could be served, by the last events."""
    from rankcast.lab.evenness import evenness

    events = [logged.event for logged in store.events(after=max(0, store.last_offset() - _RECENT), limit=_RECENT)]
    return evenness(catalog, user, events).to_json()


def _show_thresholds(store: "Store", user: str, out: Output) -> None:
    from rankcast.lab.statistics import thresholds

    catalog = store.catalog()
    found = thresholds(catalog, (logged.event for logged in store.events()), user)
    records = ({"user": user, "matched": bar.matched, "seq": bar.seq, "threshold": bar.threshold} for bar in found)
    out.records(records, _THRESHOLDS, f"{user} has no threshold filter, or the first period has not ended")


def _line(over_time: JsonObject) -> str:
    counts = over_time["deliveries"]
    if not counts:
        return ""
    top = max(counts)
    bars = "".join(_BARS[-(-count * (len(_BARS) - 1) // top)] for count in counts[-_WIDTH:])
    return f"{bars} each {over_time['every']}"


def _places(record: JsonObject) -> list[Sequence[str]]:
    total = max(1, sum(place["deliveries"] for place in record["places"]))
    return [
        (
            place["place"],
            f"{place['deliveries']:,}",
            f"{100 * place['deliveries'] / total:.1f} %",
            "█" * round(_WIDTH * place["deliveries"] / total),
        )
        for place in record["places"]
    ]
