"""Comparing policies on the same events: what each would have sent."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import timedelta
from statistics import fmean

from rankcast.errors import ModelError
from rankcast.frames.results import Deliveries, Lane, html_table, picture
from rankcast.frames.serving import deliver
from rankcast.frames.tables import EventData, EventFrame, Frame, events, frame_of
from rankcast.frames.users import User
from rankcast.language import show_duration


@dataclass(frozen=True, slots=True)
class Backtests(Mapping[str, Deliveries]):
    """The deliveries of each variant, by its name. A notebook shows the measures and a lane for each variant."""

    variants: dict[str, Deliveries]
    events: EventFrame

    def __getitem__(self, name: str) -> Deliveries:
        return self.variants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.variants)

    def __len__(self) -> int:
        return len(self.variants)

    def __repr__(self) -> str:
        counts = ", ".join(f"{name} {len(sent):,}" for name, sent in self.variants.items())
        return f"<deliveries of {len(self.events):,} events: {counts}>"

    @property
    def frame(self) -> Frame:
        """One row for each variant: the number of deliveries, their mean rank, and their mean wait in seconds."""
        measured = [_measures(sent) for sent in self.variants.values()]
        columns: dict[str, list[object]] = {
            "policy": list(self.variants),
            "sent": [sent for sent, _, _ in measured],
            "rank": [rank for _, rank, _ in measured],
            "wait": [wait for _, _, wait in measured],
        }
        return frame_of(columns, self.events.kind)

    def _repr_html_(self) -> str:
        rows = []
        for name, deliveries in self.variants.items():
            sent, rank, wait = _measures(deliveries)
            waited = "" if wait is None else show_duration(timedelta(seconds=round(wait)))
            rows.append([name, f"{sent:,}", "" if rank is None else f"{rank:.3f}", waited])
        lanes = {
            name: Lane([seq for places in one.matched.values() for seq in places], one.deliveries)
            for name, one in self.variants.items()
        }
        table = html_table(["policy", "sent", "mean rank", "mean wait"], rows, len(rows), "policies")
        return picture(lanes, len(self.events)) + table


def backtest(
    data: "EventData | EventFrame",
    *unnamed: User,
    id_column: str = "id",
    time_column: str = "time",
    **variants: User,
) -> Backtests:
    """Serve the same events to variants of a user, and compare what each would have got.

    >>> from rankcast.frames import user
    >>> films = [{"id": f"f{n}", "time": f"2026-01-0{n}", "genre": "war"} for n in (1, 2, 3)]
    >>> ann = user("ann").wants("genre = 'war'")
    >>> backtest(films, everything=ann, best=ann.gets(top=1, per=3))
    <deliveries of 3 events: everything 3, best 1>
    """
    if unnamed or not variants:
        raise ModelError("name the variants to compare, as in backtest(films, now=ann, calm=ann.gets(top=3, per='1w'))")
    given = events(data, id_column=id_column, time_column=time_column)
    return Backtests({name: deliver(given, one) for name, one in variants.items()}, given)


def _measures(sent: Deliveries) -> tuple[int, float | None, float | None]:
    if not len(sent):
        return 0, None, None
    return len(sent), fmean(one.rank for one in sent), fmean(one.freshness.total_seconds() for one in sent)
