"""A store with a settable clock, users of all sorts, and digests over it."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from types import SimpleNamespace
from typing import Any

import pytest

from rankcast.language import decode_event, decode_record
from rankcast.run import serve_pending
from rankcast.serve.digests import Digests
from rankcast.store import Store

START = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)  # a Monday


class Clock:
    def __init__(self) -> None:
        self.now = START

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path, clock) -> Iterator[Store]:
    with Store.create(tmp_path / "store.db", clock=clock) as made:
        yield made


@pytest.fixture
def served(store) -> SimpleNamespace:
    return SimpleNamespace(store=store, settings=SimpleNamespace(private_webhooks=True))


@pytest.fixture
def digests(served) -> Digests:
    return Digests(served)


@pytest.fixture
def put(store) -> Callable[..., None]:
    """Put records into the catalog, of ann unless they say whose."""

    def put_all(*records: dict[str, Any]) -> None:
        store.change(put=[decode_record({"user": "ann", **record}) for record in records])

    return put_all


@pytest.fixture
def publish(store, clock) -> Callable[..., None]:
    """Publish events of these attributes, a second apart, and let the pipeline serve them."""
    count = 0

    def published(*attributes: dict[str, Any], close: bool = False, **more: Any) -> None:
        nonlocal count
        events = []
        for one in attributes:
            count += 1
            clock.advance(seconds=1)
            events.append(decode_event({"id": f"e{count}", "attributes": one, **more}, now=clock()))
        store.publish(events)
        list(serve_pending(store, close=close))

    return published
