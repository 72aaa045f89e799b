from collections.abc import Iterator
from pathlib import Path

import pytest

from rankcast.serve import Service, Settings


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return Settings(store=str(tmp_path / "store.db"), dev=True, page=False, poll=0.05)


@pytest.fixture
def service(settings: Settings) -> Iterator[Service]:
    made = Service(settings)
    yield made
    made.stop()
