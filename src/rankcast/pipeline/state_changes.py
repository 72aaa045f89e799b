"""Changes of the whole delivery state in a store: dividing it among other shards, and making it anew."""

from collections.abc import Iterator, Mapping
from itertools import groupby

from rankcast.engine.arrays import BatchShard
from rankcast.engine.pages import pack_page, page_of, pages_for
from rankcast.engine.reference.shard import Shard, shard_of
from rankcast.errors import StoreError
from rankcast.model import Catalog
from rankcast.pipeline.saved_state import USERS_PER_PAGE, Position, pages_of, restore
from rankcast.pipeline.serving import make_shards, publish_to, read_events
from rankcast.plain import State
from rankcast.store import PageMark, StatePage, Store


def repartition(store: Store, shards: int) -> int:
    """Redistribute the delivery state in the store to another number of shards. Returns the old number.

    The deliveries do not depend on the number: every user keeps their state.
    """
    saved = store.saved_state()
    at = Position(saved.offset, saved.catalog_version, 0)
    served = restore(store, saved, lambda catalog: make_shards(catalog, shards, saved.lag))
    store.replace_state(pages_of(served, at), saved.offset)
    return saved.shards


def divided(states: Mapping[str, State], shards: int, at: Position) -> list[StatePage]:
    """The states of users as pages of shards, which need nothing from the log."""
    pages: list[StatePage] = []
    of_shard: list[list[str]] = [[] for _ in range(shards)]
    for user in states:
        of_shard[shard_of(user, shards)].append(user)
    for shard, users in enumerate(of_shard):
        of_page: list[dict[str, State]] = [{} for _ in range(pages_for(len(users), USERS_PER_PAGE))]
        for user in users:
            of_page[page_of(user, len(of_page))][user] = states[user]
        for number, part in enumerate(of_page):
            mark = PageMark(shard, number, len(of_page), *at, at.offset + 1)
            pages.append(StatePage(mark, pack_page(part, at.offset + 1).content))
    return pages


def rebuild(store: Store, shards: int, batch: int = 5_000) -> Iterator[int]:
    """Rebuild the delivery state by replaying the log up to the progress, without delivering again.

    Yields the offsets reached. Use it for a store with a lost checkpoint. Afterwards any pipeline can continue from
    there.
    """
    progress, known = store.progress(), store.pipeline()
    offset = known.start_offset if known is not None and known.start_version < 0 else 0
    first = next((logged.offset for logged in store.events(after=offset, limit=1)), progress.offset + 1)
    if offset < progress.offset and first > offset + 1:
        raise StoreError(
            f"the events up to offset {first - 1} were pruned, so the delivery state cannot be made anew out of the log; start a new "
            f"pipeline with --from-offset {progress.offset}, which serves what comes next with no state"
        )
    version, served = -1, list[Shard | BatchShard]()
    while offset < progress.offset:
        logged = read_events(store, offset, min(batch, progress.offset - offset))
        for of_version, group in groupby(logged, key=lambda entry: entry.catalog_version):
            catalog = store.catalog(of_version)
            if not served:
                served = make_shards(catalog, shards, progress.offset - offset)
            elif of_version != version:
                for shard in served:
                    shard.update(catalog)
            version = of_version
            publish_to(served, catalog, list(group))
        offset = logged[-1].offset
        yield offset
    made = served or make_shards(Catalog(), shards, 0)
    store.replace_state(pages_of(made, Position(progress.offset, max(version, 0), 0)), progress.offset)
