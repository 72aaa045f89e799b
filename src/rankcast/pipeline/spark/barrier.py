"""Messages between the tasks of a barrier stage, which run at the same time.

Spark's own `allGather` takes a second each time. So it is used once, to tell all tasks where the first one listens.
"""

import secrets
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from multiprocessing.connection import Client, Listener

import msgspec
from pyspark import BarrierTaskContext


@contextmanager
def joined_tasks(tasks: int) -> Iterator[Callable[[bytes], list[bytes]]]:
    """A function that every task calls with a message; in each task it returns the messages of all.

    If a task fails, the others fail too, and Spark repeats the stage.
    """
    if tasks == 1:
        yield lambda message: [message]
        return
    context = BarrierTaskContext.get()
    with ExitStack() as opened:
        if context.partitionId() == 0:
            host = context.getTaskInfos()[0].address.rpartition(":")[0].strip("[]")
            key = secrets.token_bytes(32)
            with Listener((host, 0), backlog=tasks, authkey=key) as listener:
                context.allGather(f"{listener.address[0]} {listener.address[1]} {key.hex()}")
                others = [opened.enter_context(listener.accept()) for _ in range(tasks - 1)]

            def gather(message: bytes) -> list[bytes]:
                found = [message, *(one.recv_bytes() for one in others)]
                for one in others:
                    one.send_bytes(msgspec.msgpack.encode(found))
                return found

        else:
            host, port, word = context.allGather("")[0].split()
            first = opened.enter_context(Client((host, int(port)), authkey=bytes.fromhex(word)))

            def gather(message: bytes) -> list[bytes]:
                first.send_bytes(message)
                return msgspec.msgpack.decode(first.recv_bytes(), type=list[bytes])

        yield gather
