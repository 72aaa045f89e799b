"""The engines that match and replay files. All give the same output, byte by byte."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import typer

from rankcast.cli.output import Output
from rankcast.cli.sparks import deliveries_of, event_frame, spark_session
from rankcast.engine.choice import INDEX_FROM, Engine, is_small, shard_for
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

    from rankcast.engine.arrays import BatchShard
    from rankcast.engine.arrays.deliveries import DeliveryColumns
    from rankcast.engine.reference.shard import Shard
    from rankcast.model import Catalog, Delivery, Event, Match

EngineChoice: TypeAlias = Annotated[
    Engine | None, typer.Option("--engine", help="Engine to use; by default the fastest for the size of the input.")
]

_CHUNK = 2_000
"""Events per chunk: large enough for fast arrays, small enough for a smooth progress bar."""


def match_all(engine: Engine | None, catalog: "Catalog", events: "Sequence[Event]", out: Output) -> "Iterable[Match]":
    """All matches, by position of the event, then by position of the subscription in the catalog."""
    if engine is Engine.SPARK:
        from rankcast.model import Match
        from rankcast.pipeline.spark import match

        rows = on_spark(lambda frame: match(frame, catalog, json="event"), events, out)
        position = {name: number for number, name in enumerate(catalog.subscriptions)}
        seq = {event.id: event.seq for event in events}
        found = [Match(**row) for row in rows]
        return sorted(found, key=lambda one: (seq[one.event], position[one.subscription]))
    subscriptions = len(catalog.subscriptions)
    if engine is None:
        engine = Engine.ORACLE if is_small(len(events), subscriptions) else Engine.LOCAL
    by_index = engine is Engine.INDEX or (engine is Engine.LOCAL and subscriptions >= INDEX_FROM)
    return (_match_indexed if by_index else _match_here)(catalog, events, out)


def replay_all(engine: Engine | None, catalog: "Catalog", events: "Sequence[Event]", out: Output) -> "list[Delivery]":
    """All deliveries, by window, user and seq."""
    deliveries = replay_quickly(engine, catalog, events, out)
    return deliveries if isinstance(deliveries, list) else deliveries.records()


def replay_quickly(
    engine: Engine | None, catalog: "Catalog", events: "Sequence[Event]", out: Output
) -> "list[Delivery] | DeliveryColumns":
    """As `replay_all`, but as columns if the engine makes columns, for callers that need no objects."""
    if engine is Engine.SPARK:
        from rankcast.pipeline.spark import deliver

        return deliveries_of(on_spark(lambda frame: deliver(frame, catalog, json="event"), events, out))
    from rankcast.engine.arrays import BatchShard

    shard = _shard(engine, catalog, len(events))
    if isinstance(shard, BatchShard):
        return _replay_columns(shard, events, out)
    return sorted(_replay_here(shard, events, out), key=lambda delivery: delivery.order)


def _match_here(catalog: "Catalog", events: "Sequence[Event]", out: Output) -> "Iterable[Match]":
    from rankcast.engine.reference.shard import Shard

    shard = Shard(catalog)
    with out.progress("matching", len(events)) as advance:
        for event in events:
            yield from shard.match(event)
            advance(1)


def _match_indexed(catalog: "Catalog", events: "Sequence[Event]", out: Output) -> "Iterable[Match]":
    from rankcast.engine.index import IndexMatcher
    from rankcast.model import Match

    subscriptions = list(catalog.subscriptions.values())
    matcher = IndexMatcher.of_catalog(subscriptions, catalog)
    with out.progress("matching", len(events)) as advance:
        for start in range(0, len(events), _CHUNK):
            chunk = events[start : start + _CHUNK]
            found = matcher.match_batch(chunk)
            for place, at, degree in zip(*(column.tolist() for column in found), strict=True):
                subscription = subscriptions[at]
                yield Match(chunk[place].id, subscription.id, subscription.user, degree)
            advance(len(chunk))


def _shard(engine: Engine | None, catalog: "Catalog", events: int) -> "Shard | BatchShard":
    """One shard for all users."""
    if engine is None:
        return shard_for(events, catalog)
    if engine is Engine.ORACLE:
        from rankcast.engine.reference.shard import Shard

        return Shard(catalog)
    from rankcast.engine.arrays import BatchShard

    if engine is Engine.INDEX:
        from rankcast.engine.index import IndexMatcher

        return BatchShard(catalog, matcher=IndexMatcher.of_catalog)
    return BatchShard(catalog)


def _replay_here(shard: "Shard", events: "Sequence[Event]", out: Output) -> "list[Delivery]":
    parts = [shard.publish(chunk) for chunk in _chunks(events, out)]
    return [delivery for part in [*parts, shard.close()] for delivery in part]


def _replay_columns(shard: "BatchShard", events: "Sequence[Event]", out: Output) -> "DeliveryColumns":
    from rankcast.engine.arrays.deliveries import DeliveryColumns

    parts = [shard.publish_columns(chunk) for chunk in _chunks(events, out)]
    return DeliveryColumns.joined([*parts, shard.close_columns()]).in_order()


def _chunks(events: "Sequence[Event]", out: Output) -> "Iterator[Sequence[Event]]":
    """The events in chunks, with a progress bar."""
    with out.progress("replaying", len(events)) as advance:
        for start in range(0, len(events), _CHUNK):
            yield events[start : start + _CHUNK]
            advance(len(events[start : start + _CHUNK]))


def on_spark(job: "Callable[[DataFrame], DataFrame]", events: "Sequence[Event]", out: Output) -> list[JsonObject]:
    """The result rows of a Spark job over events in JSON form."""
    with spark_session(out, f"{len(events):,} events through Spark") as (session, _):
        rows: list[JsonObject] = job(event_frame(session, events)).toArrow().to_pylist()
        return rows
