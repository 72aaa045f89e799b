"""The filters over arrays.

They make the same decisions as the filters of `of_policy`, for a batch of one user's events at a time.
"""

from rankcast.engine.arrays.filters.batch import ArrayFilter, FilterBatch, Keys, copied, draws, event_keys
from rankcast.engine.arrays.filters.of_policy import array_filter
from rankcast.engine.arrays.filters.threshold import ArrayThreshold

__all__ = ["ArrayFilter", "ArrayThreshold", "FilterBatch", "Keys", "array_filter", "copied", "draws", "event_keys"]
