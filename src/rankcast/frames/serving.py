"""The main functions for notebooks and programs: match, deliver, explain, relate."""

from itertools import islice
from typing import TYPE_CHECKING, Any
from warnings import warn

from rankcast.frames.results import Deliveries, MatchTable
from rankcast.frames.tables import EventData, EventFrame, events
from rankcast.frames.users import CatalogData, catalog
from rankcast.language import parse
from rankcast.language.mistakes import attribute_kinds, likely_mistakes
from rankcast.model import Catalog, Expression

if TYPE_CHECKING:
    from rankcast.cover import Relation
    from rankcast.engine.explain import Explanation

_CHUNK = 2_000
_CHECKED = 100
"""Only this many subscriptions are searched for mistakes: larger numbers are rarely written by hand."""


def match(
    data: "EventData | EventFrame", wanted: CatalogData, *, id_column: str = "id", time_column: str = "time"
) -> Any:
    """Find which subscriptions each event matches, and to what degree.

    Takes the same input as `deliver`. The result is a `MatchTable`, or a Spark DataFrame if the input is one.

    >>> from rankcast.frames import user
    >>> found = match([{"id": "e1", "time": "2026-01-01", "year": 2001}], user("ann").wants("year > 1999"))
    >>> [(one.event, one.user) for one in found]
    [('e1', 'ann')]
    """
    if _is_spark(data):
        from rankcast.pipeline.spark import match as match_on_spark

        return match_on_spark(data, catalog(wanted))  # type: ignore[arg-type]  # told by its module
    from rankcast.engine.choice import shard_for

    given, known = events(data, id_column=id_column, time_column=time_column), catalog(wanted)
    _warn(given, known)
    shard = shard_for(len(given), known)
    return MatchTable(tuple(found for event in given.events for found in shard.match(event)), given)


def deliver(
    data: "EventData | EventFrame", wanted: CatalogData, *, id_column: str = "id", time_column: str = "time"
) -> Any:
    """Choose for each user the events worth getting. The whole stream is served, and the last period is closed.

    Parameters
    ----------
    data
        The events: anything that `events` accepts, or a Spark DataFrame, batch or streaming.
    wanted
        What users want: anything that `catalog` accepts, such as
        `user("ann").wants("year > 1999").gets(top=3, per="1w")`.
    id_column, time_column
        The columns with the id and the publication time of an event.

    Returns
    -------
    Deliveries
        A sequence of deliveries; `frame` is a table of the same kind as the input. If the input is a Spark DataFrame,
        the result is one too.

    >>> from rankcast.frames import user
    >>> films = [{"id": f"f{n}", "time": f"2026-01-0{n}", "genre": g} for n, g in enumerate(["war", "war", "noir"], 1)]
    >>> deliver(films, user("ann").wants("genre exists").gets(top=2, per=3, variety=1.0)).to_pandas()["event"].tolist()
    ['f2', 'f3']
    """
    if _is_spark(data):
        from rankcast.pipeline.spark import deliver as deliver_on_spark

        return deliver_on_spark(data, catalog(wanted))  # type: ignore[arg-type]  # told by its module
    from rankcast.engine.choice import shard_for

    given, known = events(data, id_column=id_column, time_column=time_column), catalog(wanted)
    _warn(given, known)
    shard = shard_for(len(given), known)
    sent = []
    for start in range(0, len(given), _CHUNK):
        sent += shard.publish(given.events[start : start + _CHUNK])
    sent += shard.close()
    sent.sort(key=lambda one: one.order)
    matched: dict[str, list[int]] = {user: [] for user in known.users()}
    if len(given) * len(known.subscriptions) <= _DRAWN:
        for event in given.events:
            for user in dict.fromkeys(found.user for found in shard.match(event)):
                matched[user].append(event.seq)
    return Deliveries(tuple(sent), given, matched)


_DRAWN = 500_000
"""The picture shows matches only up to this many pairs of event and subscription."""


def explain(
    data: "EventData | EventFrame",
    wanted: CatalogData,
    user: str,
    event: str,
    *,
    id_column: str = "id",
    time_column: str = "time",
) -> "Explanation":
    """Explain why an event was or was not sent to a user.

    >>> from rankcast.frames import user
    >>> films = [{"id": "f1", "time": "2026-01-01", "genre": "war"}]
    >>> explain(films, user("ann").wants("genre = 'noir'"), "ann", "f1").verdict
    "not sent: the subscription of 'ann' does not match"
    """
    from rankcast.engine.explain import explain as explain_event

    return explain_event(
        catalog(wanted), events(data, id_column=id_column, time_column=time_column).events, user, event
    )


def relate(first: "str | Expression", second: "str | Expression", wanted: CatalogData = ()) -> "Relation":
    """The relation of one expression to another: EQUAL, COVERS, COVERED, OVERLAPS or DISJOINT.

    `wanted` is the catalog that defines the concepts in the expressions.

    >>> relate("genre = 'drama'", "genre = 'drama' and year > 1999").name
    'COVERS'
    """
    from rankcast.cover import relate as relate_expressions

    left, right = (parse(one) if isinstance(one, str) else one for one in (first, second))
    return relate_expressions(left, right, catalog(wanted).membership)


def _warn(given: EventFrame, known: Catalog) -> None:
    """Warn of subscriptions that ask for something that no event has, likely by mistake."""
    kinds = attribute_kinds(given.events)
    for one in islice(known.subscriptions.values(), _CHECKED):
        for mistake in likely_mistakes(one.where, kinds, "these events"):
            warn(f"subscription {one.id!r} of {one.user!r}: {mistake}", stacklevel=3)


def _is_spark(data: object) -> bool:
    return type(data).__module__.partition(".")[0] == "pyspark"
