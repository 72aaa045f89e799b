"""``rankcast policy``: how much a user wants to hear, when, and by which criteria."""

from collections.abc import Mapping, Sequence
from enum import Enum
from typing import Annotated, Any

import typer

from rankcast.cli.options import DEFAULT_STORE, Json, OneUser, StorePath
from rankcast.cli.output import Column, Output
from rankcast.cli.values import numbers
from rankcast.language.presets import PRESETS, preset_fields
from rankcast.model import Aggregate, FilterKind, Levels, Mode, Norm, Policy, Rates, Scoring, Select, Ties, Unit, Update

__all__ = ["policy"]

_COLUMNS = (
    Column("user", style="bold"),
    Column("mode"),
    Column("k", align="right"),
    Column("length", align="right"),
    Column("sigma", align="right"),
    Column("more", folds=True),
)
_SHOWN = ("kind", "user", "mode", "k", "length", "unit", "sigma")
_SCORE = "Score"
_FILTER = "Novelty filter"


def policy(
    user: OneUser = None,
    preset: Annotated[str | None, typer.Option(metavar="NAME", help=f"A policy by name: {', '.join(PRESETS)}.")] = None,
    mode: Annotated[Mode | None, typer.Option(help="When the best are taken.")] = None,
    k: Annotated[int | None, typer.Option("--k", "-k", help="How many of the best.")] = None,
    length: Annotated[
        str | None, typer.Option(metavar="N|TIME", help="Of a period or window: 100 (events), or 30m, 1h30m, 1d.")
    ] = None,
    unit: Annotated[Unit | None, typer.Option(help="What a length counts: events published, or matched.")] = None,
    sigma: Annotated[float | None, typer.Option(metavar="0..1", help="1: rank alone counts; 0: diversity.")] = None,
    select: Annotated[Select | None, typer.Option(help="How k of n are chosen.")] = None,
    ties: Annotated[Ties | None, typer.Option(help="Whether an equal event replaces one in the history.")] = None,
    weight: Annotated[
        list[str] | None, typer.Option(metavar="NAME=N", help="What an attribute counts for distance. Several.")
    ] = None,
    attribute: Annotated[
        list[str] | None, typer.Option(metavar="NAME", help="Only these count for distance. Several.")
    ] = None,
    origin: Annotated[str | None, typer.Option(metavar="TIME", help="Where periods of time begin.")] = None,
    aggregate: Annotated[
        Aggregate | None, typer.Option(help="One rank of several scores.", rich_help_panel=_SCORE)
    ] = None,
    levels: Annotated[Levels | None, typer.Option(help="Scores of preference levels.", rich_help_panel=_SCORE)] = None,
    norm: Annotated[Norm | None, typer.Option(help="How degrees combine over 'and'.", rich_help_panel=_SCORE)] = None,
    score: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PART=N",
            help="What preference, novelty, degree, authority, recency count. Several.",
            rich_help_panel=_SCORE,
        ),
    ] = None,
    authority: Annotated[
        list[str] | None,
        typer.Option(metavar="SOURCE=0..1", help="What a source is worth. Several.", rich_help_panel=_SCORE),
    ] = None,
    half_life: Annotated[
        str | None,
        typer.Option(metavar="TIME", help="At what age an event is worth half.", rich_help_panel=_SCORE),
    ] = None,
    filter_kind: Annotated[
        FilterKind | None, typer.Option("--filter", help="Which filter.", rich_help_panel=_FILTER)
    ] = None,
    rate: Annotated[
        float | None, typer.Option(metavar="0..1", help="The share that may pass.", rich_help_panel=_FILTER)
    ] = None,
    period: Annotated[
        int | None, typer.Option(help="Matching events in a period or window.", rich_help_panel=_FILTER)
    ] = None,
    scoring: Annotated[Scoring | None, typer.Option(help="What novelty is.", rich_help_panel=_FILTER)] = None,
    update: Annotated[Update | None, typer.Option(help="When it learns.", rich_help_panel=_FILTER)] = None,
    aging: Annotated[
        float | None, typer.Option(metavar="0..1", help="1: only the present counts.", rich_help_panel=_FILTER)
    ] = None,
    rates: Annotated[
        Rates | None, typer.Option(help="Over what match rates are counted.", rich_help_panel=_FILTER)
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of what is random.", rich_help_panel=_FILTER)] = None,
    remove: Annotated[bool, typer.Option("--remove", help="Back to mode all.")] = False,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Say how a user is served. What is not said stays as it was; if nothing is said, show the policy.

    Example:

      rankcast policy --user addison --mode sliding --k 2 --length 100 --sigma 0.5
      rankcast policy --user addison --mode periodic --k 5 --length 1d
      rankcast policy --user addison --preset balanced
      rankcast policy                   (lists all)
    """
    from rankcast.errors import CatalogError
    from rankcast.language import decode_record, encode_record
    from rankcast.store import Store

    given = _told(
        mode=mode,
        k=k,
        length=_length(length),
        unit=unit,
        sigma=sigma,
        select=select,
        ties=ties,
        weights=numbers(weight, "--weight") if weight else None,
        attributes=attribute or None,
        origin=origin,
        aggregate=aggregate,
        levels=levels,
        norm=norm,
        score=numbers(score, "--score") if score else None,
        authority=numbers(authority, "--authority") if authority else None,
        half_life=half_life,
    )
    novelty = _told(
        novelty=filter_kind,
        rate=rate,
        period=period,
        scoring=scoring,
        update=update,
        aging=aging,
        rates=rates,
        seed=seed,
    )
    if preset is not None:
        given = {**preset_fields(preset), **given}
    out = Output(json)
    with Store.open(store) as opened:
        catalog = opened.catalog()
        if not given and not novelty and not remove:
            listed = catalog.policies.values() if user is None else [catalog.policy_of(user)]
            out.records(map(encode_record, listed), _COLUMNS, _cells, "no policies; everybody gets all that matches")
            return
        if user is None:
            raise typer.BadParameter("whose policy is it? give --user")
        if remove:
            if user not in catalog.policies:
                raise CatalogError(f"{user!r} has no policy")
            opened.change(remove=[catalog.policies[user]])
            out.done(f"{user} gets all that matches", {"kind": "policy", "user": user})
            return
        before = encode_record(Policy(user) if preset is not None else catalog.policy_of(user))
        if "length" in given:
            before.pop("unit", None)
        if novelty:
            given["filter"] = {**given.get("filter", before.get("filter", {})), **novelty}
        new = decode_record({**before, **given})
        opened.change(put=[new])
    out.done(f"{user}: {_words(encode_record(new))}", encode_record(new))


def _told(**fields: Any) -> dict[str, Any]:
    """The fields that were given, in their JSON form."""
    return {
        name: value.value if isinstance(value, Enum) else value for name, value in fields.items() if value is not None
    }


def _length(text: str | None) -> int | str | None:
    return int(text) if text is not None and text.isdecimal() and len(text) < 19 else text


def _span(record: Mapping[str, Any]) -> str:
    length = record.get("length", "")
    return f"{length} {record.get('unit', 'events')}" if isinstance(length, int) else str(length)


def _words(record: Mapping[str, Any]) -> str:
    words = [f"mode {record.get('mode', 'all')}"]
    words += [f"k {record['k']}"] if "k" in record else []
    words += [f"length {_span(record)}"] if "length" in record else []
    words += [f"sigma {record['sigma']:g}"] if "sigma" in record else []
    return ", ".join([*words, *_more(record)])


def _more(record: Mapping[str, Any]) -> list[str]:
    return [f"{name} {_plain(value)}" for name, value in record.items() if name not in _SHOWN]


def _plain(value: Any) -> str:
    match value:
        case dict():
            return " ".join(f"{name}={_plain(inner)}" for name, inner in value.items())
        case list():
            return " ".join(map(str, value))
        case float():
            return f"{value:g}"
    return str(value)


def _cells(record: Mapping[str, Any]) -> Sequence[str]:
    return (
        record["user"],
        record.get("mode", "all"),
        str(record.get("k", "")),
        _span(record) if "length" in record else "",
        f"{record.get('sigma', 1.0):g}",
        ", ".join(_more(record)),
    )
