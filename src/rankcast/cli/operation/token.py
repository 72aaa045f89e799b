"""``rankcast token``: access tokens for the service."""

from datetime import datetime
from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, duration, user_option
from rankcast.cli.output import Output, TableColumn
from rankcast.plain import JsonObject
from rankcast.wording import counted

_COLUMNS = (
    TableColumn("id", style="bold"),
    TableColumn("role"),
    TableColumn("name"),
    TableColumn("note", folds=True),
    TableColumn("created"),
    TableColumn("expires"),
    TableColumn("revoked"),
)


def create_token(
    user: Annotated[str | None, user_option("Create a token for this user.")] = None,
    publisher: Annotated[str | None, typer.Option(metavar="NAME", help="Create a token for this publisher.")] = None,
    broker: Annotated[
        str | None, typer.Option(metavar="NAME", help="Create a token for an edge of this broker.")
    ] = None,
    administrator: Annotated[
        bool, typer.Option("--administrator", help="Create a token that may do everything.")
    ] = False,
    note: Annotated[str, typer.Option(metavar="TEXT", help="Note on what the token is for.")] = "",
    expires: Annotated[
        str | None, duration(metavar="DURATION", help="Refuse the token after this time, such as 90d.")
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Create a token and print it. It is shown only once: the store keeps a hash.

    Example:

      rankcast token create --user addison --note "her phone"
      rankcast token create --publisher imdb --expires 90d
      rankcast token create --broker edge1
    """
    from rankcast.language import parse_duration
    from rankcast.service.access import Access, Role
    from rankcast.store import Store

    names = {Role.USER: user, Role.PUBLISHER: publisher, Role.BROKER: broker}
    roles = [role for role, name in names.items() if name is not None] + [Role.ADMINISTRATOR] * administrator
    if len(roles) != 1:
        raise typer.BadParameter("give one of --user, --publisher, --broker, --administrator")
    role = roles[0]
    lasts = None if expires is None else parse_duration(expires)
    out = Output(json)
    with Store.open(store) as opened:
        token, kept = Access(opened).create(role, names.get(role), note, lasts)
    who = f"{role.value} {kept.name}" if kept.name else "administrator"
    if not json:
        out.line(token)
    out.done(
        f"token for {who}, shown only once; revoke it with: rankcast token revoke {kept.id}",
        {"id": kept.id, "token": token, "expires": _show(kept.expires)},
    )


def list_tokens(store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """List the tokens, without their secrets.

    Example:

      rankcast token list
    """
    from rankcast.service.access import Access
    from rankcast.store import Store

    with Store.open(store) as opened:
        found = Access(opened).tokens()
    records: list[JsonObject] = [
        {
            "id": token.id,
            "role": token.role,
            "name": token.name,
            "note": token.note,
            "created": _show(token.created),
            "expires": _show(token.expires),
            "revoked": _show(token.revoked),
        }
        for token in found
    ]
    Output(json).records(records, _COLUMNS, "no tokens")


def _show(time: datetime | None) -> str | None:
    from rankcast.language import show_time

    return None if time is None else show_time(time)[:19] + "Z"


def revoke_token(
    token: Annotated[str, typer.Argument(metavar="ID", help="Id of the token, as shown by rankcast token list.")],
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Revoke a token. A running service refuses it within a second and closes its live feeds.

    Example:

      rankcast token revoke 1f2e3d4c5b6a
    """
    from rankcast.service.access import Access
    from rankcast.store import Store

    with Store.open(store) as opened:
        Access(opened).revoke(token)
    Output(json).done(f"revoked {token}", {"revoked": token})


def sign_out(
    user: Annotated[str | None, user_option("Sign out this user.")] = None,
    everybody: Annotated[bool, typer.Option("--everybody", help="Sign out all users and administrators.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """End sessions on the web page. A running service closes their open pages within two seconds.

    The tokens stay valid: whoever has one can sign in again. To prevent this, revoke the token.

    Example:

      rankcast token sign-out --user addison
      rankcast token sign-out --everybody
    """
    from rankcast.service.access import Role
    from rankcast.service.settings import ServiceSettings
    from rankcast.store import Store
    from rankcast.store.access_log import SessionLog

    if (user is not None) == everybody:
        raise typer.BadParameter("give one of --user, --everybody")
    settings = ServiceSettings(store)
    with Store.open(store) as opened:
        log = SessionLog(opened.database, settings.session_idle, settings.session_length)
        ended = log.end_all() if everybody else log.end_of(Role.USER.value, user)
    Output(json).done(f"ended {counted(ended, 'session')}", {"ended": ended})
