"""``rankcast publish``: add events to the log of a store, or to a Kafka topic."""

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated
from uuid import uuid4

import typer

from rankcast.cli.inputs import attributes, count_lines
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.options import DEFAULT_STORE, Json, MaxAhead, MaxEventSize, StorePath
from rankcast.cli.output import Output

if TYPE_CHECKING:
    from rankcast.language.event_limits import EventLimits
    from rankcast.model import Event


def publish(
    events: Annotated[
        str | None,
        typer.Argument(
            metavar="EVENTS",
            help="Event file (JSON Lines, a JSON array, CSV, Parquet or Arrow; .gz, .zst), or - for stdin.",
        ),
    ] = None,
    attr: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="Attribute of a single event, instead of a file. May be repeated."),
    ] = None,
    name: Annotated[str | None, typer.Option("--id", metavar="ID", help="Id of the single event.")] = None,
    time: Annotated[
        str | None, typer.Option("--time", metavar="TIME", help="Publication time of the single event; now by default.")
    ] = None,
    source: Annotated[str | None, typer.Option(metavar="NAME", help="Source of the single event.")] = None,
    to: Annotated[
        str | None, typer.Option("--to", metavar="URL", help="Publish to kafka://host:port/topic instead of the store.")
    ] = None,
    max_event_size: MaxEventSize = 256 * 1024,
    max_ahead: MaxAhead = "1h",
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Publish events from a file or stdin, or a single event from options.

    With --json, each line of output acknowledges an event that is on disk. Publishing a file again is safe: events
    that are already in the log are not added twice. Bad lines are reported and stored as rejects (see rankcast
    rejects), and the exit code is 1. An event without a time gets the current time; one too far in the future is a
    bad line. An event without an id gets one from its content. In CSV and Parquet, columns are attributes, except id,
    time, source, advertisement and k.

    Example:

      rankcast publish events.jsonl
      rankcast publish --attr genre=drama --attr year=2004 --id e9
      tail -f app.log | rankcast publish - --json
      rankcast publish events.jsonl --to kafka://localhost:9092/films
    """
    from rankcast.cli.operation.publisher import FilePublisher, chunks, offset_but_for_time, whole_file
    from rankcast.language import parse_duration
    from rankcast.language.event_limits import EventLimits
    from rankcast.store import Store

    out = Output(json)
    limits = EventLimits(max_event_size, parse_duration(max_ahead))
    if (events is None) == (attr is None):
        raise typer.BadParameter("give either a file of events, or --attr for one event")
    if to is not None:
        _to_topic(to, events, out, limits)
        return
    with Store.open(store) as opened:
        if events is None:
            event = _by_hand(attr or [], name, time, source, limits)
            offset = offset_but_for_time(opened, event) if time is None else None
            is_known = offset is not None
            if offset is None:
                (done,) = opened.publish([event])
                offset, is_known = done.offset, done.duplicate
            said = f"{event.id} is already in the log," if is_known else f"published {event.id}"
            out.done(f"{said} at offset {offset}", {"id": event.id, "offset": offset}, event.id)
            return
        publisher = FilePublisher(opened, events, _acknowledge(out), limits)
        with whole_file(events, out) as file, out.progress("publishing", count_lines(file)) as advance:
            for chunk in chunks(file):
                publisher.publish(chunk)
                out.flush()
                advance(len(chunk))
    tell(out, publisher.rejects)
    out.say(publisher.summary())
    exit_if_any(len(publisher.rejects))


def _to_topic(url: str, events: str | None, out: Output, limits: "EventLimits") -> None:
    from rankcast.cli.operation.publisher import publish_to_topic
    from rankcast.pipeline.topics import Topic

    if events is None:
        raise typer.BadParameter("--to takes a file of events, or - for stdin")
    publish_to_topic(Topic.of(url), events, out, limits)


def _acknowledge(out: Output) -> Callable[[str, int], None]:
    """The function to call for each event that is on disk."""
    if out.json:
        return lambda name, offset: out.record({"id": name, "offset": offset})
    return lambda name, offset: None


def _by_hand(
    attr: Sequence[str], name: str | None, time: str | None, source: str | None, limits: "EventLimits"
) -> "Event":
    from rankcast.language import decode_event

    form = {"id": name or f"e-{uuid4().hex[:12]}", "time": time, "source": source, "attributes": attributes(attr)}
    now = datetime.now(UTC)
    event = decode_event({field: value for field, value in form.items() if value is not None}, now)
    limits.check(event, now)
    return event
