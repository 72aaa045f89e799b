from hypothesis import given
from hypothesis import strategies as st

from rankcast.cover.layered_layout import GAP, Box, layered


@st.composite
def graphs(draw: st.DrawFn) -> list[Box]:
    layers = draw(st.lists(st.integers(1, 5), min_size=1, max_size=4))
    keys = [[f"{layer}.{number}" for number in range(count)] for layer, count in enumerate(layers)]
    boxes = []
    for layer, row in enumerate(keys):
        below = keys[layer + 1] if layer + 1 < len(keys) else []
        for key in row:
            children = draw(st.lists(st.sampled_from(below), unique=True)) if below else []
            boxes.append(Box(key, layer, draw(st.floats(20, 200)), draw(st.floats(20, 90)), tuple(children)))
    return boxes


@given(graphs())
def test_boxes_never_overlap_and_lie_on_the_page(boxes: list[Box]) -> None:
    placed = layered(boxes)
    for number, one in enumerate(boxes):
        x, y = placed.at[one.key]
        assert x >= 0
        assert y >= 0
        assert x + one.width <= placed.width + 1e-6
        assert y + one.height <= placed.height + 1e-6
        for other in boxes[:number]:
            ox, oy = placed.at[other.key]
            beside = x >= ox + other.width - 1e-6 or ox >= x + one.width - 1e-6
            assert beside or y >= oy + other.height - 1e-6 or oy >= y + one.height - 1e-6


@given(graphs())
def test_what_is_above_is_drawn_above(boxes: list[Box]) -> None:
    placed = layered(boxes)
    for box in boxes:
        for child in box.children:
            assert placed.at[child][1] >= placed.at[box.key][1] + box.height


def test_a_parent_stands_over_the_middle_of_its_children() -> None:
    boxes = [Box("a", 0, 40, 20, ("b", "c")), Box("b", 1, 40, 20), Box("c", 1, 40, 20)]
    placed = layered(boxes)
    assert placed.at["a"][0] == (placed.at["b"][0] + placed.at["c"][0]) / 2
    assert placed.at["c"][0] - placed.at["b"][0] == 40 + GAP


def test_parts_without_lines_stand_beside_and_then_below() -> None:
    boxes = [Box(str(number), 0, 100, 20) for number in range(5)]
    rows = {placed_y for _, placed_y in layered(boxes, page=260).at.values()}
    assert len(rows) == 3
