"""Trees of brokers as processes, and the catalog that one broker would have."""

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from random import Random
from time import monotonic, sleep

import httpx
from broker_network import BrokerNetwork, Loopback, Namespaces
from waiting import until

from rankcast.language import encode_event
from rankcast.matching import OracleMatcher
from rankcast.model import Advertisement, Always, Catalog, Event, Ranking, Subscription
from rankcast.overlay import STRATEGIES, Admission, Overlay, RegularCover, Tree
from rankcast.service.access import Access, Role
from rankcast.store import BrokerLog, Store

__all__ = ["RunningTree", "SingleBroker"]

_SCRIPT = Path(__file__).with_name("broker_process.py")


class RunningTree:
    """Brokers by name, each with a token of its upstream. `links` are (upstream, edge); the first broker is the root.

    With a delay, in seconds, the brokers are in network namespaces, and the links between them delay each packet.
    """

    def __init__(
        self, folder: Path, links: Sequence[tuple[str, str]], strategies: Sequence[str] = (), delay: float = 0.0
    ) -> None:
        self.folder = folder
        self.names = list(dict.fromkeys(name for link in links for name in link))
        self.edges = [edge for _, edge in links]
        self.network: BrokerNetwork = Namespaces(links, delay) if delay else Loopback(links)
        self._strategies = list(strategies)
        self._processes: dict[str, int] = {}
        self.stores = {name: Store.create(folder / f"{name}.db") for name in self.names}
        access = {name: Access(store) for name, store in self.stores.items()}
        self._tokens = {edge: access[above].create(Role.BROKER, edge)[0] for above, edge in links}
        self._clients = {
            name: httpx.Client(
                base_url=f"http://127.0.0.1:{self.network.port(name)}",
                headers={"Authorization": f"Bearer {access[name].create(Role.ADMINISTRATOR)[0]}"},
                timeout=60.0,
            )
            for name in self.names
        }
        for name in self.names:
            self.start(name, wait=False)
        for name in self.names:
            self.wait_for(name)

    def start(self, name: str, wait: bool = True) -> None:
        settings = {
            "store": str(self.folder / f"{name}.db"),
            "host": self.network.host,
            "port": self.network.port(name),
            "broker": name,
            "upstream": self.network.upstream(name) if name in self.edges else None,
            "upstream_token": self._tokens.get(name),
            "strategies": self._strategies,
            "network": self.network.namespace(name),
            "log": str(self.folder / f"{name}.log"),
            "ready": str(self._ready(name)),
        }
        self._ready(name).unlink(missing_ok=True)
        self._processes[name] = _make_process(settings)
        if wait:
            self.wait_for(name)

    def wait_for(self, name: str) -> None:
        until(lambda: self._ready(name).exists() or not _is_alive(self._processes[name]), seconds=120.0)
        assert _is_alive(self._processes[name]), self._logs()

    def kill(self, name: str) -> None:
        """End a broker without warning."""
        process = self._processes.pop(name)
        os.kill(process, signal.SIGKILL)
        until(lambda: not _is_alive(process))

    def _ready(self, name: str) -> Path:
        return self.folder / f"{name}.ready"

    def publish(self, at: str, events: Sequence[Event], patience: float = 180.0) -> None:
        """Publish at a broker until it is acknowledged."""
        deadline = monotonic() + patience
        body = [encode_event(event) for event in events]
        while True:
            try:
                answer = self.network.run(at, lambda: self._clients[at].post("/v1/events", json=body))
                if answer.status_code == 200:
                    assert not answer.json()["rejected"], answer.text
                    return
            except httpx.HTTPError:
                pass
            assert monotonic() < deadline, f"{at} does not accept events"
            sleep(0.05)

    def tree(self, name: str) -> dict[str, object]:
        found: dict[str, object] = self.network.run(name, lambda: self._clients[name].get("/v1/brokers").json())
        return found

    def settle(self, patience: float = 180.0) -> None:
        """Wait until all brokers have told each other everything and served their users."""
        deadline, quiet = monotonic() + patience, 0
        while quiet < 3:
            seen = {name: self.tree(name) for name in self.names}
            quiet = quiet + 1 if all(one["settled"] and one["error"] is None for one in seen.values()) else 0
            said = {name: (one["settled"], one["error"]) for name, one in seen.items()}
            assert monotonic() < deadline, f"{said}\n{self._logs()}"
            sleep(0.1)

    def _logs(self) -> str:
        return "\n".join(f"{name}: {(self.folder / f'{name}.log').read_text()[-1500:]}" for name in self.names)

    def delivered(self) -> set[tuple[str, str, str]]:
        """What all users got: broker, user and event. Fails if one got an event twice."""
        found = [(name, one.user, one.event) for name, store in self.stores.items() for _, one in store.deliveries()]
        assert len(found) == len(set(found))
        return set(found)

    def known_from_neighbours(self, at: str, advertisement: str) -> set[str]:
        """The subscriptions that neighbours forwarded to a broker for an advertisement."""
        log = BrokerLog(self.stores[at].database)
        return {
            form["subscription"]["id"]
            for row in log.neighbours()
            for form in log.items(row.name).values()
            if advertisement in form.get("for", {})
        }

    def close(self) -> None:
        for name in list(self._processes):
            self.kill(name)
        self.network.close()
        for store in self.stores.values():
            store.close()
        for client in self._clients.values():
            client.close()


class SingleBroker:
    """What one broker would do that knows everything; users by the broker of the tree where they are."""

    def __init__(self, links: Sequence[tuple[str, str]], strategies: Mapping[str, str]) -> None:
        self.catalog = Catalog()
        self.simulated = Overlay(Tree(links))
        for name in self.simulated.tree.brokers:  # what a broker gets to know for events without an advertisement
            self.simulated.advertise(Advertisement(f"plain {name}", "nobody", Always(), 1), name, RegularCover())
        self.places: dict[str, str] = {}
        self.homes: dict[str, str] = {}
        self._strategies = strategies

    def advertise(self, advertisement: Advertisement, at: str) -> None:
        self.catalog.put(advertisement)
        self.homes[advertisement.id] = at
        self.simulated.advertise(advertisement, at, STRATEGIES[self._strategies[advertisement.id]])

    def subscribe(self, subscription: Subscription, at: str) -> None:
        self.catalog.put(subscription)
        self.places[subscription.id] = at
        self.simulated.subscribe(subscription, at)

    def unsubscribe(self, name: str) -> Subscription:
        gone = self.catalog.subscriptions[name]
        self.catalog.remove(gone)
        self.simulated.unsubscribe(name)
        del self.places[name]
        return gone

    def recipients(self, event: Event) -> set[tuple[str, str, str]]:
        """Who gets an event: broker, user and event. Drawn ties are those of the simulation."""
        matches = list(OracleMatcher.of(self.catalog).match(event))
        name = event.advertisement
        if name is not None and not self._is_exact(name):
            chosen = set(self.simulated.publish(event).recipients)
            ids = [one.id for one, _ in matches if one.id in chosen]
        else:
            ids = [one.id for one, _ in Admission(self.catalog).admitted(event, matches)]
        return {(self.places[one], self.catalog.subscriptions[one].user, event.id) for one in ids}

    def _is_exact(self, advertisement: str) -> bool:
        rank: Ranking = self.catalog.advertisements[advertisement].rank
        return STRATEGIES[self._strategies[advertisement]].is_exact(rank)


def pick(random: Random, names: Sequence[str]) -> str:
    """One of the names."""
    return names[random.randrange(len(names))]


@cache
def _maker() -> "subprocess.Popen[str]":
    """The process that makes brokers; it ends with this one."""
    return subprocess.Popen([sys.executable, str(_SCRIPT)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def _make_process(settings: Mapping[str, object]) -> int:
    maker = _maker()
    assert maker.stdin is not None
    assert maker.stdout is not None
    maker.stdin.write(json.dumps(settings) + "\n")
    maker.stdin.flush()
    return int(maker.stdout.readline())


def _is_alive(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True
