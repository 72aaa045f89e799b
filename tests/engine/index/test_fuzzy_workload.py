"""The index against plain evaluation on apartments, wishes in mined words, and publications that know less or more."""

from random import Random

import pytest

from rankcast.engine.index import IndexMatcher
from rankcast.fuzzy import NumberSummary, mine
from rankcast.lab.datasets import listings
from rankcast.language import parse
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, Gaussian, Interval, Norm, Subscription, Term

ATTRIBUTES = ("price", "size", "distance")


def mined(flats) -> Catalog:
    found = []
    for attribute in ATTRIBUTES:
        found += mine(NumberSummary.of(attribute, [flat.attributes[attribute][0] for flat in flats])).concepts
    return Catalog(found)


def wish(random: Random, catalog: Catalog) -> str:
    def part() -> str:
        concept = random.choice(list(catalog.concepts.values()))
        hedges = random.choice(["", "", "", "not ", "very ", "somewhat ", "not very "])
        thresholds = random.choice(["", " [0.8, 0]", " [0.3, 0.3]", " [0, 0.6]", " [1, 0]"])
        return f"{concept.attribute} is {hedges}{concept.name}{thresholds}"

    city = f"city = '{random.choice(['warszawa', 'krakow', 'gdynia'])}'"
    crisp = f"price <= {random.randint(3, 12)}00000{random.choice(['', ' [1, 0]', ' [1, 0.5]'])}"
    return random.choice(
        [
            part(),
            f"{part()} and {city}",
            f"{part()} and {part()} and {crisp}",
            f"({part()} and {city}) or ({part()} and {crisp})",
            f"({part()} or {part()}) and ({city} or {crisp})",
            f"{city} and not ({part()})",
        ]
    )


def published(random: Random, flat: Event, catalog: Catalog) -> Event:
    attributes = dict(flat.attributes)
    for name in ATTRIBUTES:
        x = attributes[name][0]
        words = [concept.name for concept in catalog.concepts.values() if concept.attribute == name]
        attributes[name] = random.choice(
            [(x,), (x,), (x,), Interval(0.9 * x, 1.1 * x), Gaussian(x, 0.1 * x + 1), Term(random.choice(words))]
        )
    return Event(flat.id, flat.time, attributes)


@pytest.mark.parametrize("norm", Norm)
def test_equal_on_a_random_workload(norm):
    random = Random(norm.value)
    flats = list(listings(limit=1_000))
    catalog = mined(flats)
    wishes = [Subscription(f"s{i}", "u", parse(wish(random, catalog))) for i in range(150)]
    settings = {
        "meaning_of": lambda user: catalog.membership,
        "norm_of": lambda user: norm,
        "shared": catalog.membership,
    }
    oracle, index = OracleMatcher(wishes, **settings), IndexMatcher(wishes, **settings)
    matches = 0
    for flat in flats[:40]:
        event = published(random, flat, catalog)
        expected = list(oracle.match(event))
        assert list(index.match(event)) == expected
        matches += len(expected)
    assert matches > 500
