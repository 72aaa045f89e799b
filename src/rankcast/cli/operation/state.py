"""``rankcast state``: the delivery state of a store, moved and mended."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, counted

__all__ = ["rebuild_state", "repartition_state"]

Shards = Annotated[int, typer.Option(min=1, max=1024, metavar="N", help="Among how many shards the users are divided.")]


def repartition_state(shards: Shards, store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Divide the delivery state among another number of shards, and bring it from a checkpoint into the store.

    The pipeline must be stopped. Afterwards the store is served with as many shards, in-process or on Spark with a new
    checkpoint; users notice nothing.

    Example:

      rankcast state repartition --shards 8
      rankcast run --engine spark --checkpoint new.checkpoint --shards 8
    """
    from rankcast.pipeline.local import repartition as divide
    from rankcast.store import SPARK, Store

    out = Output(json)
    with Store.open(store) as opened:
        known = opened.pipeline()
        if known is not None and known.engine == SPARK and known.last_batch >= 0:
            from rankcast.cli.sparks import silenced

            with silenced(), out.working("reading the checkpoint"):
                from rankcast.pipeline.spark import local_session
                from rankcast.pipeline.spark.saved import bring_back

                bring_back(local_session(), opened, known.place, shards)
            before = known.shards
            hint = f"; the checkpoint {known.place} is not needed any more: go on with a new one, or in-process"
        else:
            before = divide(opened, shards)
            hint = ""
    record = {"before": before, "shards": shards}
    out.done(f"the delivery state is in {counted(shards, 'shard')} now, before in {before}{hint}", record)


def rebuild_state(shards: Shards = 1, store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Make the delivery state anew by going through the event log again; nothing is delivered again.

    For a store whose checkpoint is lost or damaged. Takes as long as serving the log does.

    Example:

      rankcast state rebuild --shards 2
    """
    from rankcast.pipeline.local import rebuild as make
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        total = opened.progress().offset
        done = 0
        with out.progress("serving again", total) as advance:
            for offset in make(opened, shards):
                advance(offset - done)
                done = offset
    out.done(f"the delivery state was made anew out of {counted(done, 'event')}", {"events": done, "shards": shards})
