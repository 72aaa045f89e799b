"""What a policy does that its owner may not expect, in words for people."""

from rankcast.model import Catalog, Mode, Policy, ScorePart
from rankcast.rank.levels import scores


def policy_notes(policy: Policy, catalog: Catalog) -> list[str]:
    """Say which settings have no effect, or another effect than most people mean.

    >>> from rankcast.language import parse
    >>> from rankcast.model import Length, Subscription
    >>> catalog = Catalog([Subscription("s", "ann", parse("genre = 'drama'"))])
    >>> policy_notes(Policy("ann", Mode.SLIDING, 3, Length(100)), catalog)[0][:52]
    'all events rank the same, and of equal events the ne'
    >>> policy_notes(Policy("ann", Mode.PERIODIC, 3, Length(100)), catalog)
    []
    """
    notes = []
    if policy.mode is Mode.ALL:
        unused = [name for name in ("k", "length") if getattr(policy, name) is not None]
        if unused:
            verb = "have" if len(unused) > 1 else "has"
            notes.append(
                f"mode all sends every match, so {' and '.join(unused)} {verb} no effect; "
                "choose mode periodic, sliding or history to get only the best"
            )
    subscriptions = catalog.subscriptions_of(policy.user)
    by_preference = all(part is ScorePart.PREFERENCE for part, weight in policy.score.items() if weight > 0)
    if policy.mode is Mode.SLIDING and policy.sigma == 1 and by_preference and subscriptions:
        found = scores(subscriptions, catalog.preferences_of(policy.user), policy.levels)
        if len(set(found.values())) == 1:
            notes.append(
                "all events rank the same, and of equal events the newer one wins, so a sliding window sends every match; "
                "choose mode periodic for the best of each period, or mode history, which keeps what was sent first, "
                "or give the subscriptions different scores"
            )
    return notes
