"""Publishes lines to a Kafka topic."""

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime

from rankcast.cli.bad_lines import read_event, reject_of
from rankcast.cli.inputs import count_lines
from rankcast.cli.operation.publisher import Line, chunks, whole_file
from rankcast.cli.operation.rejects import exit_if_any, tell
from rankcast.cli.output import Output, counted
from rankcast.errors import RankcastError
from rankcast.language.event_files import EventIds
from rankcast.language.event_limits import EventLimits
from rankcast.model import Event, Reject
from rankcast.pipeline.topics import Topic

__all__ = ["publish_to_topic"]


def publish_to_topic(topic: Topic, file: str, out: Output, limits: EventLimits) -> None:
    """Publish the lines of a file or of stdin. Unusable lines are reported and skipped; the exit code is then 1."""
    rejects: list[Reject] = []
    sent = 0
    topic.found()
    ids = EventIds()
    with whole_file(file, out) as whole, out.progress("publishing", count_lines(whole)) as advance:
        for chunk in chunks(whole):
            for each in topic.publishing(_events(file, chunk, rejects, limits, ids)):
                sent += 1
                if out.json:
                    out.record(each._asdict())
            out.flush()
            advance(len(chunk))
    tell(out, rejects)
    out.say(f"published {counted(sent, 'event')} to {topic}")
    exit_if_any(len(rejects))


def _events(
    file: str, lines: Sequence[Line], rejects: list[Reject], limits: EventLimits, ids: EventIds
) -> Iterator[Event]:
    now = datetime.now(UTC)
    for number, line in lines:
        try:
            yield read_event(line, now, limits, ids)
        except RankcastError as error:
            rejects.append(reject_of(file, number, line, error))
