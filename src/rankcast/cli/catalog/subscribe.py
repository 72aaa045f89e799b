"""``rankcast subscribe``, ``unsubscribe``, ``subscriptions``: what users want to hear of."""

from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.inputs import count_lines
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.options import DEFAULT_STORE, Json, OneUser, StorePath
from rankcast.cli.output import Output, TableColumn, counted

if TYPE_CHECKING:
    from rankcast.model import Catalog, Expression, Subscription
    from rankcast.store import Store

__all__ = ["subscribe", "subscriptions", "unsubscribe"]

_COLUMNS = (
    TableColumn("user", style="bold"),
    TableColumn("id"),
    TableColumn("score", align="right"),
    TableColumn("asks for", folds=True),
)


def subscribe(
    where: Annotated[str | None, typer.Argument(metavar="EXPRESSION", help="What the user wants to hear of.")] = None,
    user: OneUser = None,
    name: Annotated[str | None, typer.Option("--id", metavar="ID", help="A name for it; made up if left out.")] = None,
    score: Annotated[float | None, typer.Option(metavar="0..1", help="How much the user likes it.")] = None,
    weight: Annotated[float, typer.Option(help="What it counts in a weighted mean.")] = 1.0,
    replace: Annotated[bool, typer.Option("--replace", help="Take the place of the one with this id.")] = False,
    file: Annotated[
        Path | None,
        typer.Option(exists=True, dir_okay=False, metavar="FILE", help="Load a whole catalog file (JSON Lines)."),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Subscribe a user to what an expression describes, or load all records of a catalog file.

    Of a file, good lines go through; bad ones are told, kept in the store (see rankcast rejects), and the exit code
    is then 1. A record that the store has already is replaced by that of the file.

    Example:

      rankcast subscribe -u addison "genre = 'drama' and year > 1999" --score 0.8
      rankcast subscribe --file catalog.jsonl
    """
    from rankcast.store import Store

    out = Output(json)
    if (file is None) == (where is None):
        raise typer.BadParameter("give either an expression or --file")
    with Store.open(store) as opened:
        if file is not None:
            _load(opened, file, out)
            return
        if user is None:
            raise typer.BadParameter("whose subscription is it? give --user")
        assert where is not None
        _subscribe(opened, out, user, where, name, score, weight, replace)


def _subscribe(
    store: "Store",
    out: Output,
    user: str,
    where: str,
    name: str | None,
    score: float | None,
    weight: float,
    replace: bool,
) -> None:
    from rankcast.errors import CatalogError
    from rankcast.language import encode_record, label, parse
    from rankcast.model import Subscription

    catalog = store.catalog()
    expression = parse(where)
    known = None if name else _same(catalog, user, expression, score, weight)
    new = known or Subscription(name or _next_id(catalog, user), user, expression, score, weight)
    if name in catalog.subscriptions and not replace and catalog.subscriptions[name] != new:
        raise CatalogError(f"there is a subscription {name!r} already; --replace puts this one in its place")
    store.change(put=[new])
    message = f"{'already there: ' if known else ''}{new.id} of {user}: {label(expression)}"
    out.done(message, encode_record(new), new.id)


def _same(
    catalog: "Catalog", user: str, where: "Expression", score: float | None, weight: float
) -> "Subscription | None":
    """The user's subscription to just that, if there is one: saying it again changes nothing."""
    from rankcast.language import show

    wanted = show(where), score, weight
    return next(
        (one for one in catalog.subscriptions_of(user) if (show(one.where), one.score, one.weight) == wanted), None
    )


def _next_id(catalog: "Catalog", user: str) -> str:
    """``addison-3`` after ``addison-2``; numbers in between are not taken again."""
    prefix = f"{user}-"
    numbers = [
        int(number)
        for name in catalog.subscriptions
        if name.startswith(prefix) and (number := name[len(prefix) :]).isdecimal() and len(number) < 10
    ]
    return f"{prefix}{max(numbers, default=0) + 1}"


def _load(store: "Store", file: Path, out: Output) -> None:
    from rankcast.cli.catalog import catalog_file

    with out.progress(f"reading {file.name}", count_lines(file)) as advance:
        records, bad = catalog_file.read(file, store.catalog(), lambda number: advance(1))
    before = store.version()
    version = store.change(put=records)
    store.reject(bad)
    tell(out, bad)
    kinds = Counter(type(record).__name__.lower() for record in records)
    words = [", ".join(counted(count, kind) for kind, count in kinds.items()) or "no records"]
    words += ["the store had it all"] if records and version == before else []
    words += [f"rejected {counted(len(bad), 'line')} (see: rankcast rejects)"] if bad else []
    out.done("; ".join(words), {"records": len(records), "rejected": len(bad), "version": version})
    exit_if_any(len(bad))


def unsubscribe(
    names: Annotated[list[str], typer.Argument(metavar="ID", help="Which subscriptions.")],
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Remove subscriptions, with the preferences that name them: all, or none if one is not there.

    Example:

      rankcast unsubscribe addison-1
    """
    from rankcast.errors import CatalogError, did_you_mean
    from rankcast.language import encode_record, label
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        known = opened.catalog().subscriptions
        unreadable = {one.key for one in opened.unreadable() if one.kind == "subscription"}
        for name in names:
            if name not in known and name not in unreadable:
                raise CatalogError(f"there is no subscription {name!r}{did_you_mean(name, known)}")
        gone = [known[name] for name in dict.fromkeys(names) if name in known]
        opened.change(remove=gone)
        for name in unreadable.intersection(names):
            opened.remove_unreadable("subscription", name)
            out.done(f"removed {name}, which could not be read", {"kind": "subscription", "id": name})
    for one in gone:
        out.done(f"removed {one.id} of {one.user}: {label(one.where)}", encode_record(one))


def subscriptions(user: OneUser = None, store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """List the subscriptions of all users, or of one.

    Example:

      rankcast subscriptions --user addison
    """
    from rankcast.language import encode_record
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        catalog = opened.catalog()
    users = catalog.users() if user is None else [user]
    found = [one for name in users for one in catalog.subscriptions_of(name)]

    def cells(record: Mapping[str, Any]) -> Sequence[str]:
        score = record.get("score")
        return record["user"], record["id"], "" if score is None else f"{score:g}", record["where"]

    out.records(map(encode_record, found), _COLUMNS, cells, "no subscriptions")
    if user is not None and not found:
        raise typer.Exit(NEGATIVE)
