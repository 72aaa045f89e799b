"""What pruning must keep: the point up to which each log may be pruned, and the earlier rows that must stay."""

from typing import NamedTuple

from sqlalchemy import ColumnElement, Connection, exists, func, or_, select

from rankcast.store import pipelines, schema
from rankcast.store.broker_log import needed_by_neighbours
from rankcast.store.pipelines import SPARK
from rankcast.store.push.digest_log import digests, schedules
from rankcast.store.push.webhook_log import DELIVERY, DIGEST, webhooks
from rankcast.store.push.webhook_messages import messages
from rankcast.store.schema import deliveries, events
from rankcast.store.set_aside import set_aside
from rankcast.store.sql import LAST_START, mark_of
from rankcast.store.state_pages import needed_by_pages


class Needs(NamedTuple):
    """The last event, delivery and catalog version that may be pruned, with everything before them."""

    event: int
    delivery: int
    version: int


def needs(connection: Connection) -> Needs:
    """The points up to which the logs may be pruned.

    Cost: a scan of the schedules, the webhooks, and the deliveries that wait for them.
    """
    progress = connection.execute(select(schema.progress)).one()
    served = pipelines.present(connection)
    event, version = progress.event_offset, progress.catalog_version - 1
    if served is not None and served.engine == SPARK:
        # Spark may repeat its last micro-batch, and its journal refers to versions that the store does not know.
        start = mark_of(connection, LAST_START)
        event = min(event, served.start_offset if served.last_batch < 0 or start is None else start)
        version = min(version, max(served.start_version, 0) - 1)
    pages = needed_by_pages(connection)
    if pages is not None and (served is None or served.engine != SPARK or served.last_batch <= 0):
        event, version = min(event, pages[0] - 1), min(version, pages[1] - 1)
    gathered = connection.execute(
        select(
            func.min(schedules.c.offset_reached),
            func.min(schedules.c.catalog_version),
            func.min(schedules.c.delivery_reached),
        )
    ).one()
    awaited = exists().where(
        webhooks.c.active,
        webhooks.c.wants_digests,
        webhooks.c.user_id == digests.c.user_id,
        webhooks.c.digest_reached < digests.c.number,
    )
    tried = exists().where(messages.c.type == DIGEST, messages.c.number == digests.c.number)
    sent_from = select(func.min(webhooks.c.delivery_reached)).where(
        webhooks.c.active, or_(webhooks.c.wants_deliveries.is_(None), webhooks.c.wants_deliveries)
    )
    digest_from = select(func.min(digests.c.delivery_after)).where(digests.c.delivered > 0, or_(awaited, tried))
    waiting_version = connection.execute(
        select(func.min(set_aside.c.catalog_version)).where(set_aside.c.served_at.is_(None))
    ).scalar()
    last = connection.execute(select(func.max(deliveries.c.number))).scalar() or 0
    sent = [gathered[2], connection.execute(sent_from).scalar(), connection.execute(digest_from).scalar()]
    delivery = min(_given([last, *sent]))
    # Every message still to be sent shows its event.
    shown = select(func.min(deliveries.c.seq)).where(deliveries.c.number > delivery)
    first = connection.execute(shown).scalar() if delivery < last else None
    return Needs(
        event=min(_given([event, gathered[0], _before(first), needed_by_neighbours(connection)])),
        delivery=delivery,
        version=min(_given([version, _before(gathered[1]), _before(waiting_version)])),
    )


def is_delivery_held() -> ColumnElement[bool]:
    """A condition on deliveries: a message about the delivery failed and will or may be sent again."""
    return deliveries.c.number.in_(select(messages.c.number).where(messages.c.type == DELIVERY))


def is_event_held() -> ColumnElement[bool]:
    """A condition on events: the event is set aside, or a message about one of its deliveries failed."""
    waits = select(set_aside.c.event_id).where(set_aside.c.served_at.is_(None), set_aside.c.event_id.is_not(None))
    failed = select(deliveries.c.event_id).where(is_delivery_held())
    return or_(events.c.id.in_(waits), events.c.id.in_(failed))


def _given(numbers: list[int | None]) -> list[int]:
    return [number for number in numbers if number is not None]


def _before(version: int | None) -> int | None:
    return None if version is None else version - 1
