"""The data that the kernels need for distances between entries, with the user's weights of attributes."""

from rankcast.engine.arrays.matching import Integers
from rankcast.engine.arrays.table import EventTable
from rankcast.model import Policy

__all__ = ["space_of"]


def space_of(rows: Integers, table: EventTable, policy: Policy) -> tuple[object, ...]:
    """The space (`rankcast.choose.kernels.distances`) of the entries at some rows of the table."""
    from rankcast.choose.kernels.distances import spread

    places, codes, weights, room = table.encoded(rows, policy.weights, policy.attributes, policy.distance)
    return places, spread(places, codes, weights), codes, weights, room
