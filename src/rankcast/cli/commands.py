"""Which commands there are, where each one lives, and under which heading the help lists it."""

from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from inspect import cleandoc
from typing import NamedTuple

import typer

_CATALOG, _STORE, _FILES, _HERE = (
    "Catalog of a store", "Operation of a store", "Files, without a store", "This installation"
)  # fmt: skip

_COMMANDS: Mapping[str, Sequence[str]] = {
    _CATALOG: (
        "catalog.init:init", "catalog.subscribe:subscribe", "catalog.subscribe:unsubscribe",
        "catalog.subscribe:subscriptions", "catalog.prefer:prefer", "catalog.policy:policy", "catalog.concept:concept",
        "catalog.advertise:advertise",
    ),
    _STORE: (
        "operation.publish:publish", "operation.run:run", "operation.serve:serve", "operation.deliveries:deliveries",
        "operation.watch:watch", "operation.explain:explain", "operation.stats:stats", "operation.status:status",
        "operation.audit:audit", "operation.prune:prune", "operation.backup:backup", "operation.backup:restore",
        "operation.upgrade:upgrade",
    ),
    _FILES: (
        "files.replay:match", "files.replay:replay", "files.backtest:backtest", "files.optimum:optimum",
        "files.groups:groups", "files.team:team", "files.graph:relate", "files.graph:graph", "files.forward:forward",
    ),
    _HERE: ("installation.demo:demo", "installation.doctor:doctor", "installation.reproduce:reproduce"),
}  # fmt: skip
"""The commands by heading: module and function, whose name is the command's."""


class _Group(NamedTuple):
    """Commands with a first word in common. `base` is what the first word does alone; without it, it shows help."""

    heading: str
    help: str
    commands: Mapping[str, str]
    base: str | None = None


_GROUPS: Mapping[str, _Group] = {
    "concepts": _Group(
        _FILES,
        "Derive concepts (vague words) from past data, or compare them with crisp conditions.",
        {
            "mine": "files.concepts:mine",
            "compare": "files.vague:compare",
            "adapt": "operation.adapt_concepts:adapt_concepts",
            "runs": "operation.adapt_concepts:mining_runs",
            "undo": "operation.adapt_concepts:undo_mining",
        },
    ),
    "rejects": _Group(_STORE, "", {"serve-again": "operation.rejects:serve_again"}, base="operation.rejects:rejects"),
    "state": _Group(
        _STORE,
        "Repartition or rebuild the delivery state of a pipeline.",
        {"repartition": "operation.state:repartition_state", "rebuild": "operation.state:rebuild_state"},
    ),
    "index": _Group(
        _FILES,
        "Compile subscriptions into an index file, or measure one.",
        {"build": "files.index:build_index", "stats": "files.index:index_stats"},
    ),
    "overlay": _Group(
        _STORE,
        "Show and mend the tree of brokers, or simulate one.",
        {
            "status": "operation.brokers:show_brokers",
            "forget": "operation.brokers:forget_broker",
            "rejoin": "operation.brokers:rejoin_brokers",
            "simulate": "files.overlay:simulate_overlay",
        },
    ),
    "token": _Group(
        _STORE,
        "Create, list and revoke access tokens for the service; end sessions.",
        {
            "create": "operation.token:create_token",
            "list": "operation.token:list_tokens",
            "revoke": "operation.token:revoke_token",
            "sign-out": "operation.token:sign_out",
        },
    ),
    "user": _Group(_STORE, "Delete a user and all of their data.", {"delete": "catalog.user:delete_user"}),
    "webhooks": _Group(
        _STORE, "Encrypt the webhook secrets in the store.", {"encrypt-secrets": "operation.webhooks:encrypt_secrets"}
    ),
}

_PLACES = {place.partition(":")[2]: (place, heading) for heading, places in _COMMANDS.items() for place in places}

NAMES = frozenset({*_PLACES, *_GROUPS})
"""The first words of all commands."""


def register(app: typer.Typer, base: Callable[..., None], only: str | None = None) -> None:
    """Add the commands to the application, whose options are those of `base`.

    With `only`, the one with this first word: modules of other commands are not imported.
    """
    app.callback(help=_help(base))(base)
    for name, (place, heading) in _PLACES.items():
        if only in (None, name):
            command = _function(place)
            app.command(name, help=_help(command), rich_help_panel=heading)(command)
    for name, group in _GROUPS.items():
        if only in (None, name):
            app.add_typer(_sub(group), name=name, rich_help_panel=group.heading)


def _sub(group: _Group) -> typer.Typer:
    if group.base is None:
        sub = typer.Typer(no_args_is_help=True, help=group.help)
        sub.callback()(lambda: None)  # keeps the only command of a group a subcommand
    else:
        sub, base = typer.Typer(), _function(group.base)
        sub.callback(invoke_without_command=True, help=_help(base))(base)
    for name, place in group.commands.items():
        command = _function(place)
        sub.command(name, help=_help(command))(command)
    return sub


def _function(place: str) -> Callable[..., None]:
    module, _, name = place.partition(":")
    found: Callable[..., None] = getattr(import_module(f"rankcast.cli.{module}"), name)
    return found


def _help(command: Callable[..., None]) -> str:
    """The docstring as help text: each paragraph becomes one line, which the terminal wraps; indented lines stay."""
    paragraphs = cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(_as_it_is(text) if text.startswith(" ") else " ".join(text.split()) for text in paragraphs)


def _as_it_is(text: str) -> str:
    """The lines with their indentation, which needs a leading tag to survive."""
    escaped = text.replace("[", r"\[")
    return "\n".join(f"[cyan]{line}[/cyan]" for line in escaped.splitlines())
