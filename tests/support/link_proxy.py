"""A proxy on loopback in the place of a network: it can cut connections."""

import asyncio
import socket
from contextlib import suppress
from threading import Thread

__all__ = ["LinkProxy"]


class LinkProxy:
    """Passes connections to a port of this machine."""

    def __init__(self, target: int) -> None:
        self._target = target
        self._is_cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        asyncio.run_coroutine_threadsafe(asyncio.start_server(self._pass, sock=self._socket), self._loop).result()

    def cut(self) -> None:
        """End all connections, and refuse new ones until `mend`."""
        self._is_cut = True
        self._loop.call_soon_threadsafe(lambda: [writer.transport.abort() for writer in self._writers])

    def mend(self) -> None:
        """Let connections pass again."""
        self._is_cut = False

    def close(self) -> None:
        """End the proxy."""
        self.cut()
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._socket.close()

    async def _pass(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._writers.add(writer)
        try:
            if self._is_cut:
                return
            there, back = await asyncio.open_connection("127.0.0.1", self._target)
            self._writers.add(back)
            try:
                ways = [asyncio.create_task(self._copy(*way)) for way in ((reader, back), (there, writer))]
                await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
                for way in ways:
                    way.cancel()
            finally:
                back.transport.abort()
                self._writers.discard(back)
        except OSError:
            pass
        finally:
            writer.transport.abort()
            self._writers.discard(writer)

    async def _copy(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with suppress(OSError):
            while chunk := await reader.read(65_536):
                writer.write(chunk)
                await writer.drain()
