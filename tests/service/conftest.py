"""A service and its clients; and a store with a settable clock for what is pushed: digests and webhooks."""

from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fastapi import routing
from fastapi.testclient import TestClient

from rankcast.service import Service, ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.push.digests import Digests
from rankcast.store import Store

# What FastAPI works out for each route at the first request to an application takes 70 ms, in nearly every test. It is the
# same for all applications, so it is kept, where this release does it like that.
_BUILD = "_build_dependant_with_parameterless_dependencies"
_built: dict[Any, Any] = {}
_build: Any = getattr(routing, _BUILD, None)


def _build_once(*, path: str, call: Any, dependencies: Any) -> Any:
    key = (path, call, tuple(dependencies))
    if key not in _built:
        _built[key] = _build(path=path, call=call, dependencies=dependencies)
    return _built[key]


if _build is not None:
    setattr(routing, _BUILD, _build_once)


@pytest.fixture
def settings(tmp_path: Path) -> ServiceSettings:
    return ServiceSettings(store=str(tmp_path / "store.db"), dev=True, page=False, poll=0.05)


@pytest.fixture
def service(settings: ServiceSettings) -> Iterator[Service]:
    made = Service(settings)
    yield made
    made.stop()


@pytest.fixture
def client(settings: ServiceSettings) -> Iterator[TestClient]:
    """A client of a service without tokens: the administrator."""
    with TestClient(create_app(settings), base_url="http://localhost", raise_server_exceptions=False) as made:
        yield made


Sign = Callable[..., dict[str, str]]


@pytest.fixture
def guarded(tmp_path: Path) -> Iterator[TestClient]:
    """A client of a service that wants tokens."""
    app = create_app(ServiceSettings(store=str(tmp_path / "guarded.db"), page=False, poll=0.05))
    with TestClient(app, base_url="http://rankcast.test", raise_server_exceptions=False) as made:
        yield made


@pytest.fixture
def sign(guarded: TestClient) -> Sign:
    """The headers of a new token."""

    def signed(role: str = "administrator", name: str | None = None) -> dict[str, str]:
        app: Any = guarded.app
        token, _ = app.state.service.access.create(Role(role), name)
        return {"Authorization": f"Bearer {token}"}

    return signed


class Clock:
    """Stands still, on a Monday at noon, until it is advanced."""

    def __init__(self) -> None:
        self.now = datetime(2026, 5, 4, 12, 0, tzinfo=UTC)

    def __call__(self) -> datetime:
        return self.now

    def advance(self, **span: float) -> None:
        self.now += timedelta(**span)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def store(tmp_path: Path, clock: Clock) -> Iterator[Store]:
    """A store that goes by the clock."""
    with Store.create(tmp_path / "store.db", clock=clock) as made:
        yield made


@pytest.fixture
def served(store: Store) -> SimpleNamespace:
    """A service over the store that is allowed to send to loopback."""
    return SimpleNamespace(store=store, settings=SimpleNamespace(private_webhooks=True))


@pytest.fixture
def digests(served: SimpleNamespace) -> Digests:
    return Digests(served)
