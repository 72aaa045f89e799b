"""``rankcast state``: repartition or rebuild the delivery state of a store."""

from typing import Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output
from rankcast.wording import counted

Shards = Annotated[int, typer.Option(min=1, max=1024, metavar="N", help="Number of shards to divide the users among.")]


def repartition_state(shards: Shards, store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Divide the delivery state among another number of shards; move it from a Spark checkpoint into the store.

    Stop the pipeline first. Afterwards, run it with the new number of shards, in-process or on Spark with a new
    checkpoint. Deliveries are not affected.

    Example:

      rankcast state repartition --shards 8
      rankcast run --engine spark --checkpoint new.checkpoint --shards 8
    """
    from rankcast.pipeline.state_changes import repartition as divide
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
            hint = f"; the checkpoint {known.place} is no longer needed: continue with a new one, or in-process"
        else:
            before = divide(opened, shards)
            hint = ""
    record = {"before": before, "shards": shards}
    out.done(f"the delivery state is now in {counted(shards, 'shard')}, before in {before}{hint}", record)


def rebuild_state(shards: Shards = 1, store: StorePath = DEFAULT_STORE, json: Json = False) -> None:
    """Rebuild the delivery state from the event log; nothing is delivered again.

    Use this if the checkpoint is lost or damaged. It takes as long as serving the log.

    Example:

      rankcast state rebuild --shards 2
    """
    from rankcast.pipeline.state_changes import rebuild as make
    from rankcast.store import Store

    out = Output(json)
    with Store.open(store) as opened:
        total = opened.progress().offset
        done = 0
        with out.progress("replaying", total) as advance:
            for offset in make(opened, shards):
                advance(offset - done)
                done = offset
    out.done(f"rebuilt the delivery state from {counted(done, 'event')}", {"events": done, "shards": shards})
