"""``rankcast demo``: publish 58,788 films to twelve users, and show the few films that each of them gets."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import Json
from rankcast.cli.output import Output
from rankcast.cli.sparks import deliveries_of, spark_session
from rankcast.extras import installation, is_installed, require

if TYPE_CHECKING:
    from rankcast.cli.installation.digest_view import DemoDigest
    from rankcast.model import Catalog, Delivery, Event

FILMS = 58_788


def demo(
    limit: Annotated[int, typer.Option(min=1, max=FILMS, metavar="N", help="Publish only the first N films.")] = FILMS,
    json: Json = False,
) -> None:
    """Publish 58,788 films through Spark to twelve users with different tastes, and show what each user gets.

    Takes about a minute, needs Java (see rankcast doctor), and stores nothing. Where Spark is not installed, the engine
    in this process serves the films.

    Example:

      rankcast demo
      rankcast demo --limit 5000 --json
    """
    require("demo")
    from rankcast.cli.installation import digest_view
    from rankcast.language import encode_delivery

    out = Output(json)
    begin = perf_counter()
    digests = _digests(limit, out)
    seconds = perf_counter() - begin
    if json:
        for digest in digests:
            record = {**digest.summary(), "last": [encode_delivery(one) for one in digest.last()]}
            out.record(record)
        return
    digest_view.show(digests, limit, seconds, out)


def _digests(limit: int, out: Output) -> "list[DemoDigest]":
    """The digests of all users."""
    from rankcast.cli.installation.digest_view import DemoDigest
    from rankcast.lab.datasets import demo_catalog, movies

    catalog = demo_catalog()
    on_spark = is_installed("spark")
    if not on_spark:
        out.say(f"Spark is not installed, so the demo runs in this process; for Spark, run: {installation('spark')}")
    films = {film.id: film for film in movies(limit)}
    deliveries, matched = (_on_spark if on_spark else _in_process)(catalog, list(films.values()), out)
    return [
        DemoDigest(
            user=user,
            catalog=catalog,
            films=films,
            matched=sorted(event for owner, event in matched if owner == user),
            deliveries=[delivery for delivery in deliveries if delivery.user == user],
        )
        for user in catalog.users()
    ]


def _on_spark(catalog: "Catalog", films: "list[Event]", out: Output) -> "tuple[list[Delivery], set[tuple[str, str]]]":
    """The deliveries in order, and the (user, event) pairs that match."""
    from rankcast.lab.datasets import movies_table
    from rankcast.pipeline.spark import deliver, match

    with spark_session(out, f"publishing {len(films):,} films to {len(catalog.users())} users") as (session, stage):
        frame = session.createDataFrame(movies_table()[: len(films)])
        sent = deliver(frame, catalog).toArrow().to_pylist()
        stage("counting what would have been sent without ranking")
        matched = match(frame, catalog).select("user", "event").distinct().toArrow().to_pylist()
    return deliveries_of(sent), {(row["user"], row["event"]) for row in matched}


def _in_process(catalog: "Catalog", films: "list[Event]", out: Output) -> "tuple[list[Delivery], set[tuple[str, str]]]":
    """The same, by the engine in this process."""
    from rankcast.cli.files.engines import match_all, replay_all

    deliveries = replay_all(None, catalog, films, out)
    return deliveries, {(one.user, one.event) for one in match_all(None, catalog, films, out)}
