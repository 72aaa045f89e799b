"""A layered graph layout with few crossing lines."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

GAP, DROP, MARGIN = 20.0, 58.0, 10.0
_SWEEPS = 6


@dataclass(frozen=True, slots=True)
class Box:
    """A box with its size, its layer, and its `children` in lower layers."""

    key: str
    layer: int
    width: float
    height: float
    children: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Placement:
    """The upper left corner of each box, and the size of the drawing."""

    at: Mapping[str, tuple[float, float]]
    boxes: Mapping[str, Box]
    width: float
    height: float

    def line(self, upper: str, lower: str) -> str:
        """The SVG path of a curve from the bottom of a box to the top of a lower one."""
        (left, top), (x2, y2) = self.at[upper], self.at[lower]
        x1, y1 = left + self.boxes[upper].width / 2, top + self.boxes[upper].height
        x2 += self.boxes[lower].width / 2
        bend = (y2 - y1) / 2
        return f"M {x1:.1f} {y1:.1f} C {x1:.1f} {y1 + bend:.1f}, {x2:.1f} {y2 - bend:.1f}, {x2:.1f} {y2:.1f}"


def layered(boxes: Sequence[Box], page: float = 1000.0, top: float = 0.0) -> Placement:
    """Place boxes layer by layer, below `top`. Unconnected parts are side by side, and wrap at the width of the page.

    Each box is placed near the middle of its neighbours. A few passes of O(boxes + lines).
    """
    by_key = {box.key: box for box in boxes}
    at: dict[str, tuple[float, float]] = {}
    x, y, bottom, widest = MARGIN, MARGIN + top, MARGIN + top, 0.0
    for part in _parts(boxes):
        inner, width, height = _placed([by_key[key] for key in part])
        if x > MARGIN and x + width > page:
            x, y = MARGIN, bottom + GAP
        at.update({key: (x + px, y + py) for key, (px, py) in inner.items()})
        x += width + GAP
        bottom = max(bottom, y + height)
        widest = max(widest, x - GAP)
    return Placement(at, by_key, widest + MARGIN, bottom + MARGIN)


def _parts(boxes: Sequence[Box]) -> list[list[str]]:
    """The connected parts, largest first."""
    part_of = {box.key: [box.key] for box in boxes}
    for box in boxes:
        for child in box.children:
            one, other = part_of[box.key], part_of[child]
            if one is not other:
                one += other
                for moved in other:
                    part_of[moved] = one
    order = {box.key: number for number, box in enumerate(boxes)}
    parts = {id(part): part for part in part_of.values()}.values()
    return sorted(parts, key=lambda part: (-len(part), min(order[key] for key in part)))


def _placed(part: list[Box]) -> tuple[dict[str, tuple[float, float]], float, float]:
    rows: dict[int, list[Box]] = {}
    for box in part:
        rows.setdefault(box.layer, []).append(box)
    _order(rows, part)
    lefts: dict[str, float] = {}
    for layer in sorted(rows, reverse=True):
        _spread(rows[layer], lefts, {box.key: box for box in part})
    start = min(lefts.values())
    at: dict[str, tuple[float, float]] = {}
    y = 0.0
    for layer in sorted(rows):
        at.update({box.key: (lefts[box.key] - start, y) for box in rows[layer]})
        y += max(box.height for box in rows[layer]) + DROP
    width = max(lefts[box.key] - start + box.width for box in part)
    return at, width, y - DROP


def _spread(row: list[Box], lefts: dict[str, float], boxes: Mapping[str, Box]) -> None:
    """Place a row: each box above the middle of its children, as far as there is room."""
    x = -(sum(box.width for box in row) + GAP * (len(row) - 1)) / 2
    packed: list[float] = []
    for box in row:
        packed.append(x)
        x += box.width + GAP
    wanted: list[float | None] = []
    for box in row:
        middles = [lefts[child] + boxes[child].width / 2 for child in box.children]
        wanted.append(sum(middles) / len(middles) - box.width / 2 if middles else None)
    shifts = [want - pack for want, pack in zip(wanted, packed, strict=True) if want is not None]
    shift = sum(shifts) / len(shifts) if shifts else 0.0
    aims = [pack + shift if want is None else want for want, pack in zip(wanted, packed, strict=True)]
    placed: list[float] = []
    for aim in aims:
        before = placed[-1] + row[len(placed) - 1].width + GAP if placed else aim
        placed.append(max(aim, before))
    back = sum(aim - left for aim, left in zip(aims, placed, strict=True)) / len(row)
    lefts.update({box.key: left + back for box, left in zip(row, placed, strict=True)})


def _order(rows: dict[int, list[Box]], boxes: list[Box]) -> None:
    linked: dict[str, list[str]] = {box.key: list(box.children) for box in boxes}
    for box in boxes:
        for child in box.children:
            linked[child].append(box.key)
    first = {box.key: number for number, box in enumerate(boxes)}
    place = {box.key: number / len(row) for row in rows.values() for number, box in enumerate(row)}

    def middle(box: Box) -> float:
        around = linked[box.key]
        return sum(place[key] for key in around) / len(around) if around else place[box.key]

    for sweep in range(_SWEEPS):
        for layer in sorted(rows, reverse=bool(sweep % 2)):
            rows[layer].sort(key=lambda box: (middle(box), first[box.key]))
            for number, box in enumerate(rows[layer]):
                place[box.key] = (number + 0.5) / len(rows[layer])
