"""Order codes: integers that represent the cuts of a line, so that arrays compare them exactly."""

from bisect import bisect_left
from collections.abc import Iterable

from rankcast.cover.line import Cut

NO_START = -(2**62)
NO_END = 2**62
_FEW = 32


class OrderCodes:
    """A code for each known cut. Codes have the order of the cuts, for integers of any size, times and strings.

    A new cut gets a code between those of its neighbours. If there is no room, all cuts get new codes: O(cuts log
    cuts), which happens after about 60 cuts in the same place.

    >>> codes = OrderCodes()
    >>> codes.learn([(1, 0), (2**70, 1), (1.5, 0)]), codes[1, 0] < codes[1.5, 0] < codes[2**70, 1]
    (False, True)
    """

    def __init__(self) -> None:
        self._cuts: list[Cut] = []
        self._code_of: dict[Cut, int] = {}

    def __len__(self) -> int:
        return len(self._cuts)

    def __getitem__(self, cut: Cut) -> int:
        return self._code_of[cut]

    def learn(self, cuts: Iterable[Cut]) -> bool:
        """Assign codes to cuts; returns whether the codes of known cuts have changed."""
        new = {cut for cut in cuts if cut not in self._code_of}
        if len(new) <= _FEW and all(self._insert(cut) for cut in sorted(new)):
            return False
        had_codes = bool(self._cuts)
        self._cuts = sorted({*self._cuts, *new})
        step = (NO_END - NO_START) // (len(self._cuts) + 1)
        self._code_of = {cut: NO_START + step * number for number, cut in enumerate(self._cuts, 1)}
        return had_codes

    def _insert(self, cut: Cut) -> bool:
        """Give a cut a code between its neighbours; False if there is no room."""
        place = bisect_left(self._cuts, cut)
        below = self._code_of[self._cuts[place - 1]] if place else NO_START
        above = self._code_of[self._cuts[place]] if place < len(self._cuts) else NO_END
        code = (below + above) // 2
        if code == below:
            return False
        self._cuts.insert(place, cut)
        self._code_of[cut] = code
        return True
