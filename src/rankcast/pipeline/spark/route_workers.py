"""The parts of `route` that run in Spark's Python workers: summaries, sending, the best of a shard, merging."""

from collections.abc import Callable, Iterable, Iterator, Sequence

import msgspec
import pyarrow as pa

from rankcast.language import decode_event, decode_record, dumps, encode_record
from rankcast.model import EPOCH, Catalog, Event, Ranking, Subscription
from rankcast.overlay import (
    STRATEGIES,
    Finder,
    Matched,
    Router,
    Scorer,
    meanings_of,
    place_of,
    recipients,
    scorer_of,
    summarise,
)
from rankcast.pipeline.spark.workers import CATALOG, JSON
from rankcast.plain import JsonObject

__all__ = ["best_in_shard", "merge", "send", "summary_of_shard"]

_BEST = pa.schema(
    [
        ("event", pa.string()),
        ("subscription", pa.string()),
        ("user", pa.string()),
        ("degree", pa.float64()),
        ("k", pa.int32()),
        ("place", pa.list_(pa.float64())),
        ("record", pa.string()),
    ]
)
_RECIPIENT = pa.schema(
    [("event", pa.string()), ("subscription", pa.string()), ("user", pa.string()), ("degree", pa.float64())]
)
_SENT = pa.schema([("shard", pa.int32()), ("ids", pa.list_(pa.string())), ("blob", pa.binary())])


def summary_of_shard(strategy: str) -> Callable[[pa.Table], pa.Table]:
    """The step that condenses a shard's part of the catalog into its summary."""

    def run(rows: pa.Table) -> pa.Table:
        catalog = _catalog(b"\n".join(rows["blob"].to_pylist()))
        summary = {
            name: [dumps(encode_record(one)) for one in held]
            for name, held in summarise(catalog, STRATEGIES[strategy]).items()
        }
        blob = msgspec.msgpack.encode(summary)
        return pa.table({"shard": pa.array([rows["shard"][0].as_py()], pa.int32()), "summary": [blob]})

    return run


def send(
    batches: Iterator[pa.RecordBatch], shared: bytes, keys: Sequence[int], broadcast: bool
) -> Iterator[pa.RecordBatch]:
    """Split each packed batch of events, given with all summaries, into one packed batch per shard concerned."""
    router: Router | None = None
    for batch in batches:
        for row in batch.to_pylist():
            if router is None:
                router = _router(_catalog(shared), row["summaries"])
            by_shard: dict[int, list[tuple[str, str]]] = {}
            for line in pa.ipc.open_stream(row["blob"]).read_all()[JSON].to_pylist():
                event = decode_event(line)
                for shard in keys if broadcast else router.shards(event):
                    by_shard.setdefault(shard, []).append((event.id, line))
            yield pa.RecordBatch.from_pylist(
                [
                    {"shard": shard, "ids": [name for name, _ in sent], "blob": _packed([line for _, line in sent])}
                    for shard, sent in sorted(by_shard.items())
                ],
                schema=_SENT,
            )


def best_in_shard(rows: pa.Table) -> pa.Table:
    """The grouped step: a shard's part of the catalog and its events in, the shard's k best of each event out."""
    blobs: dict[bool, list[bytes]] = {True: [], False: []}
    for kind, blob in zip(rows["kind"].to_pylist(), rows["blob"].to_pylist(), strict=True):
        blobs[kind == CATALOG].append(blob)
    catalog = _catalog(b"\n".join(blobs[True]))
    finder = Finder(list(catalog.subscriptions.values()), catalog)
    scorers: dict[str, Scorer] = {}
    found: list[JsonObject] = []
    for blob in blobs[False]:
        for line in pa.ipc.open_stream(blob).read_all()[JSON].to_pylist():
            event = decode_event(line)
            found += _best(catalog, event, finder.match(event), scorers)
    return pa.Table.from_pylist(found, schema=_BEST)


def merge(batches: Iterator[pa.RecordBatch], shared: bytes) -> Iterator[pa.RecordBatch]:
    """The k best of what the shards returned. Rows come grouped by event."""
    catalog = _catalog(shared)
    pending: list[JsonObject] = []
    for batch in batches:
        chosen: list[JsonObject] = []
        for row in batch.to_pylist():
            if pending and pending[0]["event"] != row["event"]:
                chosen += _merged(catalog, pending)
                pending = []
            pending.append(row)
        yield _recipients(chosen)
    if pending:
        yield _recipients(_merged(catalog, pending))


def _best(catalog: Catalog, event: Event, matched: list[Matched], scorers: dict[str, Scorer]) -> Iterable[JsonObject]:
    if event.advertisement is None:
        return [_row(event, one, None, [], None) for one in matched]
    advertisement = catalog.advertisements[event.advertisement]
    k = event.k or advertisement.k
    if advertisement.rank is Ranking.DIVERSE:
        # Diversity can be judged only among all matches.
        return [_row(event, one, k, [], dumps([event.advertisement, encode_record(one[0])])) for one in matched]
    if advertisement.id not in scorers:
        scorers[advertisement.id] = scorer_of(catalog, advertisement)
    scorer = scorers[advertisement.id]
    place = place_of(advertisement, event, scorer)
    return [_row(event, one, k, list(place(one)), None) for one in recipients(advertisement, event, matched, scorer)]


def _row(event: Event, matched: Matched, k: int | None, place: list[float], record: str | None) -> JsonObject:
    subscription, degree = matched
    return {
        "event": event.id,
        "subscription": subscription.id,
        "user": subscription.user,
        "degree": degree,
        "k": k,
        "place": place,
        "record": record,
    }


def _merged(catalog: Catalog, rows: list[JsonObject]) -> list[JsonObject]:
    if rows[0]["k"] is None:
        return rows
    if rows[0]["record"] is None:
        return sorted(rows, key=lambda row: (row["place"], row["subscription"]))[: rows[0]["k"]]
    matched: list[Matched] = []
    under = ""
    for row in rows:
        under, record = msgspec.json.decode(row["record"])
        subscription = decode_record(record)
        assert isinstance(subscription, Subscription)
        matched.append((subscription, row["degree"]))
    event = Event(rows[0]["event"], EPOCH, {}, advertisement=under, k=rows[0]["k"])
    chosen = recipients(catalog.advertisements[under], event, matched, meaning_of=meanings_of(catalog))
    best = {subscription.id for subscription, _ in chosen}
    return [row for row in rows if row["subscription"] in best]


def _recipients(rows: list[JsonObject]) -> pa.RecordBatch:
    return pa.RecordBatch.from_pylist(
        [{name: row[name] for name in _RECIPIENT.names} for row in rows], schema=_RECIPIENT
    )


def _router(shared: Catalog, summaries: list[JsonObject]) -> Router:
    decoded: dict[int, dict[str, tuple[Subscription, ...]]] = {}
    for row in summaries:
        held: dict[str, list[str]] = msgspec.msgpack.decode(row["summary"])
        decoded[row["shard"]] = {
            name: tuple(one for one in map(decode_record, lines) if isinstance(one, Subscription))
            for name, lines in held.items()
        }
    return Router(shared, decoded)


def _packed(lines: list[str]) -> bytes:
    batch = pa.RecordBatch.from_arrays([pa.array(lines, pa.string())], [JSON])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def _catalog(lines: bytes) -> Catalog:
    return Catalog([decode_record(line) for line in lines.splitlines()])
