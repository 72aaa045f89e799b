"""A tree of brokers in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from broker_tree import BrokerTree

from rankcast.service.brokers import upstream


@pytest.fixture
def tree(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[BrokerTree]:
    monkeypatch.setattr(upstream, "_LONGEST_PAUSE", 0.5)  # an edge tries again sooner
    made = BrokerTree(tmp_path)
    yield made
    made.close()
