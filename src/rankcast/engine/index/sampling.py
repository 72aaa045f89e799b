"""Recent events, by which a compaction chooses keys."""

from collections import deque
from collections.abc import Sequence

import numpy as np

from rankcast.engine.index.building import Sampler
from rankcast.engine.index.spaces import AttributeSpace
from rankcast.engine.index.statistics import Sample
from rankcast.model import Event

_KEPT = 1000


class RecentEvents:
    """The last thousand events."""

    def __init__(self) -> None:
        self._events: deque[Event] = deque(maxlen=_KEPT)

    def add(self, events: Sequence[Event]) -> None:
        """Remember these events, or the last of them if there are many."""
        self._events.extend(events[-_KEPT:])

    def sampler(self) -> Sampler | None:
        """An encoder of their crisp values; None if there were no events."""
        events = list(self._events)
        if not events:
            return None

        def sample(names: Sequence[str], spaces: Sequence[AttributeSpace]) -> Sample:
            numbers = {name: number for number, name in enumerate(names) if name}
            found = [
                (number, code)
                for event in events
                for name, values in event.attributes.items()
                if (number := numbers.get(name)) is not None and isinstance(values, tuple)
                for code in spaces[number].codes(values)
            ]
            columns = np.array(found, np.int32).reshape(-1, 2)
            return Sample(columns[:, 0], columns[:, 1], len(events))

        return sample
