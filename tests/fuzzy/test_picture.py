"""Pictures of concepts: one line per concept, on the axis they were mined on."""

from random import Random

import pytest

from rankcast.fuzzy import NumberSummary, mine
from rankcast.fuzzy.picture import concepts_figure


@pytest.mark.parametrize(("skewed", "scale"), [(True, "log"), (False, "linear")])
def test_a_line_for_each_concept(skewed, scale):
    random = Random(1)
    numbers = [random.lognormvariate(5, 1) if skewed else random.uniform(-5, 5) for _ in range(1_000)]
    mined = mine(NumberSummary.of("price", numbers))
    (axes,) = concepts_figure(mined, "prices").axes
    assert len(axes.lines) == len(mined.concepts)
    assert [text.get_text().split("\n")[0] for text in axes.texts] == [concept.name for concept in mined.concepts]
    assert axes.get_xscale() == scale


def test_a_constant_can_be_drawn():
    (axes,) = concepts_figure(mine(NumberSummary.of("x", [3] * 10))).axes
    assert len(axes.lines) == 0
