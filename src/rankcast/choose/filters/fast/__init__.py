"""The filters over arrays: the same decisions as those of `of_policy`, a batch of one user's events at a time."""

from rankcast.choose.filters.fast.batch import ArrayFilter, Batch, Keys, draws, event_keys
from rankcast.choose.filters.fast.of_policy import array_filter
from rankcast.choose.filters.fast.threshold import ArrayThreshold

__all__ = ["ArrayFilter", "ArrayThreshold", "Batch", "Keys", "array_filter", "draws", "event_keys"]
