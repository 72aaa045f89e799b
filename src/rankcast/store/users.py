"""Deletion of a user and of everything stored about them, in one transaction."""

from collections import Counter

from sqlalchemy import and_, delete, func, select, update

from rankcast.model import Policy
from rankcast.store import schema
from rankcast.store.access_log import access_tokens
from rankcast.store.answer_log import kept_answers
from rankcast.store.audit_log import AuditAction, note
from rankcast.store.blocks import blocks_between
from rankcast.store.catalog.log import records_of, remove_user
from rankcast.store.catalog.state import load_part
from rankcast.store.engine import Database
from rankcast.store.push.digest_log import digests
from rankcast.store.push.digest_log import left_out as left_out_events
from rankcast.store.schema import microseconds
from rankcast.store.sql import mark_last
from rankcast.store.state_pages import past_state_pages
from rankcast.store.unreadable import UnreadableRecord

_USER = "user"


def delete_user(database: Database, user: str) -> dict[str, int]:
    """Delete everything stored about a user. Returns the number of deleted rows per table, without zeros.

    This includes every table with a column `user_id`, also future ones, and the rows of the user's tokens in tables
    with a column `token`. The tokens are revoked and reduced to their ids, so that other processes notice.

    The user's records stay in the history of the catalog as long as events that refer to those versions are kept.
    Cost: one transaction, one look-up per block of deliveries, and O(the user's rows).
    """
    now = microseconds(database.clock())
    deleted: Counter[str] = Counter()
    with database.writing() as connection:
        deleted["records"] = remove_user(connection, user, now)
        of_user = and_(access_tokens.c.role == _USER, access_tokens.c.name == user)
        tokens = list(connection.execute(select(access_tokens.c.id).where(of_user)).scalars())
        connection.execute(delete(past_state_pages))  # some name the user; explanations do without them
        own = select(digests.c.number).where(digests.c.user_id == user)
        connection.execute(delete(left_out_events).where(left_out_events.c.digest.in_(own)))
        connection.execute(delete(kept_answers).where(kept_answers.c.owner.in_(tokens)))
        for table in reversed(schema.metadata.sorted_tables):
            if "user_id" in table.c:
                for number in table.primary_key:
                    if number.name == "number":
                        mark_last(connection, number)
                rows = delete(table).where(table.c.user_id == user)
                in_order = [rows]
                if table is schema.deliveries:
                    in_order = [rows.where(schema.delivery_block == block) for block in blocks_between(connection, 0)]
                deleted[table.name] += sum(connection.execute(part).rowcount for part in in_order)
            elif "token" in table.c:
                deleted[table.name] += connection.execute(delete(table).where(table.c.token.in_(tokens))).rowcount
        gone = {"revoked_at": func.coalesce(access_tokens.c.revoked_at, now), "name": "", "note": "", "digest": b""}
        deleted["tokens"] = connection.execute(update(access_tokens).where(of_user).values(gone)).rowcount
        counts = {name: count for name, count in sorted(deleted.items()) if count}
        if counts:
            listed = ", ".join(f"{count:,} {name.replace('_', ' ')}" for name, count in counts.items())
            note(connection, now, AuditAction.DELETE_USER, user, listed)
    if database.catalog_file is not None:
        database.catalog_file.unlink(missing_ok=True)  # it has the user's records; the pipeline writes another
    return counts


def count_user(database: Database, user: str) -> dict[str, int]:
    """What `delete_user` would delete: the number of rows per table, without zeros."""
    counts: dict[str, int] = {}
    of_user = and_(access_tokens.c.role == _USER, access_tokens.c.name == user)
    with database.reading() as connection:
        catalog = load_part(connection, [Policy(user)], left_out := list[UnreadableRecord]())
        counts["records"] = len(records_of(catalog, user)) + sum(one.owner == user for one in left_out)
        tokens = list(connection.execute(select(access_tokens.c.id).where(of_user)).scalars())
        counts["tokens"] = len(tokens)
        for table in schema.metadata.sorted_tables:
            count = select(func.count()).select_from(table)
            if table is schema.deliveries:
                parts = [schema.delivery_block == block for block in blocks_between(connection, 0)]
                own = table.c.user_id == user
                counts[table.name] = sum(connection.execute(count.where(own, part)).scalar_one() for part in parts)
            elif "user_id" in table.c:
                counts[table.name] = connection.execute(count.where(table.c.user_id == user)).scalar_one()
            elif "token" in table.c:
                counts[table.name] = connection.execute(count.where(table.c.token.in_(tokens))).scalar_one()
    return {name: count for name, count in sorted(counts.items()) if count}
