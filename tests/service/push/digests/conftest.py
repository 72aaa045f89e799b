"""What is put into the catalog and published, and the digests that come of it."""

from collections.abc import Callable
from typing import Any

import pytest
from digest_samples import MORNINGS

from rankcast.language import decode_event, decode_record
from rankcast.pipeline.local import serve_pending
from rankcast.service.push.digests import Digest


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


@pytest.fixture
def next_digest(digests, clock) -> Callable[[], Digest]:
    """The digest of the next morning."""

    def following() -> Digest:
        clock.now = MORNINGS.after(clock.now)
        (number,) = digests.round()
        return digests.digest("ann", number)

    return following
