"""Networks of brokers: on loopback with a proxy on each link, or network namespaces with delayed links between them."""

import ctypes
import fcntl
import os
import struct
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import which
from threading import get_native_id
from typing import Protocol, TypeVar

from link_proxy import LinkProxy
from ports import free_port

__all__ = ["BrokerNetwork", "Loopback", "Namespaces", "NoNamespaces"]

_Result = TypeVar("_Result")
_WIRES = Path(__file__).with_name("tun_wires.py")
_NEW_NETWORK = 0x40000000
_TUN_SET_NAME, _TUN, _NO_HEADER = 0x400454CA, 0x1, 0x1000
_PORT = 8765


class BrokerNetwork(Protocol):
    """Where brokers run, and how an edge reaches its upstream. `links` are (upstream, edge)."""

    host: str

    def port(self, name: str) -> int:
        """The port at which a broker listens."""

    def upstream(self, edge: str) -> str:
        """The address at which an edge reaches its upstream."""

    def namespace(self, name: str) -> str | None:
        """The file of the network namespace in which a broker is; None if it is in that of this process."""

    def run(self, name: str, work: Callable[[], _Result]) -> _Result:
        """Run something where a broker is, so that it reaches the broker at 127.0.0.1."""

    def cut(self, edge: str) -> None:
        """Cut the link of an edge to its upstream."""

    def mend(self, edge: str) -> None:
        """Mend a link that was cut."""

    def close(self) -> None:
        """End the network."""


class Loopback:
    """All brokers on this machine. A cut link ends its connections and refuses new ones."""

    host = "127.0.0.1"

    def __init__(self, links: Sequence[tuple[str, str]]) -> None:
        self._ports = {name: free_port() for link in links for name in link}
        self._proxies = {edge: LinkProxy(self._ports[above]) for above, edge in links}

    def port(self, name: str) -> int:
        return self._ports[name]

    def upstream(self, edge: str) -> str:
        return f"http://127.0.0.1:{self._proxies[edge].port}"

    def namespace(self, name: str) -> str | None:
        return None

    def run(self, name: str, work: Callable[[], _Result]) -> _Result:
        return work()

    def cut(self, edge: str) -> None:
        self._proxies[edge].cut()

    def mend(self, edge: str) -> None:
        self._proxies[edge].mend()

    def close(self) -> None:
        for proxy in self._proxies.values():
            proxy.close()


class NoNamespaces(Exception):
    """This machine does not let us make network namespaces or TUN devices."""


class Namespaces:
    """Each broker in a network namespace of its own. A link is a pair of TUN devices with a delay each way.

    Where the kernel has netem, it delays; else the process does that moves packets between the two devices. On a link
    that is cut, packets are lost, so nobody is told.

    Each namespace belongs to a thread of this process, since a thread can be in another one than the rest.
    """

    host = "0.0.0.0"

    def __init__(self, links: Sequence[tuple[str, str]], delay: float) -> None:
        self._links = [edge for _, edge in links]
        self._places = {name: ThreadPoolExecutor(1) for link in links for name in link}
        self._devices: list[int] = []
        try:
            for name in self._places:
                self.run(name, _enter_new_network)
            is_delayed = True
            for number, link in enumerate(links):
                for end, name in enumerate(link):
                    is_delayed &= self.run(name, lambda n=number, e=end: self._add_device(n, e, delay))
        except OSError as error:
            self._end_places()
            raise NoNamespaces(str(error)) from error
        self._wires = subprocess.Popen(
            [sys.executable, str(_WIRES), str(0.0 if is_delayed else delay), *map(str, self._devices)],
            stdin=subprocess.PIPE,
            pass_fds=self._devices,
        )

    def port(self, name: str) -> int:
        return _PORT

    def upstream(self, edge: str) -> str:
        return f"http://{_address(self._links.index(edge), 0)}:{_PORT}"

    def namespace(self, name: str) -> str | None:
        return f"/proc/{os.getpid()}/task/{self.run(name, get_native_id)}/ns/net"

    def run(self, name: str, work: Callable[[], _Result]) -> _Result:
        return self._places[name].submit(work).result()

    def cut(self, edge: str) -> None:
        self._say(f"cut {self._links.index(edge)}\n")

    def mend(self, edge: str) -> None:
        self._say(f"mend {self._links.index(edge)}\n")

    def close(self) -> None:
        assert self._wires.stdin is not None
        self._wires.stdin.close()
        self._wires.wait()
        self._end_places()

    def _say(self, line: str) -> None:
        assert self._wires.stdin is not None
        self._wires.stdin.write(line.encode())
        self._wires.stdin.flush()

    def _add_device(self, number: int, end: int, delay: float) -> bool:
        """Add one end of a link to this thread's namespace. Returns whether the kernel delays what it sends."""
        device, name = os.open("/dev/net/tun", os.O_RDWR), f"link{number}"
        self._devices.append(device)
        fcntl.ioctl(device, _TUN_SET_NAME, struct.pack("16sH22x", name.encode(), _TUN | _NO_HEADER))
        _ip("addr", "add", f"{_address(number, end)}/30", "dev", name)
        _ip("link", "set", name, "up")
        netem = ["tc", "qdisc", "add", "dev", name, "root", "netem", "delay", f"{1000 * delay:g}ms"]
        return which("tc") is not None and subprocess.run(netem, capture_output=True, check=False).returncode == 0

    def _end_places(self) -> None:
        for device in self._devices:
            os.close(device)
        for place in self._places.values():
            place.shutdown()


def _enter_new_network() -> None:
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(_NEW_NETWORK):
        number = ctypes.get_errno()
        raise OSError(number, f"no network namespace can be made: {os.strerror(number)}")
    _ip("link", "set", "lo", "up")


def _ip(*words: str) -> None:
    done = subprocess.run(["ip", *words], capture_output=True, text=True, check=False)
    if done.returncode:
        raise OSError(f"ip {' '.join(words)}: {done.stderr.strip()}")


def _address(number: int, end: int) -> str:
    return f"10.77.{number}.{end + 1}"
