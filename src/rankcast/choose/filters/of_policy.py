"""From the filter of a policy to the filter that does it."""

from rankcast.choose.candidates import DeliveryMode
from rankcast.choose.filters.filtered import EventFilter, Filtered
from rankcast.choose.filters.random import Random
from rankcast.choose.filters.sampling import Sampling
from rankcast.choose.filters.threshold import Threshold
from rankcast.model import Filter, FilterKind, Policy
from rankcast.rank import NoveltyState

__all__ = ["event_filter", "filtered"]


def event_filter(user: str, settings: Filter) -> EventFilter:
    """A fresh filter for a user."""
    match settings.novelty:
        case FilterKind.THRESHOLD:
            novelty = NoveltyState(settings.scoring, settings.aging)
            return Threshold(novelty, settings.rate, settings.period, settings.update)
        case FilterKind.SAMPLING:
            return Sampling(user, settings)
        case FilterKind.RANDOM:
            return Random(user, settings.rate, settings.seed)


def filtered(policy: Policy, mode: DeliveryMode) -> DeliveryMode:
    """The mode behind the policy's filter; the mode itself if the policy has none."""
    return mode if policy.filter is None else Filtered(event_filter(policy.user, policy.filter), mode)
