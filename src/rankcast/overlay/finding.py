"""Finds the known subscriptions that an event matches; boxes are compared many at a time."""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from rankcast.cover import normal_form
from rankcast.cover.boxes import Boxes, box_of, point_of
from rankcast.matching import OracleMatcher
from rankcast.model import Catalog, Event, Subscription
from rankcast.overlay.recipients import Matched
from rankcast.overlay.scorers import meanings_of


class Finder:
    """Finds the matching subscriptions, in O(subscriptions).

    It uses numpy if all subscriptions are boxes and the event is crisp, else plain evaluation.
    """

    def __init__(self, subscriptions: Sequence[Subscription], catalog: Catalog) -> None:
        self._subscriptions = list(subscriptions)
        self._catalog = catalog

    def match(self, event: Event) -> list[Matched]:
        """The subscriptions that the event matches, in the given order, with their degrees."""
        point = point_of(event)
        if self._boxes is None or point is None:
            return list(self._matcher.match(event))
        return [(self._subscriptions[at], 1.0) for at in np.flatnonzero(self._boxes.covering(point)).tolist()]

    @cached_property
    def _boxes(self) -> Boxes | None:
        meaning_of = meanings_of(self._catalog)
        boxes = Boxes([])
        for one in self._subscriptions:
            box = box_of(normal_form(one.where, meaning_of(one.user)))
            if box is None:
                return None
            boxes.append(box)
        return boxes

    @cached_property
    def _matcher(self) -> OracleMatcher:
        return OracleMatcher.of(self._catalog, self._subscriptions)
