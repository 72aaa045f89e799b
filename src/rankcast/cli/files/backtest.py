"""``rankcast backtest``: compare what several policies would have delivered from the same events."""

import json as json_text
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from rankcast.cli.inputs import read_inputs
from rankcast.cli.operation.rejects import exit_if_any
from rankcast.cli.options import CatalogFile, EventsFile, Json, OneUser, output_file
from rankcast.cli.output import Output, TableColumn, amount, amounts
from rankcast.cli.sparks import event_frame, spark_session
from rankcast.extras import require
from rankcast.plain import JsonObject

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from rankcast.model import Catalog, Event, Policy

NOW = "as now"
_COLUMNS = (
    TableColumn("policy", style="bold", folds=True),
    *amounts("delivered", "users"),
    amount("mean rank", lambda row: _number(row["rank"]), ""),
    amount("diversity", lambda row: _number(row["diversity"]), ""),
    amount("mean wait", lambda row: _wait(row["wait"]), ""),
    amount("overlap with the first", lambda row: f"{100 * row['overlap']:.0f} %", ""),
)


def backtest(
    catalog_file: CatalogFile,
    events_file: EventsFile,
    tries: Annotated[
        list[str] | None,
        typer.Option(
            "--try", metavar="FIELDS", help="Policy to try, such as 'k=5 mode=sliding length=200'. May be repeated."
        ),
    ] = None,
    user: OneUser = None,
    picture: Annotated[Path | None, output_file("--picture", "Draw the results to this PNG file.")] = None,
    json: Json = False,
) -> None:
    """Try policies on past events, on Spark, and compare what each would have delivered.

    The first row shows the current policies. Give a policy by its fields, as in a policy record. It applies to every
    user of the catalog, or to --user. Diversity is the mean distance among ten consecutive deliveries to one user.
    Overlap is the share of deliveries that two policies have in common.

    Example:

      rankcast backtest --catalog c.jsonl --events e.jsonl --try 'mode=sliding k=3 length=50'
    """
    require("spark", *(["plots"] if picture is not None else []))
    out = Output(json)
    policies: dict[str, Policy | None] = {NOW: None}
    policies |= {" ".join(text.split()): policy_of(text) for text in tries or []}
    catalog, events, rejected = read_inputs(catalog_file, events_file, out)
    if user is not None:
        (known,) = catalog.subscribers(user)
        catalog = catalog.alone(known)
    rows, overlap = _run(catalog, events, policies, out)
    out.records(rows, _COLUMNS, "no deliveries")
    if picture is not None:
        _draw(rows, overlap).savefig(picture, dpi=120, bbox_inches="tight")
        out.say(f"wrote {picture}")
    exit_if_any(rejected)


def policy_of(text: str) -> "Policy":
    """Read a policy from fields such as ``k=5 mode=sliding length=200``.

    >>> policy_of("k=5 mode=sliding length=30m").length
    Length(amount=datetime.timedelta(seconds=1800), unit=<Unit.TIME: 'time'>)
    """
    from rankcast.errors import ModelError
    from rankcast.language import decode_record
    from rankcast.model import Policy

    fields: JsonObject = {"kind": "policy", "user": NOW}
    for part in text.split():
        name, equals, value = part.partition("=")
        if not equals or not name or not value:
            raise ModelError(f"{part!r} in --try is not of the form name=value, such as k=5")
        try:
            fields[name] = json_text.loads(value)
        except ValueError:
            fields[name] = value
    policy = decode_record(fields)
    assert isinstance(policy, Policy)
    return policy


def _run(
    catalog: "Catalog", events: "Sequence[Event]", policies: "Mapping[str, Policy | None]", out: Output
) -> tuple[list[JsonObject], dict[tuple[str, str], float]]:
    """One row per policy, in the given order, and the overlap of each pair."""
    from rankcast.pipeline.spark import backtest as tried
    from rankcast.pipeline.spark import backtest_measures, backtest_overlap

    with spark_session(out, f"{len(events):,} events under {len(policies)} policies") as (session, _):
        frame = event_frame(session, events)
        sent = tried(frame, catalog, policies, json="event").cache()
        measured = backtest_measures(sent, frame, catalog, json="event").toArrow().to_pylist()
        overlaps = backtest_overlap(sent).toArrow().to_pylist()
        sent.unpersist()
    by_name = {row["policy"]: row for row in measured}
    overlap = {(row["policy"], row["other"]): row["overlap"] for row in overlaps}
    first = next(iter(policies))
    empty = {"users": 0, "delivered": 0, "rank": None, "diversity": None, "wait": None}
    rows = [
        {"policy": name, **empty, **by_name.get(name, {}), "overlap": overlap.get((first, name), 0.0)}
        for name in policies
    ]
    return rows, overlap


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3f}"


def _wait(seconds: float | None) -> str:
    from datetime import timedelta

    return "-" if seconds is None else str(timedelta(seconds=round(seconds)))


def _draw(rows: list[JsonObject], overlap: dict[tuple[str, str], float]) -> "Figure":
    from matplotlib.figure import Figure

    names = [row["policy"] for row in rows]
    figure = Figure(figsize=(13, 1.6 + 0.45 * len(rows)), layout="constrained")
    titles = (("delivered", "delivered"), ("rank", "mean rank"), ("diversity", "diversity"), ("wait", "mean wait, min"))
    for number, (field, title) in enumerate(titles, 1):
        axes = figure.add_subplot(1, 5, number)
        values = [(row[field] or 0) / (60 if field == "wait" else 1) for row in rows]
        axes.barh(range(len(rows)), values, color=f"C{number - 1}")
        axes.set_yticks(range(len(rows)), names if number == 1 else [""] * len(rows), fontsize=8)
        axes.invert_yaxis()
        axes.set_title(title, fontsize=10)
        axes.tick_params(axis="x", labelsize=8)
    axes = figure.add_subplot(1, 5, 5)
    axes.imshow(
        [[overlap.get((one, other), 0.0) for other in names] for one in names],
        vmin=0,
        vmax=1,
        cmap="Blues",
        aspect="auto",
    )
    for y, one in enumerate(names):
        for x, other in enumerate(names):
            share = overlap.get((one, other), 0.0)
            axes.text(
                x, y, f"{share:.2f}", ha="center", va="center", fontsize=8, color="white" if share > 0.6 else "black"
            )
    axes.set_xticks(range(len(names)), [str(number) for number in range(1, len(names) + 1)], fontsize=8)
    axes.set_yticks(range(len(names)), [str(number) for number in range(1, len(names) + 1)], fontsize=8)
    axes.set_title("overlap", fontsize=10)
    return figure
