"""``rankcast policy``: how many events a user gets, when, and by which criteria.

The options are derived from the declarations of a policy's fields.
"""

from collections.abc import Iterator, Mapping
from enum import Enum
from typing import Annotated, Any, NamedTuple, assert_never

import typer

from rankcast.cli.completion import complete_preset
from rankcast.cli.inputs import numbers
from rankcast.cli.options import DEFAULT_STORE, Json, MaxPolicyCost, OneUser, StorePath, check_user, with_options
from rankcast.cli.output import Output, TableColumn, amount
from rankcast.language.presets import PRESETS, filter_of_kind, preset_fields
from rankcast.model import (
    MOST_POLICY_COST,
    Decaying,
    Filter,
    Length,
    NoveltyPart,
    Policy,
    Unit,
    check_policy_cost,
)
from rankcast.model import declared as kinds
from rankcast.plain import JsonObject

_COLUMNS = (
    TableColumn("user", style="bold"),
    TableColumn("mode", lambda record: record.get("mode", "all")),
    amount("k", form=""),
    amount("length", lambda record: _span(record), ""),
    amount("sigma", lambda record: record.get("sigma", 1.0), "g"),
    TableColumn("more", lambda record: ", ".join(_more(record)), folds=True),
)
_SHOWN = ("kind", "user", "mode", "k", "length", "unit", "sigma")
_PREFIXES = {Filter: "", NoveltyPart: "novelty-", Decaying: "decay-"}
_OPTIONS = {
    ("k",): ("--k", "-k"),
    ("weights",): ("--weight",),
    ("attributes",): ("--attribute",),
    ("filter", "novelty"): ("--filter",),
    ("filter", "half_life"): ("--rates-half-life",),
    ("novelty", "scoring"): ("--novelty",),
    ("decay", "form"): ("--decay",),
}
"""Options with special names. All others are the prefix of the record, followed by the field name with dashes."""

_UNIT = kinds.Declared(
    "unit",
    False,
    None,
    kinds.About(kinds.Word(Unit), "What the length counts: published events, matched events or time."),
)


class _Setting(NamedTuple):
    """An option: the field that it sets, its names, its type and its help text."""

    path: tuple[str, ...]
    names: tuple[str, ...]
    annotation: Any
    kind: kinds.FieldKind

    @property
    def parameter(self) -> str:
        return "_".join(self.path)


def _settings() -> Iterator[_Setting]:
    for one in kinds.declared(Policy):
        if one.name == "user":
            continue
        if isinstance(one.kind, kinds.Nested) and one.kind.of is not Length:
            for inner in _with_unit(one.kind.of):
                yield _setting((one.name, inner.name), inner, one.about.label, _PREFIXES[one.kind.of])
        else:
            yield _setting((one.name,), one, one.about.topic or None)
        if one.name == "length":
            yield _setting((_UNIT.name,), _UNIT, None)


def _with_unit(record: type) -> list[kinds.Declared]:
    fields = list(kinds.declared(record))
    return [*fields, _UNIT] if any(isinstance(one.kind, kinds.Nested) for one in fields) else fields


def _setting(path: tuple[str, ...], one: kinds.Declared, panel: str | None, prefix: str = "") -> _Setting:
    name = f"{prefix}{one.name.replace('_', '-')}"
    names = _OPTIONS.get(path, (f"--{name}/--no-{name}" if isinstance(one.kind, kinds.Truth) else f"--{name}",))
    kind, metavar = _typed(one.kind)
    several = " May be repeated." if isinstance(one.kind, kinds.Names | kinds.Numbers) else ""
    option = typer.Option(*names, metavar=metavar, help=f"{one.help}{several}", rich_help_panel=panel)
    return _Setting(path, names, Annotated[kind | None, option], one.kind)


def _typed(kind: kinds.FieldKind) -> tuple[Any, str | None]:
    """The type of an option, and the placeholder for its value in the help."""
    match kind:
        case kinds.Word(words, None):
            return words, None
        case kinds.Word(words):
            return str, "|".join([*(word.value for word in words), "NAME"])
        case kinds.Truth():
            return bool, None
        case kinds.Whole():
            return int, None if kind.low < -1 else f"{kind.low}..{kind.high}"
        case kinds.Real():
            return float, f"{kind.low:.0f}..{kind.high:.0f}"
        case kinds.Duration() | kinds.Instant():
            return str, "TIME"
        case kinds.Nested():
            return str, "N|TIME"
        case kinds.Names():
            return list[str], "NAME"
        case kinds.Numbers(_, kinds.Name()):
            return list[str], "NAME=N"
        case kinds.Numbers():
            return list[str], "PART=N"
        case kinds.Name():
            return str, "NAME"
    assert_never(kind)


_SETTINGS = tuple(_settings())
_INNER = frozenset(one.path[0] for one in _SETTINGS if len(one.path) > 1)
_SPANS = frozenset(("unit", *(one.name for one in kinds.declared(Decaying) if isinstance(one.kind, kinds.Nested))))


@with_options({one.parameter: one.annotation for one in _SETTINGS})
def policy(
    user: OneUser = None,
    preset: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            help=f"Named policy to start from: {', '.join(PRESETS)}.",
            autocompletion=complete_preset,
        ),
    ] = None,
    *,
    options: Mapping[str, object],
    remove: Annotated[
        bool, typer.Option("--remove", help="Remove the policy; the user then gets every match.")
    ] = False,
    max_policy_cost: MaxPolicyCost = MOST_POLICY_COST,
    store: StorePath = DEFAULT_STORE,
    json: Json = False,
) -> None:
    """Set the delivery policy of a user. Options you leave out keep their values; without options, show the policy.

    Example:

      rankcast policy --user addison --mode sliding --k 2 --length 100 --sigma 0.5
      rankcast policy --user addison --mode periodic --k 5 --length 1d
      rankcast policy --user addison --filter minimum --minimum 0.3
      rankcast policy --user addison --preset balanced
      rankcast policy                   (lists all)
    """
    from rankcast.errors import CatalogError
    from rankcast.language import decode_record, encode_record
    from rankcast.rank import policy_notes
    from rankcast.store import Store

    given = _told(options)
    out = Output(json)
    with Store.open(store) as opened:
        catalog = opened.catalog()
        if not given and preset is None and not remove:
            if user is not None:
                check_user(catalog, user)
            listed = catalog.policies.values() if user is None else [catalog.policy_of(user)]
            out.records(map(encode_record, listed), _COLUMNS, "no policies; every user gets all matches")
            return
        if user is None:
            raise typer.BadParameter("a policy needs a --user")
        if remove:
            if user in catalog.policies:
                opened.change(remove=[catalog.policies[user]])
            elif not opened.remove_unreadable("policy", user):
                raise CatalogError(f"{user!r} has no policy")
            out.done(f"removed the policy of {user}, who now gets all matches", {"kind": "policy", "user": user})
            return
        before = encode_record(Policy(user) if preset is not None else catalog.policy_of(user))
        if preset is not None:
            before |= preset_fields(preset)
        new = decode_record(_changed(before, given))
        assert isinstance(new, Policy)
        check_policy_cost(new, max_policy_cost)
        opened.change(put=[new])
    out.done(f"{user}: {_words(encode_record(new))}", encode_record(new))
    for note in policy_notes(new, catalog):
        out.say(f"note: {note}")


def _told(settings: Mapping[str, object]) -> JsonObject:
    """The given fields in their JSON form."""
    told: JsonObject = {}
    for one in _SETTINGS:
        value = settings.get(one.parameter)
        if value is None or value == []:
            continue
        inside = told.setdefault(one.path[0], {}) if len(one.path) > 1 else told
        inside[one.path[-1]] = _value(one, value)
    return told


def _value(one: _Setting, value: object) -> Any:
    match value:
        case Enum():
            return value.value
        case list() if isinstance(one.kind, kinds.Numbers):
            return numbers(value, one.names[0])
        case str() if isinstance(one.kind, kinds.Nested):
            return int(value) if value.isdecimal() and len(value) < 19 else value
    return value


def _changed(before: JsonObject, given: JsonObject) -> JsonObject:
    """A copy with changed fields. Fields of a nested record change one by one; a new length also resets the unit."""
    changed = dict(before)
    if "length" in given:
        changed.pop("unit", None)
    for name, value in given.items():
        if name in _INNER:
            spans = value.keys() & _SPANS
            kept = {field: known for field, known in before.get(name, {}).items() if not spans or field not in _SPANS}
            if name == "filter" and "novelty" in value:
                kept = filter_of_kind(kept, value["novelty"])
            changed[name] = {**kept, **value}
        else:
            changed[name] = value
    return changed


def _span(record: Mapping[str, object]) -> str:
    length = record.get("length", "")
    return f"{length} {record.get('unit', 'events')}" if isinstance(length, int) else str(length)


def _words(record: Mapping[str, object]) -> str:
    words = [f"mode {record.get('mode', 'all')}"]
    words += [f"k {record['k']}"] if "k" in record else []
    words += [f"length {_span(record)}"] if "length" in record else []
    words += [f"sigma {record['sigma']:g}"] if "sigma" in record else []
    return ", ".join([*words, *_more(record)])


def _more(record: Mapping[str, object]) -> list[str]:
    return [f"{name} {_plain(value)}" for name, value in record.items() if name not in _SHOWN]


def _plain(value: object) -> str:
    match value:
        case dict():
            return " ".join(f"{name}={_plain(inner)}" for name, inner in value.items())
        case list():
            return " ".join(map(str, value))
        case float():
            return f"{value:g}"
    return str(value)
