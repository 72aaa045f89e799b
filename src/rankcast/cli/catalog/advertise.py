"""``rankcast advertise``: what a publisher will publish, and how many subscriptions each publication reaches."""

from typing import Annotated

import typer

from rankcast.cli.exits import NEGATIVE
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, bounded
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.model.advertisements import K, Ranking, ScorerName
from rankcast.plain import JsonObject

_COLUMNS = (
    TableColumn("advertisement", "id", style="bold"),
    TableColumn("publisher"),
    TableColumn("space", "where", folds=True),
    amount("k", form=""),
    TableColumn("rank", lambda record: _ranking(record)),
)


def advertise(
    name: Annotated[str | None, typer.Argument(metavar="ID", help="Id of the advertisement.")] = None,
    where: Annotated[
        str | None, typer.Argument(metavar="EXPRESSION", help="Expression that its publications match.")
    ] = None,
    publisher: Annotated[str | None, typer.Option(metavar="NAME", help="Publisher who publishes under it.")] = None,
    k: Annotated[
        int | None, bounded(K.low, K.high, "-k", "--k", help="Subscriptions that a publication goes to.")
    ] = None,
    rank: Annotated[Ranking | None, typer.Option(help="How recipients are ranked.")] = None,
    score: Annotated[ScorerName | None, typer.Option(help="What relevance means.")] = None,
    function: Annotated[
        str | None, typer.Option(metavar="NAME", help="Registered ranking function, in place of --score.")
    ] = None,
    withdraw: Annotated[bool, typer.Option("--withdraw", help="Withdraw the advertisement.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Advertise the space of a publisher's events, each of which goes to the k best subscriptions; or list them.

    Options you leave out keep their values. Events that were published under a changed or withdrawn advertisement stay.

    Example:

      rankcast advertise coupons "price <= 100" --publisher shop --k 50 --rank fair
      rankcast advertise coupons --k 20
      rankcast advertise coupons --withdraw
    """
    from rankcast.errors import CatalogError
    from rankcast.language import decode_record, encode_record
    from rankcast.overlay import registered_scorer
    from rankcast.store import Store

    words = {"rank": rank and rank.value, "score": score and score.value}
    fields = {"where": where, "publisher": publisher, "k": k, "function": function, **words}
    given = {field: told for field, told in fields.items() if told is not None}
    out = Output(json)
    with Store.open(store) as opened:
        known = opened.catalog().advertisements
        if withdraw or given:
            if name is None:
                raise typer.BadParameter("an advertisement needs an ID")
            present = known.get(name)
            if withdraw:
                if present is not None:
                    opened.change(remove=[present])
                elif not opened.remove_unreadable("advertisement", name):
                    raise CatalogError(f"there is no advertisement {name!r}")
                out.done(f"withdrew {name}", {"kind": "advertisement", "id": name})
                return
            before = {"kind": "advertisement", "id": name} if present is None else encode_record(present)
            made = decode_record({**before, **given})
            if function is not None:
                registered_scorer(function)
            opened.change(put=[made])
            record = encode_record(made)
            out.done(f"{name}: {' '.join(column.cell(record) for column in _COLUMNS[1:])}", record)
            return
        found = [one for one in known.values() if name in (None, one.id)]
    out.records(map(encode_record, found), _COLUMNS, "no advertisements")
    if name is not None and not found:
        raise typer.Exit(NEGATIVE)


def _ranking(record: JsonObject) -> str:
    score = record.get("function") or record.get("score")
    by: str = record.get("rank", Ranking.RELEVANCE.value)
    return f"{by} ({score})" if score else by
