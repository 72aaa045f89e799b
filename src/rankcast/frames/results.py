"""Results for a notebook: a table of the same kind as the input, and a picture."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import TYPE_CHECKING, Any

from rankcast.frames.tables import EventFrame, Frame, FrameKind, frame_of
from rankcast.language import encode_event, show_time
from rankcast.language.columns import column_lists
from rankcast.model import Delivery, Event, Match
from rankcast.wording import counted

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

_SHOWN = 20
"""How many rows a notebook shows."""

_LANES = 8
"""How many users the picture shows."""

_TICKS = 3_000
"""How many marks the picture draws for one user."""


@dataclass(frozen=True, slots=True)
class MatchTable(Sequence[Match]):
    """The subscriptions that each event matched. `frame` is a table of the same kind as the input."""

    matches: tuple[Match, ...]
    events: EventFrame

    def __len__(self) -> int:
        return len(self.matches)

    def __getitem__(self, place: Any) -> Any:
        return self.matches[place]

    @property
    def frame(self) -> Frame:
        """One row for each match: event, subscription, user, degree, and the columns of the event."""
        own: dict[str, list[Any]] = column_lists(self.matches, Match)
        return frame_of({**own, **_event_columns(own["event"], self.events, own)}, self.events.kind)

    def _repr_html_(self) -> str:
        rows = [[match.event, match.user, match.subscription, f"{match.degree:.3g}"] for match in self.matches[:_SHOWN]]
        return html_table(["event", "user", "subscription", "degree"], rows, len(self.matches), "matches")


@dataclass(frozen=True, slots=True)
class Deliveries(Sequence[Delivery]):
    """The deliveries to all users, in order. A notebook shows the first ones and a picture of all.

    `frame` is a table of the same kind as the input, with the columns of the events. `matched` has, for each user,
    the positions of the events that matched; the picture shows them.
    """

    deliveries: tuple[Delivery, ...]
    events: EventFrame
    matched: dict[str, list[int]]

    def __len__(self) -> int:
        return len(self.deliveries)

    def __getitem__(self, place: Any) -> Any:
        return self.deliveries[place]

    def __repr__(self) -> str:
        users, events = counted(len(self.matched), "user"), counted(len(self.events), "event")
        sent = counted(len(self.deliveries), "delivery")
        return f"<{sent} of {events} to {users}>"

    @property
    def frame(self) -> Frame:
        """One row for each delivery: user, event, rank, subscriptions, times, and the columns of the event."""
        return self._frame(self.events.kind)

    def to_pandas(self) -> "pd.DataFrame":
        """The same as a pandas data frame."""
        return self._frame(FrameKind.PANDAS)

    def to_arrow(self) -> "pa.Table":
        """The same as an Arrow table."""
        return self._frame(FrameKind.ARROW)

    def _frame(self, kind: FrameKind) -> Any:
        own: dict[str, list[Any]] = column_lists(self.deliveries, Delivery)
        own["subscriptions"] = [list(names) for names in own["subscriptions"]]
        del own["seq"]  # the event's own columns identify it
        return frame_of({**own, **_event_columns(own["event"], self.events, own)}, kind)

    def _repr_html_(self) -> str:
        by_id = {event.id: event for event in self.events.events}
        named = _first_attributes([by_id[one.event] for one in self.deliveries[:_SHOWN]])
        rows = [
            [
                one.user,
                one.event,
                f"{one.rank:.3g}",
                ", ".join(one.subscriptions),
                show_time(one.forwarded),
                *(_shown(by_id[one.event], name) for name in named),
            ]
            for one in self.deliveries[:_SHOWN]
        ]
        head = ["user", "event", "rank", "because of", "sent", *named]
        sent: dict[str, list[Delivery]] = {name: [] for name in self.matched}
        for one in self.deliveries:
            sent[one.user].append(one)
        lanes = {name: Lane(places, sent[name]) for name, places in self.matched.items()}
        return picture(lanes, len(self.events)) + html_table(head, rows, len(self.deliveries), "deliveries")


def _event_columns(ids: Sequence[str], table: EventFrame, taken: dict[str, list[object]]) -> dict[str, list[object]]:
    """One column for each attribute of the events; if the name is taken, the column is called `event.NAME`."""
    by_id = {event.id: event for event in table.events}
    chosen = [by_id[one] for one in ids]
    names = dict.fromkeys(name for event in table.events for name in event.attributes)
    return {(f"event.{name}" if name in taken else name): [_plain(event, name) for event in chosen] for name in names}


def _plain(event: Event, name: str) -> Any:
    """The cell of an attribute: its value, a list of values, or the JSON form of an imprecise value."""
    value = event.attributes.get(name)
    if value is None:
        return None
    if isinstance(value, tuple):
        return value[0] if len(value) == 1 else list(value)
    return str(encode_event(event)["attributes"][name])


def _first_attributes(events: Sequence[Event]) -> list[str]:
    """The attributes that most of the events have, a few of them."""
    counts: dict[str, int] = {}
    for event in events:
        for name in event.attributes:
            counts[name] = counts.get(name, 0) + 1
    return sorted(counts, key=lambda name: -counts[name])[:3]


def _shown(event: Event, name: str) -> str:
    value = _plain(event, name)
    text = "" if value is None else ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return text if len(text) <= 40 else text[:39] + "…"


def html_table(head: Sequence[str], rows: Sequence[Sequence[str]], count: int, what: str) -> str:
    """A table with its first rows, and a line with the number of all."""
    cells = "".join(f"<th style='text-align:left'>{escape(name)}</th>" for name in head)
    body = "".join(
        "<tr>" + "".join(f"<td style='text-align:left'>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows
    )
    more = (
        f"<p>{count:,} {what}; the first {len(rows)} are shown</p>" if count > len(rows) else f"<p>{count:,} {what}</p>"
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>{more}"


@dataclass(frozen=True, slots=True)
class Lane:
    """One row of a picture: the positions of the events that matched, and what was sent."""

    matched: Sequence[int]
    sent: Sequence[Delivery]


def picture(lanes: Mapping[str, Lane], events: int) -> str:
    """One lane per name: a thin mark for each event that matched, a dot for each event that was sent."""
    last = max(events, 2)
    width, high, left = 720, 26, 120
    marks = []
    shown = list(lanes.items())[:_LANES]
    for number, (name, lane) in enumerate(shown):
        middle = high * number + high // 2
        short = name if len(name) <= 16 else name[:15] + "…"
        marks.append(f"<text x='0' y='{middle + 4}' font-size='12' fill='currentColor'>{escape(short)}</text>")
        for seq in lane.matched[:: len(lane.matched) // _TICKS + 1]:
            x = left + (width - left - 8) * (seq - 1) / (last - 1)
            marks.append(f"<path d='M{x:.1f} {middle - 7}v14' stroke='currentColor' stroke-opacity='.25'/>")
        for one in lane.sent[:: len(lane.sent) // _TICKS + 1]:
            x = left + (width - left - 8) * (one.seq - 1) / (last - 1)
            marks.append(
                f"<circle cx='{x:.1f}' cy='{middle}' r='4' fill='#2a78c6'><title>{escape(one.event)}, rank {one.rank:.3g}</title></circle>"
            )
    height = high * len(shown)
    said = "Thin marks are events that match, in order of publication; dots are those that were sent."
    return (
        f"<svg role='img' aria-label='{said}' viewBox='0 0 {width} {height}' width='{width}' height='{height}'>"
        f"{''.join(marks)}</svg><p style='opacity:.7'>{said}</p>"
    )
