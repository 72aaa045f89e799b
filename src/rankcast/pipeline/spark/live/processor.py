"""The stateful operator: passes a micro-batch to the process that holds the shard, and saves the state it returns."""

import pickle
from collections.abc import Callable, Iterator
from functools import cached_property
from typing import Any

from pyspark.sql import Row
from pyspark.sql.streaming.stateful_processor import StatefulProcessor, StatefulProcessorHandle

from rankcast.pipeline.spark.live.hosts import ask, taken_frames
from rankcast.pipeline.spark.live.requests import Frame, HostSettings, Request
from rankcast.pipeline.spark.shipping import code_of


class ShardProcessor(StatefulProcessor):
    """One key is one shard. `numbers` gives the shard of each key; `catalog` holds the records of a fixed catalog.

    `write` writes the deliveries of a shard, given with its report, and returns the receipts of the sinks.

    The state of a key is a head with the token of the shard, pages and a journal (`LiveShard`). The live shard itself
    is in another process, and the token says whether it matches the state. If it does not (another machine, a
    restart, a retried micro-batch), the shard is restored from the state.
    """

    def __init__(
        self,
        settings: HostSettings,
        numbers: dict[int, int],
        catalog: bytes,
        write: Callable[[bytes, bytes], list[bytes]],
    ) -> None:
        self._settings = settings
        self._numbers = numbers
        self._catalog = catalog
        self._packed_write: bytes = code_of(write)
        """Read where it is needed: Spark's driver sends the operator to a process that only asks for its state."""

    @cached_property
    def _write(self) -> Callable[[bytes, bytes], list[bytes]]:
        write: Callable[[bytes, bytes], list[bytes]] = pickle.loads(self._packed_write)  # noqa: S301  from the driver, as all code is
        return write

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Name the state variables."""
        self._head = handle.getValueState("head", "token string, head binary")
        self._pages = handle.getMapState("pages", "number int", "page binary")
        self._journal = handle.getMapState("journal", "generation long", "entry binary")

    def handleInputRows(self, key: Any, rows: Iterator[Row], timerValues: Any) -> Iterator[Row]:  # noqa: N802, N803
        """Serve the rows of a shard. Yields one row with its report and the receipts of its deliveries."""
        number = self._numbers[key[0]]
        frames = [Frame(row.kind, bytes(row.blob)) for row in rows]
        known = self._head.get()
        token, head = (known[0], bytes(known[1])) if known is not None else ("", b"")
        if not self._settings.is_log:
            frames = taken_frames(self._settings, number, frames, head, self._catalog)
        answer = ask(Request(self._settings, number, token, frames))
        if answer.needs_saved:
            pages = {each[0]: bytes(page[0]) for each, page in self._pages.iterator()} if head else {}
            journal = {each[0]: bytes(entry[0]) for each, entry in self._journal.iterator()} if head else {}
            saved = (head, pages, journal)
            answer = ask(Request(self._settings, number, token, frames, saved, self._catalog))
        for place, page in answer.pages.items():
            self._pages.updateValue((place,), (page,))
        for generation, entry in answer.journal.items():
            self._journal.updateValue((generation,), (entry,))
        for generation in answer.gone:
            self._journal.removeKey((generation,))
        self._head.update((answer.token, answer.head))
        yield Row(shard=number, report=answer.report, receipts=self._write(answer.deliveries, answer.report))

    def close(self) -> None:
        """Do nothing: the shard stays alive."""
