"""What the demo says of one user."""

import pytest

from rankcast.cli.installation.digest_view import DemoDigest
from rankcast.engine.reference.shard import replay
from rankcast.language import decode_event, decode_record
from rankcast.model import Catalog, Event

GENRES = ["comedy", "comedy", "drama", "comedy", "drama"]


@pytest.fixture
def digest() -> DemoDigest:
    films: list[Event] = [
        decode_event({"id": f"e{n}", "time": f"2004-02-13T20:0{n}:00Z", "attributes": {"genre": genre}}).at(n)
        for n, genre in enumerate(GENRES, 1)
    ]
    catalog = Catalog(
        [
            decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "genre = 'comedy'", "score": 1}),
            decode_record(
                {"kind": "subscription", "id": "s2", "user": "ann", "where": "genre = 'drama'", "score": 0.5}
            ),
            decode_record({"kind": "policy", "user": "ann", "mode": "periodic", "k": 2, "length": 5, "sigma": 0}),
        ]
    )
    return DemoDigest(
        "ann", catalog, {film.id: film for film in films}, [film.id for film in films], replay(catalog, films)
    )


def test_figures(digest: DemoDigest) -> None:
    assert digest.summary() == {
        "user": "ann",
        "mode": "periodic",
        "matched": 5,
        "delivered": 2,
        "share": 0.4,
        "mean_rank": 0.75,
        "diversity_matched": 0.75,  # of neighbours: 0, 1, 1, 1
        "diversity": 1.0,
    }


def test_the_last_few(digest: DemoDigest) -> None:
    assert [delivery.event for delivery in digest.last()] == ["e4", "e5"]


def test_nothing_matched(digest: DemoDigest) -> None:
    empty = DemoDigest("bob", digest.catalog, digest.films, [], [])
    assert empty.summary() == {
        "user": "bob",
        "mode": "all",
        "matched": 0,
        "delivered": 0,
        "share": 0.0,
        "mean_rank": 0.0,
        "diversity_matched": 0.0,
        "diversity": 0.0,
    }
