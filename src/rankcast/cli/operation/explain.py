"""``rankcast explain``: why an event was or was not sent to a user."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.completion import complete_event, complete_user
from rankcast.cli.inputs import read_inputs
from rankcast.cli.options import DEFAULT_STORE, Json, StorePath, input_file
from rankcast.cli.output import Output

if TYPE_CHECKING:
    from rankcast.engine.explain import Explanation


def explain(
    user: Annotated[
        str, typer.Argument(metavar="USER", help="User who did or did not get the event.", autocompletion=complete_user)
    ],
    event: Annotated[str, typer.Argument(metavar="EVENT", help="Id of the event.", autocompletion=complete_event)],
    catalog_file: Annotated[
        Path | None,
        input_file("--catalog", "Use this catalog file instead of the store (with --events)."),
    ] = None,
    events_file: Annotated[
        Path | None,
        input_file("--events", "Use this event file instead of the store (with --catalog)."),
    ] = None,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Explain why an event was or was not sent to a user: what matched, its rank, and what was chosen instead.

    Replays what the decision depends on, with the catalog as it was when the event was published.

    Example:

      rankcast explain addison e4
      rankcast explain addison e4 --catalog c.jsonl --events e.jsonl
    """
    out = Output(json)
    if (catalog_file is None) != (events_file is None):
        raise typer.BadParameter("--catalog and --events must be given together")
    if catalog_file is not None and events_file is not None:
        found = _of_files(catalog_file, events_file, user, event, out)
    else:
        found = _of_store(store, user, event, out)
    if found.outcome is not None and not found.outcome.is_served:
        out.say("the event has not been served yet (see rankcast run); this is what will happen")
    if json:
        out.record(found.to_json())
    else:
        for line in found.lines():
            out.line(line)


def _of_files(catalog_file: Path, events_file: Path, user: str, event: str, out: Output) -> "Explanation":
    from rankcast.engine.explain import explain

    catalog, events, _ = read_inputs(catalog_file, events_file, out)
    return explain(catalog, events, user, event)


def _of_store(store: str, user: str, event: str, out: Output) -> "Explanation":
    from rankcast.pipeline.explaining import MOST_EVENTS, explain_logged
    from rankcast.store import Store

    with Store.open(store) as opened, out.progress("replaying", None) as advance:
        # One process explains one event, so the time limit of the service does not apply.
        return explain_logged(opened, user, event, most=max(MOST_EVENTS, opened.last_offset()), tell=advance)
