"""Trees of brokers, and their names."""

import pytest

from rankcast.errors import ModelError
from rankcast.overlay import Tree, parse_topology


def test_the_paper_s_chain() -> None:
    tree = parse_topology("chain:10x5")
    assert len(tree.brokers) == 1 + 10 + 50
    assert len(tree.leaves) == 51
    assert tree.path("edge10.5", "publisher") == [
        "edge10.5", "core10", "core9", "core8", "core7", "core6", "core5", "core4", "core3", "core2", "core1", "publisher"
    ]  # fmt: skip


def test_other_forms() -> None:
    assert parse_topology("star:2").links == (("core", "edge1"), ("core", "edge2"))
    assert len(parse_topology("tree:3x2").brokers) == 1 + 3 + 9
    assert parse_topology("b1-b2,b2-b3").brokers == ("b1", "b2", "b3")


@pytest.mark.parametrize("text", ["chain", "chain:0x5", "chain:axb", "star:0", "ring:5", "b1-b2-b3", ""])
def test_what_is_no_topology(text: str) -> None:
    with pytest.raises(ModelError, match="use chain:10x5"):
        parse_topology(text)


def test_what_is_no_tree() -> None:
    with pytest.raises(ModelError, match="cycle"):
        parse_topology("a-b,b-c,c-a")
    with pytest.raises(ModelError, match="only 2 of 4"):
        parse_topology("a-b,c-d")
    with pytest.raises(ModelError, match="at least one"):
        Tree([])
    with pytest.raises(ModelError, match="no broker 'x'"):
        Tree([], ["a"]).towards("x")
