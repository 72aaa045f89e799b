"""The pipeline over a store in PostgreSQL, which goes away and comes back."""

import socket
import threading
from contextlib import suppress

import pytest

from rankcast.errors import StoreError
from rankcast.pipeline.spark import serve_store
from rankcast.pipeline.spark.failures import wait_for
from rankcast.store import Store


class Line:
    """A line to a server that can be cut and mended: passes on what comes to its own port."""

    def __init__(self, port: int) -> None:
        self._target = port
        self._sockets: list[socket.socket] = []
        self._server = socket.create_server(("127.0.0.1", 0))
        self.port: int = self._server.getsockname()[1]
        self.mend()

    def mend(self) -> None:
        if self._server.fileno() < 0:
            self._server = socket.create_server(("127.0.0.1", self.port))
        threading.Thread(target=self._accept, args=(self._server,), daemon=True).start()

    def cut(self) -> None:
        for each in (self._server, *self._sockets):
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)
            each.close()
        self._sockets.clear()

    def _accept(self, server: socket.socket) -> None:
        while True:
            try:
                client, _ = server.accept()
            except OSError:
                return
            there = socket.create_connection(("127.0.0.1", self._target))
            self._sockets += [client, there]
            for pair in ((client, there), (there, client)):
                threading.Thread(target=self._pass_on, args=pair, daemon=True).start()

    def _pass_on(self, source: socket.socket, sink: socket.socket) -> None:
        try:
            while data := source.recv(65536):
                sink.sendall(data)
            sink.shutdown(socket.SHUT_WR)
        except OSError:
            return


def test_the_database_goes_away_and_comes_back(spark, postgresql, tmp_path, world):
    line = Line(postgresql.port)
    with postgresql.place() as url, Store.create(url) as store:
        through = url.replace(f":{postgresql.port}/", f":{line.port}/")
        store.change(put=list(world.records()))
        store.publish(world.events(30))
        query = serve_store(spark, through, tmp_path / "checkpoint", shards=2, trigger="100 milliseconds")
        while store.progress().offset < 30:
            wait_for(query, 0.1)
        line.cut()
        store.publish(world.events(30, first=30))
        with pytest.raises(StoreError, match=r"no connection to the store 'postgresql://rankcast:\*\*\*@") as caught:
            wait_for(query)
        assert "not-to-be-shown" not in str(caught.value)
        line.mend()
        query = serve_store(spark, through, tmp_path / "checkpoint", shards=2, trigger=None, close=True)
        wait_for(query)
        assert world.delivered(store) == world.expected(store)
    line.cut()
