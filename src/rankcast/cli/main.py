"""The command ``rankcast`` with all its subcommands."""

import inspect
from collections.abc import Callable
from typing import Annotated

import typer

from rankcast import __version__
from rankcast.cli.catalog.concept import concept
from rankcast.cli.catalog.init import init
from rankcast.cli.catalog.policy import policy
from rankcast.cli.catalog.prefer import prefer
from rankcast.cli.catalog.subscribe import subscribe, subscriptions, unsubscribe
from rankcast.cli.catalog.user import delete_user
from rankcast.cli.exits import Commands
from rankcast.cli.files.backtest import backtest
from rankcast.cli.files.concepts import mine
from rankcast.cli.files.forward import forward
from rankcast.cli.files.graph import graph
from rankcast.cli.files.groups import groups
from rankcast.cli.files.index import build_index, index_stats
from rankcast.cli.files.match import match
from rankcast.cli.files.optimum import optimum
from rankcast.cli.files.overlay import simulate_overlay
from rankcast.cli.files.relate import relate
from rankcast.cli.files.replay import replay
from rankcast.cli.installation.demo import demo
from rankcast.cli.installation.doctor import doctor
from rankcast.cli.installation.reproduce import reproduce
from rankcast.cli.interrupts import notice_ctrl_c
from rankcast.cli.operation.audit import audit
from rankcast.cli.operation.backup import backup
from rankcast.cli.operation.brokers import forget_broker, rejoin_brokers, show_brokers
from rankcast.cli.operation.deliveries import deliveries
from rankcast.cli.operation.explain import explain
from rankcast.cli.operation.prune import prune
from rankcast.cli.operation.publish import publish
from rankcast.cli.operation.rejects import rejects, serve_again
from rankcast.cli.operation.restore import restore
from rankcast.cli.operation.run import run
from rankcast.cli.operation.serve import serve
from rankcast.cli.operation.state import rebuild_state, repartition_state
from rankcast.cli.operation.stats import stats
from rankcast.cli.operation.status import status
from rankcast.cli.operation.token import create_token, list_tokens, revoke_token, sign_out
from rankcast.cli.operation.upgrade import upgrade
from rankcast.cli.operation.watch import watch
from rankcast.cli.operation.webhooks import encrypt_secrets
from rankcast.cli.output import Output

__all__ = ["app", "main"]

app = typer.Typer(
    cls=Commands,
    name="rankcast",
    no_args_is_help=True,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    add_completion=True,
    context_settings={"help_option_names": ["-h", "--help"]},
)

_PANELS: dict[str, tuple[Callable[..., None], ...]] = {
    "Catalog of a store": (init, subscribe, unsubscribe, subscriptions, prefer, policy, concept),
    "Operation of a store": (
        publish,
        run,
        serve,
        deliveries,
        watch,
        explain,
        stats,
        status,
        audit,
        prune,
        backup,
        restore,
        upgrade,
    ),
    "Files, without a store": (match, replay, backtest, optimum, groups, relate, graph, forward),
    "This installation": (demo, doctor, reproduce),
}


def _version(wanted: bool) -> None:
    if wanted:
        Output().line(f"rankcast {__version__}")
        raise typer.Exit


def rankcast(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version and exit.")
    ] = False,
) -> None:
    """Ranked publish/subscribe: each subscriber gets the few events worth getting.

    Commands print records as tables on a terminal, and as JSON Lines in a pipe or with --json. Messages go to stderr.

    Exit codes:

      0   success
      1   something was rejected or not found, or the answer is no
      2   usage error: a bad expression, value or option
      3   something outside Rankcast is missing: Java, the store, a file
     70   internal error (a bug in Rankcast); RANKCAST_DEBUG=1 shows the traceback
    130   interrupted by Ctrl-C (141: the output pipe was closed)

    Start with: rankcast demo
    """


def _help(command: Callable[..., None]) -> str:
    """The docstring as help text: each paragraph becomes one line, which the terminal wraps; indented lines stay."""
    paragraphs = inspect.cleandoc(command.__doc__ or "").split("\n\n")
    return "\n\n".join(_as_it_is(text) if text.startswith(" ") else " ".join(text.split()) for text in paragraphs)


def _as_it_is(text: str) -> str:
    """The lines with their indentation, which needs a leading tag to survive."""
    escaped = text.replace("[", r"\[")
    return "\n".join(f"[cyan]{line}[/cyan]" for line in escaped.splitlines())


app.callback(help=_help(rankcast))(rankcast)
for panel, commands in _PANELS.items():
    for command in commands:
        app.command(help=_help(command), rich_help_panel=panel)(command)
concepts = typer.Typer(name="concepts", no_args_is_help=True, help="Derive concepts (vague words) from past data.")
concepts.callback()(lambda: None)  # keeps `mine` a subcommand although it is the only one
concepts.command(help=_help(mine))(mine)
app.add_typer(concepts, rich_help_panel="Files, without a store")

rejects_app = typer.Typer()
rejects_app.callback(invoke_without_command=True, help=_help(rejects))(rejects)
rejects_app.command("serve-again", help=_help(serve_again))(serve_again)
app.add_typer(rejects_app, name="rejects", rich_help_panel="Operation of a store")

state_app = typer.Typer(no_args_is_help=True, help="Repartition or rebuild the delivery state of a pipeline.")
state_app.command("repartition", help=_help(repartition_state))(repartition_state)
state_app.command("rebuild", help=_help(rebuild_state))(rebuild_state)
app.add_typer(state_app, name="state", rich_help_panel="Operation of a store")

index_app = typer.Typer(no_args_is_help=True, help="Compile subscriptions into an index file, or measure one.")
index_app.command("build", help=_help(build_index))(build_index)
index_app.command("stats", help=_help(index_stats))(index_stats)
app.add_typer(index_app, name="index", rich_help_panel="Files, without a store")

overlay_app = typer.Typer(no_args_is_help=True, help="Show and mend the tree of brokers, or simulate one.")
overlay_app.command("status", help=_help(show_brokers))(show_brokers)
overlay_app.command("forget", help=_help(forget_broker))(forget_broker)
overlay_app.command("rejoin", help=_help(rejoin_brokers))(rejoin_brokers)
overlay_app.command("simulate", help=_help(simulate_overlay))(simulate_overlay)
app.add_typer(overlay_app, name="overlay", rich_help_panel="Operation of a store")

tokens = typer.Typer(
    name="token", no_args_is_help=True, help="Create, list and revoke access tokens for the service; end sessions."
)
tokens.command("create", help=_help(create_token))(create_token)
tokens.command("list", help=_help(list_tokens))(list_tokens)
tokens.command("revoke", help=_help(revoke_token))(revoke_token)
tokens.command("sign-out", help=_help(sign_out))(sign_out)
app.add_typer(tokens, rich_help_panel="Operation of a store")

users = typer.Typer(name="user", no_args_is_help=True, help="Delete a user and all of their data.")
users.callback()(lambda: None)  # keeps `delete` a subcommand although it is the only one
users.command("delete", help=_help(delete_user))(delete_user)
app.add_typer(users, rich_help_panel="Operation of a store")

webhooks = typer.Typer(name="webhooks", no_args_is_help=True, help="Encrypt the webhook secrets in the store.")
webhooks.callback()(lambda: None)  # keeps `encrypt-secrets` a subcommand although it is the only one
webhooks.command("encrypt-secrets", help=_help(encrypt_secrets))(encrypt_secrets)
app.add_typer(webhooks, rich_help_panel="Operation of a store")


def main() -> None:
    """The entry point."""
    notice_ctrl_c()
    app()
