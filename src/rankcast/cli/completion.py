"""Completion in the shell: users, ids and presets, from the store or the file that the command line names.

Whatever goes wrong, nothing is suggested: a shell that asks for suggestions shows no errors.
"""

import os
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from rankcast.model import Catalog

_MOST = 200
_DEFAULT = "rankcast.db"


def complete_user(ctx: typer.Context, incomplete: str) -> list[str]:
    """Users of the catalog that begin like this."""
    return _from_catalog(ctx, incomplete, lambda catalog: {*catalog.users(), *catalog.policies})


def complete_subscription(ctx: typer.Context, incomplete: str) -> list[str]:
    """Subscriptions that begin like this: those of the user, if the command line names one."""
    user = ctx.params.get("user")
    return _from_catalog(
        ctx,
        incomplete,
        lambda catalog: [one.id for one in catalog.subscriptions.values() if user in (None, one.user)],
    )


def complete_event(ctx: typer.Context, incomplete: str) -> list[str]:
    """The newest events that begin like this: of the last thousand in the store."""
    from rankcast.store import Store

    with suppress(Exception), Store.open(_store(ctx)) as store:
        last = store.last_offset()
        newest = [logged.event.id for logged in store.events(max(0, last - 1_000), 1_000)]
        return [name for name in reversed(newest) if name.startswith(incomplete)][:_MOST]
    return []


def complete_preset(incomplete: str) -> list[str]:
    """Named policies that begin like this."""
    from rankcast.language import PRESETS

    return [name for name in PRESETS if name.startswith(incomplete)]


def _from_catalog(ctx: typer.Context, incomplete: str, names: "Callable[[Catalog], Iterable[str]]") -> list[str]:
    with suppress(Exception):
        return sorted(name for name in names(_catalog(ctx)) if name.startswith(incomplete))[:_MOST]
    return []


def _catalog(ctx: typer.Context) -> "Catalog":
    given = ctx.params.get("catalog_file") or ctx.params.get("catalog")
    if given is not None:
        from rankcast.language import read_catalog

        return read_catalog(given)[0]
    from rankcast.store import Store

    with Store.open(_store(ctx)) as store:
        return store.catalog()


def _store(ctx: typer.Context) -> str:
    return str(ctx.params.get("store") or os.environ.get("RANKCAST_STORE") or _DEFAULT)
