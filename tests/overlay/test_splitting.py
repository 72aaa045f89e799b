"""AncestorFairK splits k among branches by counts: no broker's subscribers get more than their share.

See semantics: Producer-side top-k. The input is that of issue 17.
"""

from collections import Counter
from datetime import UTC, datetime

import pytest

from rankcast.language import parse
from rankcast.model import Advertisement, Event, Ranking, Subscription
from rankcast.overlay import AncestorFairK, Overlay, parse_topology

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PUBLICATIONS = 2_000


def chi_square(k: int) -> tuple[float, dict[str, float]]:
    """Of 24 equal subscriptions, six at each of four edge brokers; and the share of each broker in what it is due."""
    overlay = Overlay(parse_topology("chain:4x1"))
    homes = [name for name in overlay.tree.leaves if name != "publisher"]
    assert len(homes) == 4
    overlay.advertise(
        Advertisement("a1", "publisher", parse("x exists"), k, Ranking.FAIR), "publisher", AncestorFairK()
    )
    home_of = {f"s{number:02}": homes[number % 4] for number in range(24)}
    overlay.subscribe_all((Subscription(name, name, parse("x > 1")), home) for name, home in home_of.items())
    events = (Event(f"e{number}", NOW, {"x": (2,)}, advertisement="a1") for number in range(PUBLICATIONS))
    counts = Counter(name for event in events for name in overlay.publish(event).recipients)
    due = PUBLICATIONS * k / 24
    by_broker = Counter({home: sum(counts[name] for name in home_of if home_of[name] == home) for home in homes})
    statistic = 23 / (24 - k) * sum((counts[name] - due) ** 2 / due for name in home_of)
    return statistic, {home: number / (6 * due) for home, number in by_broker.items()}


@pytest.mark.parametrize("k", [2, 3])
def test_no_broker_gets_more_than_its_share(k: int) -> None:
    """With a representative that is drawn at most once, one broker gets 2.02 times its share at k 3: 2,846."""
    statistic, shares = chi_square(k)
    assert statistic < 57.1, shares  # 23 degrees of freedom: above once in ten thousand times
    assert all(0.9 < share < 1.1 for share in shares.values()), shares
