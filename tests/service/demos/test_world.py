"""The ready worlds are whole: real data in a fixed order, people whose wishes it meets."""

import pytest

from rankcast.engine.reference.shard import replay
from rankcast.errors import RankcastError
from rankcast.lab.datasets.packed import read_rows
from rankcast.language import decode_event, encode_event
from rankcast.model import Interval, Membership, Term, Trapezoid, Triangle
from rankcast.service.demos import MARKET, MOVIES, WORLDS, World, world
from rankcast.service.demos.market import FLATS, ITEMS
from rankcast.service.demos.world import DemoRows


@pytest.mark.parametrize("ready", WORLDS.values(), ids=list(WORLDS))
class TestEveryWorld:
    def test_its_people_are_those_it_tells_of(self, ready: World) -> None:
        assert ready.catalog().users() == sorted(ready.people)

    def test_its_events_are_always_the_same_and_can_be_logged(self, ready: World) -> None:
        script = ready.script
        assert script[:50] == [script[number] for number in range(50)]
        for event in script[:200]:
            ready.catalog().check_event(event)
            assert decode_event(encode_event(event)) == event

    def test_its_ids_are_its_own_and_time_goes_on(self, ready: World) -> None:
        events = ready.script[:3000]
        assert len({event.id for event in events}) == 3000
        assert [event.time for event in events] == sorted(event.time for event in events)

    def test_everybody_soon_gets_something_but_not_much(self, ready: World) -> None:
        events = [event.at(number) for number, event in enumerate(ready.script[:1500], 1)]
        sent = replay(ready.catalog(), events)
        for user in ready.people:
            mine = [delivery for delivery in sent if delivery.user == user]
            assert 1 <= len(mine) <= 250, user


def test_the_films_are_all_there_and_mixed() -> None:
    assert len(MOVIES.script) == 58_788
    years = [event.attributes["year"][0] for event in MOVIES.script[:100]]
    assert min(years) < 1950 < 2000 < max(years)


def test_what_an_offer_says_is_true_of_the_number_behind_it() -> None:
    from rankcast.lab.datasets import rentals

    real = {f"flat-{flat.id[:16]}": flat.attributes for flat in rentals(2000)}
    catalog = MARKET.catalog()
    said = {Interval: 0, Term: 0, Triangle: 0}
    for event in MARKET.script[:3000]:
        if event.id not in real:
            continue
        for name, behind in (("rent", "price"), ("size", "size")):
            told, number = event.attributes[name], real[event.id][behind][0]
            if not isinstance(told, tuple):
                said[type(told)] += 1
                meaning: Membership = catalog.membership(name, told) if isinstance(told, Term) else told
                assert meaning.degree(number) >= 0.5, event
    assert min(said.values()) > 50


def test_the_market_has_as_many_offers_as_it_says() -> None:
    assert sum(1 for _ in read_rows("rentals.csv.gz")) == FLATS
    assert sum(1 for _ in read_rows("auction_items.csv.gz")) == ITEMS
    assert len(MARKET.script) == FLATS + ITEMS


def test_rows_are_read_as_far_as_they_are_asked_for_and_stay() -> None:
    asked = []
    rows = DemoRows((asked.append(number) or number for number in range(100)), 100)
    assert rows[3:5] == [3, 4]
    assert asked == [0, 1, 2, 3, 4]
    assert (rows[0], rows[4], len(rows), len(asked)) == (0, 4, 100, 5)
    assert rows[-1] == 99
    with pytest.raises(IndexError):
        rows[100]


def test_the_market_uses_real_columns_and_says_what_is_made() -> None:
    from rankcast.lab.datasets import auction_items

    asked = {f"item-{item.id[:16]}": item.attributes["first_bid"][0] for item in auction_items(1000)}
    items = [event for event in MARKET.script[:3000] if event.id in asked]
    assert len(items) > 900
    open_ended = 0
    for item in items:
        assert not {"bids", "first_bid"} & set(item.attributes)  # bids and present prices were generated
        price = item.attributes["price"]
        open_ended += isinstance(price, Trapezoid)
        assert price == (asked[item.id],) or (isinstance(price, Trapezoid) and price.degree(asked[item.id]) == 1)
    assert open_ended == pytest.approx(len(items) / 4, rel=0.2)
    assert "generated and are not used" in MARKET.data
    assert "made up: three in eight flats" in MARKET.data


def test_an_unknown_world_is_refused_with_what_there_is() -> None:
    with pytest.raises(RankcastError, match="did you mean 'movies'"):
        world("movie")
    with pytest.raises(RankcastError, match="there are movies, market"):
        world("atlantis")
