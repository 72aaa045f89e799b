"""Wires between TUN devices: ``python tun_wires.py DELAY FD FD …``. Each two descriptors are the ends of one wire.

A packet that comes out of one end goes into the other after DELAY seconds. The lines ``cut N`` and ``mend N`` on the
input break a wire, so that its packets are lost, and mend it. The end of the input ends the process.
"""

import os
import select
import sys
import time
from collections import deque
from contextlib import suppress

_MOST = 65_536


def main() -> None:
    """Pass packets until the input ends."""
    delay, ends = float(sys.argv[1]), [int(one) for one in sys.argv[2:]]
    other = {end: ends[at ^ 1] for at, end in enumerate(ends)}
    wire = {end: at // 2 for at, end in enumerate(ends)}
    cut: set[int] = set()
    held: deque[tuple[float, int, bytes]] = deque()
    while True:
        wait = max(0.0, held[0][0] - time.monotonic()) if held else None
        ready, _, _ = select.select([0, *ends], [], [], wait)
        for end in ready:
            if end == 0:
                said = os.read(0, _MOST).decode().splitlines()
                if not said:
                    return
                for line in said:
                    what, number = line.split()
                    (cut.add if what == "cut" else cut.discard)(int(number))
            else:
                packet = os.read(end, _MOST)
                if wire[end] not in cut:
                    held.append((time.monotonic() + delay, other[end], packet))
        while held and held[0][0] <= time.monotonic():
            _, end, packet = held.popleft()
            with suppress(OSError):  # the device is down
                os.write(end, packet)


if __name__ == "__main__":
    main()
