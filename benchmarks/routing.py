"""How many shards events visit with summaries, compared with broadcast: python benchmarks/routing.py

Users of eight regions subscribe to places in their own region. Either each region is a shard, or users are hashed.
"""

from collections.abc import Callable
from datetime import UTC, datetime

from rankcast.engine.reference.shard import shard_of
from rankcast.language import parse
from rankcast.model import Advertisement, Catalog, Event, Ranking, Subscription
from rankcast.overlay import CONSUMERS, STRATEGIES, Finder, Router, admitted, lot, summarise

SHARDS = 8
OF_REGION = 400
EVENTS = 600
NOW = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = parse("x between 0 and 800")
ADVERTISED = (Advertisement("relevance", "shop", SPACE, 3), Advertisement("fair", "shop", SPACE, 3, Ranking.FAIR))


def subscriptions() -> list[Subscription]:
    """Intervals of length 10 to 60 within the range of 100 of a region."""
    made = []
    for region in range(SHARDS):
        for number in range(OF_REGION):
            length = 10 + 50 * lot("length", str(region), str(number))
            low = 100 * region + (100 - length) * lot("place", str(region), str(number))
            where = parse(f"x between {low} and {low + length}")
            made.append(Subscription(f"s{region}.{number}", f"{region}.{number}", where))
    return made


def main() -> None:
    """Print visits, missed shards and the size of the summaries, for each placement and each kind of event."""
    wanted = subscriptions()
    whole = Catalog([*wanted, *ADVERTISED])
    finder = Finder(wanted, whole)
    homes: dict[str, Callable[[str], int]] = {
        "a region a shard": lambda user: int(user.partition(".")[0]),
        "users hashed": lambda user: shard_of(user, SHARDS),
    }
    for label, lives_in in homes.items():
        parts = [Catalog(list(ADVERTISED)) for _ in range(SHARDS)]
        for one in wanted:
            parts[lives_in(one.user)].add(one)
        summaries = {shard: summarise(part, STRATEGIES["ancestor-cover"]) for shard, part in enumerate(parts)}
        router = Router(Catalog(list(ADVERTISED)), summaries)
        for under in (None, *(advertisement.id for advertisement in ADVERTISED)):
            visits = missed = 0
            for number in range(EVENTS):
                event = Event(f"e{number}", NOW, {"x": (800 * lot("x", str(number)),)}, advertisement=under)
                visited = router.shards(event)
                needed = {lives_in(one.user) for one, _ in admitted(whole, event, finder.match(event))}
                visits += len(visited)
                missed += not needed.issubset(visited)
            size = sum(len(summary[under or CONSUMERS]) for summary in summaries.values())
            print(
                f"{label}, {under or 'no advertisement'}: {visits:,} visits, {100 * visits / SHARDS / EVENTS:.0f} % of "
                f"broadcast; {missed} events missed a shard; summaries of {100 * size / len(wanted):.0f} %"
            )


if __name__ == "__main__":
    main()
