"""What one broker with all subscriptions of a catalog would forward for an advertisement.

See semantics: Producer-side top-k; semantics: Files.
"""

from collections.abc import Iterable

from rankcast.cover import normal_form
from rankcast.model import Advertisement, Catalog, Ranking, ScorerName, Subscription
from rankcast.overlay.order import KnownSubscription, Order
from rankcast.overlay.scorers import MeaningOf, meanings_of, scorer_of
from rankcast.overlay.strategies import Strategy


def concerned(
    advertisement: Advertisement, subscriptions: Iterable[Subscription], meaning_of: MeaningOf = lambda user: None
) -> list[Subscription]:
    """The subscriptions that a publication under the advertisement could match."""
    space = normal_form(advertisement.where, meaning_of(None))
    return [
        subscription
        for subscription in subscriptions
        if not space.disjoint(normal_form(subscription.where, meaning_of(subscription.user)))
    ]


def order_of(
    catalog: Catalog, advertisement: Advertisement, strategy: Strategy, score: ScorerName | None = None
) -> Order:
    """The order in which a strategy compares subscriptions under an advertisement.

    `score` selects another scorer; a fair or diverse ranking then becomes a ranking by relevance.
    """
    ranking = advertisement.rank
    if score is not None and ranking in (Ranking.FAIR, Ranking.DIVERSE):
        ranking = Ranking.RELEVANCE
    scorer = scorer_of(catalog, advertisement, score)
    return Order(strategy.standing, ranking, scorer, meanings_of(catalog))


def forwarded(
    catalog: Catalog,
    advertisement: Advertisement,
    strategy: Strategy,
    score: ScorerName | None = None,
    k: int | None = None,
) -> list[KnownSubscription]:
    """The subscriptions that a broker with the whole catalog forwards towards the publisher, in catalog order.

    Only subscriptions that can intersect the advertised space take part.
    """
    order = order_of(catalog, advertisement, strategy, score)
    local = [
        KnownSubscription(one) for one in concerned(advertisement, catalog.subscriptions.values(), meanings_of(catalog))
    ]
    sent = {known.subscription.id: known for known in strategy.forward(local, order, k or advertisement.k)}
    return [sent[name] for name in catalog.subscriptions if name in sent]
