"""Reads events from data frames, Arrow tables, dictionaries and JSON Lines files."""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import date, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias

from rankcast.errors import ModelError, did_you_mean
from rankcast.extras import require_library
from rankcast.language import decode_event, parse_time, read_events
from rankcast.language.tables import events_of_table
from rankcast.model import Catalog, Event, Reject, in_publication_order

if TYPE_CHECKING:
    import pandas as pd
    import polars as pl
    import pyarrow as pa

EventData: TypeAlias = "pd.DataFrame | pl.DataFrame | pa.Table | str | Path | Iterable[Event | Mapping[str, object]]"
"""The kinds of input that `events` accepts."""

Frame: TypeAlias = "pd.DataFrame | pl.DataFrame | pa.Table"


class FrameKind(Enum):
    """The library of the input table; results are tables of the same library."""

    PANDAS = "pandas"
    POLARS = "polars"
    ARROW = "pyarrow"


@dataclass(frozen=True, slots=True)
class EventFrame:
    """Events in publication order, and the kind of table they came from."""

    events: list[Event]
    kind: FrameKind

    def __len__(self) -> int:
        return len(self.events)


def events(data: "EventData | EventFrame", *, id_column: str = "id", time_column: str = "time") -> EventFrame:
    """Read events from a table, a list of dictionaries or a JSON Lines file.

    Parameters
    ----------
    data
        A pandas, polars or Arrow table whose columns are attributes; a list of events or of dictionaries, either in
        their JSON form or flat; or the path of a JSON Lines file.
    id_column, time_column
        The columns with the id and the publication time of an event. If there is no id column, rows are numbered.
        Times may be ISO 8601 strings.

    >>> import pandas as pd
    >>> films = events(pd.DataFrame({"time": ["2026-01-01", "2026-01-02"], "genre": [["drama", "war"], None]}))
    >>> films.events[0].id, films.events[0].attributes["genre"], dict(films.events[1].attributes)
    ('1', ('drama', 'war'), {})
    """
    if isinstance(data, EventFrame):
        return data
    if isinstance(data, str | Path):
        read, rejects = read_events(data, Catalog())
        refuse_any(rejects)
        return EventFrame(in_publication_order(read), FrameKind.ARROW)
    kind = kind_of(data)
    table = None if kind is None else arrow_of(data, kind)
    if table is not None:
        read = _of_frame(table, id_column, time_column)
    else:
        rows = _iterable(data) if kind is None else _rows(data)
        read = [_event(one, number, id_column, time_column) for number, one in enumerate(rows, 1)]
    _check_ids(read)
    return EventFrame(in_publication_order(read), kind or FrameKind.ARROW)


def refuse_any(rejects: Sequence[Reject]) -> None:
    """Raise for the first line of a file that cannot be used, if there is one."""
    if rejects:
        first = rejects[0]
        raise ModelError(f"{first.file}, line {first.line}: {first.reason} ({len(rejects)} lines cannot be used)")


def frame_of(columns: Mapping[str, list[object]], kind: FrameKind) -> "Frame":
    """A table of the given kind."""
    import pyarrow as pa

    table = pa.table({name: _array(values) for name, values in columns.items()})
    match kind:
        case FrameKind.PANDAS:
            require_library("pandas")
            frame: pd.DataFrame = table.to_pandas()
            return frame
        case FrameKind.POLARS:
            require_library("polars")
            import polars

            made = polars.from_arrow(table)
            assert isinstance(made, polars.DataFrame)
            return made
        case FrameKind.ARROW:
            return table


def _array(values: list[object]) -> "pa.Array":
    """The values as a column; as strings if their types differ."""
    import pyarrow as pa

    try:
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError):
        return pa.array([None if value is None else str(value) for value in values])


def kind_of(data: object) -> FrameKind | None:
    """The library of a table, found without importing any."""
    library = type(data).__module__.partition(".")[0]
    return FrameKind(library) if library in {kind.value for kind in FrameKind} else None


def _iterable(data: object) -> Iterable[object]:
    if isinstance(data, Mapping) or not isinstance(data, Iterable):
        raise ModelError(
            f"events come as a pandas, polars or Arrow table, as a list of dictionaries or as the path of a JSON Lines file, "
            f"not as {type(data).__name__}"
        )
    return data


def arrow_of(data: Any, kind: FrameKind) -> "pa.Table | None":
    """A table of a library as an Arrow table; None if a column of pandas has values of several types."""
    import pyarrow as pa

    match kind:
        case FrameKind.PANDAS:
            with suppress(pa.ArrowInvalid, pa.ArrowTypeError):
                return pa.Table.from_pandas(data, preserve_index=False)
            return None
        case FrameKind.POLARS:
            return data.to_arrow()
        case FrameKind.ARROW:
            return pa.table(data) if isinstance(data, pa.RecordBatch) else data


def _check_ids(read: list[Event]) -> None:
    seen: set[str] = set()
    for event in read:
        if event.id in seen:
            raise ModelError(f"there are two events with id {event.id!r}; ids must be unique")
        seen.add(event.id)


def _rows(frame: Any) -> list[dict[str, object]]:
    """The rows of a data frame of pandas; what is missing there is None."""
    rows: list[dict[str, object]] = frame.astype(object).where(frame.notna(), None).to_dict("records")
    return rows


def _of_frame(table: "pa.Table", id_column: str, time_column: str) -> list[Event]:
    import pyarrow as pa

    names = table.column_names
    if time_column not in names:
        raise ModelError(
            f"the events have no column {time_column!r}{did_you_mean(time_column, names)}; say which column has the time of "
            f"publication, as in events(data, time_column={next(iter(names), 'when')!r})"
        )
    if id_column not in names:
        if id_column != "id":
            raise ModelError(f"the events have no column {id_column!r}{did_you_mean(id_column, names)}")
        ids: list[str | None] = [str(number) for number in range(1, table.num_rows + 1)]
    else:
        ids = [None if value is None else str(value) for value in table.column(id_column).to_pylist()]
    times = pa.array([_instant(value) for value in table.column(time_column).to_pylist()], pa.timestamp("us", "UTC"))
    rest = table.drop_columns([name for name in dict.fromkeys((id_column, time_column)) if name in names])
    given = rest.append_column("id", pa.array(ids, pa.string())).append_column("time", times)
    made: list[Event] = []
    for number, outcome in enumerate(events_of_table(given)):
        if isinstance(outcome, tuple):
            raise ModelError(f"row {number} is not an event: {outcome[1]}")
        made.append(outcome)
    return made


def _instant(value: object) -> Any:
    return parse_time(value) if isinstance(value, str) else value


def _event(given: object, number: int, id_name: str, time_name: str) -> Event:
    """Read an event from a dictionary in JSON form or flat."""
    if isinstance(given, Event):
        return given
    if not isinstance(given, Mapping):
        raise ModelError(f"event {number} is a {type(given).__name__}; give dictionaries")
    if "attributes" in given:
        return decode_event(dict(given))
    if time_name not in given:
        raise ModelError(f"event {number} has no {time_name!r}; it has {', '.join(map(str, given)) or 'nothing'}")
    flat = {
        name: _json_value(value)
        for name, value in given.items()
        if value is not None and name not in (id_name, time_name)
    }
    when = given[time_name]
    return decode_event(
        {
            "id": str(given.get(id_name, number)),
            "time": when.isoformat() if isinstance(when, date) else when,
            **{name: flat.pop(name) for name in ("source", "advertisement", "k") if name in flat},
            "attributes": flat,
        }
    )


def _json_value(value: object) -> Any:
    return {"time": value.isoformat()} if isinstance(value, date | datetime) else value
