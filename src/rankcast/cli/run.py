"""``rankcast run``: serve what was published."""

import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, StorePath
from rankcast.cli.output import Output, counted

if TYPE_CHECKING:
    from rankcast.store import Store

__all__ = ["run"]

_POLL = 0.5


def run(
    follow: Annotated[
        bool, typer.Option("--follow/--once", help="Wait for more events until Ctrl-C, or serve what is there.")
    ] = False,
    shards: Annotated[
        int | None, typer.Option(min=1, max=1024, metavar="N", help="Among how many shards the users are divided.")
    ] = None,
    close: Annotated[
        bool, typer.Option("--close", help="In the end, end unfinished periods, as a replay does.")
    ] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Serve the events that were published since the last time: match, rank, choose, deliver.

    Each batch is one transaction, so nothing is lost or sent twice, whenever this is stopped. The number of shards
    stays what it was at the first run.

    Example:

      rankcast run
      rankcast run --follow
    """
    from rankcast.store import Store

    out = Output(json)
    served = delivered = 0
    with Store.open(store) as opened, _stoppable() as stopped:
        divided = _shards(opened, shards)
        if follow and not json:
            out.say("serving what is published; Ctrl-C ends it")
        while True:
            for events, new in _serve(opened, divided, close and (not follow or stopped()), out, stopped):
                served += events
                delivered += new
            if not follow or stopped():
                break
            time.sleep(_POLL)
    out.say(f"served {counted(served, 'event')}; {counted(delivered, 'delivery')}")


def _shards(store: "Store", wanted: int | None) -> int:
    """How many shards the delivery state is in."""
    present = len(store.progress().states)
    if present and wanted not in (None, present):
        raise typer.BadParameter(f"the delivery state of this store is in {present} shards, and stays so")
    return present or wanted or 1


def _serve(
    store: "Store", shards: int, close: bool, out: Output, stopped: Callable[[], bool]
) -> Iterator[tuple[int, int]]:
    """All that is pending, batch by batch: how many events, how many deliveries."""
    from rankcast.run import serve_pending

    pending = store.last_offset() - store.progress().offset
    if not pending and not close:
        return
    with out.progress("serving", pending) as advance:
        for batch in serve_pending(store, shards, close=close):
            advance(batch.events)
            if out.json:
                out.record({"offset": batch.offset, "events": batch.events, "delivered": batch.delivered})
                out.flush()
            yield batch.events, batch.delivered
            if stopped():
                return


@contextmanager
def _stoppable() -> Iterator[Callable[[], bool]]:
    """Let the batch at hand be finished after Ctrl-C or a polite kill; after a second Ctrl-C, not even that."""
    asked: list[int] = []

    def ask(number: int, frame: FrameType | None) -> None:
        if asked:
            raise KeyboardInterrupt
        asked.append(number)

    before = {number: signal.signal(number, ask) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield lambda: bool(asked)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
