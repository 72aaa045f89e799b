"""Trees of brokers for tests: services in this process that listen on loopback."""

import shutil
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from time import monotonic, sleep

from rankcast.language import decode_event, decode_record
from rankcast.service import Service, ServiceSettings
from rankcast.service.running import listening

__all__ = ["BrokerTree", "advertisement", "event", "subscription"]


def subscription(name: str, user: str, where: str) -> dict[str, object]:
    return {"kind": "subscription", "id": name, "user": user, "where": where}


def event(name: str, x: int, **more: object) -> dict[str, object]:
    return {"id": name, "attributes": {"x": x}, **more}


def advertisement(name: str, k: int = 1, **more: object) -> dict[str, object]:
    return {"kind": "advertisement", "id": name, "publisher": "shop", "where": "x between 0 and 100", "k": k, **more}


class BrokerTree:
    """Services by name; each but the first is an edge of another one."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.services: dict[str, Service] = {}
        self.addresses: dict[str, str] = {}
        self._stacks: dict[str, ExitStack] = {}
        self._settings: dict[str, ServiceSettings] = {}

    def start(self, name: str, upstream: str | None = None, **more: object) -> Service:
        settings = ServiceSettings(
            port=int(str(more.pop("port", 0))),
            store=str(self.folder / f"{name}.db"),
            dev=bool(more.pop("dev", True)),
            page=False,
            poll=0.05,
            broker=name,
            upstream=None if upstream is None else self.addresses[upstream],
            **more,
        )
        return self._open(name, settings)

    def restart(self, name: str) -> Service:
        """Stop a service and start it again at the same address."""
        self.stop(name)
        return self.open(name)

    def stop(self, name: str) -> None:
        self._stacks.pop(name).close()
        del self.services[name]

    def port(self, name: str) -> int:
        """The port at which a service listens, or listened."""
        return self._settings[name].port

    def open(self, name: str) -> Service:
        """Start a service again that was stopped."""
        return self._open(name, self._settings[name])

    def copy(self, name: str) -> Path:
        """A copy of the store of a service."""
        place = self.folder / f"{name}-{monotonic()}.db"
        self.stop(name)
        shutil.copy(self.folder / f"{name}.db", place)
        self.open(name)
        return place

    def bring_back(self, name: str, copy: Path) -> None:
        """Start a service again with a copy of its store."""
        self.stop(name)
        shutil.copy(copy, self.folder / f"{name}.db")
        self.open(name)

    def error(self, name: str, says: str, patience: float = 10.0) -> str:
        """What a service says is wrong, as soon as it says something like this."""
        deadline = monotonic() + patience
        while says not in (found := self.services[name].brokers.view.tree().error or ""):
            if monotonic() > deadline:
                raise AssertionError(found)
            sleep(0.02)
        return found

    def settle(self, patience: float = 20.0) -> None:
        """Wait until all brokers have told each other everything and served their users."""
        deadline, quiet = monotonic() + patience, 0
        while quiet < 3:
            trees = {name: one.brokers.view.tree() for name, one in self.services.items()}
            quiet = quiet + 1 if all(one.settled and one.error is None for one in trees.values()) else 0
            if monotonic() > deadline:
                raise AssertionError({name: (one.settled, one.error) for name, one in trees.items()})
            sleep(0.02)

    def put(self, at: str, *records: dict[str, object]) -> None:
        self.services[at].put(*map(decode_record, records))

    def publish(self, at: str, *events: dict[str, object]) -> None:
        self.services[at].publish([decode_event({"time": "2026-01-01", **one}) for one in events])

    def delivered(self, at: str) -> list[tuple[str, str]]:
        return [(one.user, one.event) for _, one in self.services[at].deliveries(None, limit=10_000)]

    def close(self) -> None:
        for name in list(self._stacks):  # the root first: an edge that waits for it stops at once
            self.stop(name)

    def _open(self, name: str, settings: ServiceSettings) -> Service:
        stack = ExitStack()
        address, service = stack.enter_context(listening(settings))
        self._stacks[name], self.services[name], self.addresses[name] = stack, service, address
        self._settings[name] = replace(settings, port=service.settings.port)
        return service
