"""``rankcast user``: delete a user."""

from typing import Annotated

import typer

from rankcast.cli.completion import complete_user
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output


def delete_user(
    name: Annotated[str, typer.Argument(metavar="NAME", help="User to delete.", autocompletion=complete_user)],
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask for confirmation.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Delete a user and all of their data.

    This includes subscriptions, preferences, the policy, the user's own concepts, webhooks, digests, deliveries and
    tokens. It cannot be undone. If it fails, nothing is deleted. Published events are kept.

    Example:

      rankcast user delete addison
      rankcast user delete addison --yes
    """
    from rankcast.errors import CatalogError
    from rankcast.store import Store
    from rankcast.store.users import delete_user as delete

    out = Output(json)
    with Store.open(store) as opened:
        if not yes and not typer.confirm(
            f"Delete user {name!r} and all of their data from {opened.database.place}?", err=True
        ):
            raise typer.Abort
        with out.working(f"deleting user {name}"):
            deleted = delete(opened.database, name)
    if not deleted:
        raise CatalogError(f"there is no user {name!r}")
    listed = ", ".join(f"{count:,} {what.replace('_', ' ')}" for what, count in deleted.items())
    out.done(f"deleted user {name}: {listed}", {"user": name, "deleted": deleted})
