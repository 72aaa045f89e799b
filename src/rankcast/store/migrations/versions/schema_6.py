"""From schema version 5 to 6: state in pages, each as of its own position in the event log; random filters as before."""

import json

from alembic import op
from sqlalchemy import BigInteger, Column, Connection, Integer, LargeBinary, inspect, text

revision = "6"
down_revision = "5"

_MOVE = """
INSERT INTO state_pages (shard, page, pages, event_offset, catalog_version, clock, needed, content)
SELECT shard, 0, 1, {offset}, {version}, 0, {offset} + 1, state FROM shard_states, progress
"""

_TAKEN_OVER = "SELECT start_offset, start_version FROM pipeline WHERE engine = 'spark' AND start_version >= 0"


_RANDOM = """SELECT record FROM {table} WHERE record LIKE '%"kind":"policy"%' AND record LIKE '%"random"%'"""
_REWRITE = "UPDATE {table} SET record = :after WHERE record = :before"


def upgrade() -> None:
    """Make one page of the state of each shard, and let random filters pass what they passed before."""
    connection = op.get_bind()
    _keep_random_filters(connection)
    _make_pages(connection)


def _keep_random_filters(connection: Connection) -> None:
    """Say of stored random filters that they draw each event by itself, which was the only form before."""
    for table in ("catalog_changes", "catalog_records"):
        if inspect(connection).has_table(table):
            for before in set(connection.execute(text(_RANDOM.format(table=table))).scalars()):
                policy = json.loads(before)
                filter_ = policy.get("filter")
                if filter_ is not None and filter_.get("novelty") == "random":
                    filter_.setdefault("exact", False)
                    after = json.dumps(policy, ensure_ascii=False, separators=(",", ":"))
                    connection.execute(text(_REWRITE.format(table=table)), {"before": before, "after": after})


def _make_pages(connection: Connection) -> None:
    comment = "The delivery state of some users of a shard, each page as of its own position in the event log."
    op.create_table(
        "state_pages",
        Column("shard", Integer, primary_key=True, autoincrement=False),
        Column("page", Integer, primary_key=True, autoincrement=False),
        Column("pages", Integer, nullable=False, comment="how many pages the shard has"),
        Column("event_offset", BigInteger, nullable=False, comment="the last event served when the page was written"),
        Column("catalog_version", BigInteger, nullable=False, comment="the version of the catalog at that time"),
        Column("clock", BigInteger, nullable=False, comment="the last advance of the clock before that"),
        Column("needed", BigInteger, nullable=False, comment="the first event that the page needs from the event log"),
        Column("content", LargeBinary, nullable=False),
        comment=comment,
    )
    if not inspect(connection).has_table("shard_states"):
        return
    # The state that a pipeline on Spark took over stays as it was when that pipeline began.
    there = inspect(connection).has_table("pipeline")
    begun = connection.execute(text(_TAKEN_OVER)).first() if there else None
    offset, version = ("event_offset", "catalog_version") if begun is None else (str(begun[0]), str(begun[1]))
    connection.execute(text(_MOVE.format(offset=offset, version=version)))
    op.drop_table("shard_states")
