"""Mining: every number belongs somewhere, resampling changes little, and poor data is answered with a reason."""

import math
from random import Random

import pytest

from rankcast.errors import ModelError
from rankcast.fuzzy import NumberSummary, degree, mine, numbers_asked_for
from rankcast.lab.datasets import listings_table
from rankcast.language import parse


@pytest.fixture(scope="module")
def flats():
    table = listings_table()
    return {name: table.column(name).to_pylist() for name in ("price", "size")}


@pytest.mark.parametrize(
    ("attribute", "names"),
    [("price", ["cheap", "fair", "expensive", "luxurious"]), ("size", ["small", "medium", "large", "huge"])],
)
def test_every_flat_belongs_to_some_concept(flats, attribute, names):
    mined = mine(NumberSummary.of(attribute, flats[attribute]))
    assert [concept.name for concept in mined.concepts] == names
    assert sum(cluster.count for cluster in mined.clusters) == 50_000
    for x in {*flats[attribute], 0, 1e9}:
        assert max(degree(concept.membership, (), x) for concept in mined.concepts) >= 0.5


@pytest.mark.parametrize("attribute", ["price", "size"])
def test_resampling_changes_little(flats, attribute):
    whole = mine(NumberSummary.of(attribute, flats[attribute]))
    borders = [cluster.high for cluster in whole.clusters[:-1]]
    random = Random(6)
    for rows in (50_000, 50_000, 5_000, 5_000, 5_000):
        again = mine(NumberSummary.of(attribute, random.choices(flats[attribute], k=rows)))
        assert [concept.name for concept in again.concepts] == [concept.name for concept in whole.concepts]
        for border, cluster in zip(borders, again.clusters, strict=False):
            assert cluster.high == pytest.approx(border, rel=0.05)


def test_new_data_is_added_without_the_old(flats):
    prices = flats["price"]
    first, later = NumberSummary.of("price", prices[:20_000]), NumberSummary.of("price", prices[20_000:])
    added, whole = mine(first.merged(later)), mine(NumberSummary.of("price", prices))
    for one, other in zip(added.concepts, whole.concepts, strict=True):
        assert one.name == other.name
        for ours, theirs in zip(one.membership.points(), other.membership.points(), strict=True):
            assert ours == pytest.approx(theirs, rel=0.01)


def test_groups_apart_are_found_as_they_are():
    random = Random(1)
    for groups in (2, 3, 4, 5):
        numbers = [random.gauss(100 * group, 3) for group in range(1, groups + 1) for _ in range(200)]
        assert len(mine(NumberSummary.of("x", numbers)).concepts) == groups


def test_outliers_do_not_matter():
    random = Random(2)
    body = [random.gauss(100, 15) for _ in range(2_000)]
    plain, spoilt = mine(NumberSummary.of("x", body)), mine(NumberSummary.of("x", [*body, 1e12, 1e15, *[None] * 500]))
    assert len(plain.concepts) == len(spoilt.concepts)
    assert [cluster.high for cluster in spoilt.clusters[:-1]] == pytest.approx(
        [cluster.high for cluster in plain.clusters[:-1]], rel=0.03
    )


@pytest.mark.parametrize(
    ("numbers", "reason"),
    [
        ([], "0 numbers of 'x'"),
        ([None, math.nan] * 10, "0 numbers of 'x'"),
        ([1, 2, 3], "3 numbers of 'x' are known; it takes at least 5"),
        ([7] * 100, "all numbers of 'x' are the same"),
    ],
)
def test_poor_data_is_answered_with_a_reason(numbers, reason):
    mined = mine(NumberSummary.of("x", numbers))
    assert mined.concepts == ()
    assert reason in mined.reason


@pytest.mark.parametrize("numbers", [[1, 1, 1, 1, 2], [0, 0, 0, 0, 0, 0, 0, 5], [1, 2, 3, 4, 5], [-1, 0, 1, 1e-300, 5]])
def test_few_numbers_are_enough(numbers):
    concepts = mine(NumberSummary.of("x", numbers)).concepts
    assert len(concepts) >= 2
    assert all(max(degree(concept.membership, (), x) for concept in concepts) >= 0.5 for x in numbers)


def test_nearly_constant():
    concepts = mine(NumberSummary.of("x", [0] * 1_000 + [1, 2])).concepts
    assert [degree(concept.membership, (), 0) for concept in concepts][:2] == [1, 0]
    assert degree(concepts[-1].membership, (), 2) == 1


def test_count_and_names_may_be_given():
    numbers = [Random(5).gauss(0, 1) for _ in range(50)] + list(range(50))
    assert len(mine(NumberSummary.of("x", numbers), count=6).concepts) == 6
    named = mine(NumberSummary.of("x", numbers), names=["cold", "warm"])
    assert [concept.name for concept in named.concepts] == ["cold", "warm"]
    assert "only 2 numbers" in mine(NumberSummary.of("x", [1, 1, 1, 2, 2]), count=3).reason
    with pytest.raises(ModelError, match="fewer than 2"):
        mine(NumberSummary.of("x", numbers), count=1)


def test_numbers_that_subscriptions_ask_for():
    wheres = [
        parse("price <= 1500 or (price > 900 and not (price in (5, 'a', 7)))"),
        parse("price between 1 and 2 and price != 3 and price is cheap"),
        parse("size = 40 and price exists and price = true"),
    ]
    assert numbers_asked_for(wheres, "price") == [1500, 900, 5, 7, 1, 2]
