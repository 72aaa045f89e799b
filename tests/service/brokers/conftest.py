"""A tree of brokers in this process."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from broker_tree import BrokerTree


@pytest.fixture
def tree(tmp_path: Path) -> Iterator[BrokerTree]:
    made = BrokerTree(tmp_path)
    yield made
    made.close()
