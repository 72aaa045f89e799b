"""States of users without their events, for callers that store the events once for all users.

A state names an event only by its `seq`.
"""

from collections.abc import Callable

from rankcast.engine.named_events import EventSource, NamedEvents
from rankcast.language import encode_event
from rankcast.plain import State


def fold(state: State, named: NamedEvents) -> State:
    """The state without its events, which are added to `named`."""
    event = state.get("event")
    if isinstance(event, dict) and "seq" in state:
        if named.is_kept(state["seq"]):
            named.kept[state["seq"]] = event
        return {**state, "event": None}
    return _within(state, lambda part: fold(part, named))


def unfold(state: State, events: EventSource) -> State:
    """The folded state with its events restored."""
    if "event" in state and state["event"] is None and "seq" in state:
        return {**state, "event": encode_event(events[state["seq"]])}
    return _within(state, lambda part: unfold(part, events))


def _within(state: State, change: Callable[[State], State]) -> State:
    """The state with the outermost dictionaries in it changed."""

    def changed(value: object) -> object:
        if isinstance(value, dict):
            return change(value)
        if isinstance(value, list | tuple):
            return [changed(item) if isinstance(item, dict | list | tuple) else item for item in value]
        return value

    return {name: changed(value) for name, value in state.items()}
