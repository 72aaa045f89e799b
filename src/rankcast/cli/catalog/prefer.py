"""``rankcast prefer``: a user's preferences between subscriptions."""

from itertools import pairwise
from typing import Annotated

import typer

from rankcast.cli.completion import complete_subscription
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, UserName, check_user
from rankcast.cli.output import Output, TableColumn

_COLUMNS = (TableColumn("prefers", "prefer"), TableColumn("over"))


def prefer(
    user: UserName,
    names: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="ID...", help="Subscription ids of the user, best first.", autocompletion=complete_subscription
        ),
    ] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Remove the preference.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Prefer one subscription over another, or order several, best first; without ids, list the preferences.

    Subscriptions without a score get one from their level in this order.

    Example:

      rankcast prefer --user addison addison-1 addison-2
    """
    from rankcast.language import encode_record
    from rankcast.model import Preference
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        if not names:
            check_user(opened.catalog(), user)
            listed = [encode_record(one) for one in opened.catalog().preferences_of(user)]
            out.records(listed, _COLUMNS, f"{user} has no preferences")
            return
        if len(names) < 2:
            raise typer.BadParameter("name two subscriptions, the preferred one first")
        pairs = [Preference(user, better, other) for better, other in pairwise(names)]
        opened.change(remove=pairs) if remove else opened.change(put=pairs)
    for pair in pairs:
        said = "no longer prefers" if remove else "prefers"
        out.done(f"{user} {said} {pair.prefer} over {pair.over}", encode_record(pair))
