"""Sorting matches by user."""

import numpy as np

from rankcast.compiling import kernel
from rankcast.plain import Array


@kernel
def by_user(
    events: Array, subscriptions: Array, user_of: Array, place_of: Array, bounds: Array
) -> tuple[Array, Array, Array]:
    """Sorts matches by user, keeping the order of events.

    Writes the events, the indexes of the subscriptions among the user's own, and the matches themselves. The matches
    of user u then lie from ``bounds[u]`` to ``bounds[u + 1]``.
    """
    count = len(events)
    for match in range(count):
        bounds[user_of[subscriptions[match]] + 1] += 1
    for user in range(len(bounds) - 1):
        bounds[user + 1] += bounds[user]
    following = bounds[:-1].copy()
    at = np.empty(count, np.int64)
    places = np.empty(count, np.int64)
    matches = np.empty(count, np.int64)
    for match in range(count):
        subscription = subscriptions[match]
        user = user_of[subscription]
        slot = following[user]
        following[user] += 1
        at[slot] = events[match]
        places[slot] = place_of[subscription]
        matches[slot] = match
    return at, places, matches
