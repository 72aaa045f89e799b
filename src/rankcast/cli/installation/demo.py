"""``rankcast demo``: publish 58,788 films to twelve users, and show the few films that each of them gets."""

from time import perf_counter
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.options import Json
from rankcast.cli.output import Output
from rankcast.cli.sparks import silenced

if TYPE_CHECKING:
    from rankcast.cli.installation.digest import DemoDigest

__all__ = ["demo"]

FILMS = 58_788


def demo(
    limit: Annotated[int, typer.Option(min=1, max=FILMS, metavar="N", help="Publish only the first N films.")] = FILMS,
    json: Json = False,
) -> None:
    """Publish 58,788 films through Spark to twelve users with different tastes, and show what each user gets.

    Takes about a minute, needs Java (see rankcast doctor), and stores nothing.

    Example:

      rankcast demo
      rankcast demo --limit 5000 --json
    """
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
    """The digests of all users, computed on Spark."""
    from rankcast.cli.installation.digest import DemoDigest
    from rankcast.lab.datasets import demo_catalog, movies, movies_table
    from rankcast.model import Delivery
    from rankcast.pipeline.spark import deliver, local_session, match

    catalog = demo_catalog()
    with silenced(), out.working("starting Spark") as stage:
        session = local_session()
        stage(f"publishing {limit:,} films to {len(catalog.users())} users")
        frame = session.createDataFrame(movies_table()[:limit])
        sent = deliver(frame, catalog).toArrow().to_pylist()
        stage("counting what would have been sent without ranking")
        matched = match(frame, catalog).select("user", "event").distinct().toArrow().to_pylist()
        stage("preparing the digests")
        films = {film.id: film for film in movies(limit)}
    deliveries = sorted(
        (Delivery(**{**row, "subscriptions": tuple(row["subscriptions"])}) for row in sent),
        key=lambda delivery: delivery.order,
    )
    return [
        DemoDigest(
            user=user,
            catalog=catalog,
            films=films,
            matched=sorted(row["event"] for row in matched if row["user"] == user),
            deliveries=[delivery for delivery in deliveries if delivery.user == user],
        )
        for user in catalog.users()
    ]
