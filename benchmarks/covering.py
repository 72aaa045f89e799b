"""The speed of forwarding 50,000 interval subscriptions: python benchmarks/covering.py [subscriptions]"""

import sys
from time import process_time

from rankcast.cover.boxes import Box
from rankcast.language import parse
from rankcast.model import Advertisement, And, Between, Expression, Predicate, Ranking, Subscription
from rankcast.overlay import AncestorCoverK, Area, KnownSubscription, Order, RankCoverK, Strategy, draw, lot


def boxes(count: int, attributes: str) -> dict[str, Box]:
    """Boxes whose sides are 30 to 60 % of the space."""
    made: dict[str, Box] = {}
    for number in range(count):
        box = {}
        for name in attributes:
            length = 0.3 + 0.3 * lot("length", name, str(number))
            start = lot("place", name, str(number)) * (1 - length)
            box[name] = start, start + length
        made[f"s{number}"] = box
    return made


def expression(box: Box) -> Expression:
    """The box as a conjunction."""
    sides = tuple(Predicate(name, Between(low, high)) for name, (low, high) in box.items())
    return sides[0] if len(sides) == 1 else And(sides)


def seconds(work: object) -> float:
    """CPU time of a call."""
    start = process_time()
    work()
    return process_time() - start


def main(count: int = 50_000) -> None:
    """Print one line per measurement."""
    known = [KnownSubscription(Subscription(key, "u", expression(box))) for key, box in boxes(count, "x").items()]
    advertisement = Advertisement("a1", "p", parse("x between 0 and 1"), 10)
    strategies: list[tuple[str, Strategy, int]] = [
        ("ancestor-cover", AncestorCoverK(), 10),
        ("ancestor-cover", AncestorCoverK(), count // 10),
        ("rank-cover", RankCoverK(), 10),
    ]
    order = Order(AncestorCoverK().standing, Ranking.RELEVANCE, Area(advertisement))
    order.entries(known)
    for name, strategy, k in strategies:
        print(f"{name}, k {k:,}: {seconds(lambda: strategy.forward(known, order, k)):.1f} s for {count:,}")  # noqa: B023
    weights = {one.subscription.id: 1 + number % 7 for number, one in enumerate(known)}
    few, many = dict(list(weights.items())[: count // 10]), weights
    ratio = seconds(lambda: draw(many, 10, "e1")) / seconds(lambda: draw(few, 10, "e1"))
    print(f"a weighted draw of 10 out of {count:,} costs {ratio:.1f} times that out of {count // 10:,} (linear: 10)")


if __name__ == "__main__":
    main(*(int(argument) for argument in sys.argv[1:]))
