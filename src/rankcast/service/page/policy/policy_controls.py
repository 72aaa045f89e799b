"""The controls of a policy. They edit its JSON form, so fields without a control stay unchanged."""

from collections.abc import Callable, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, assert_never

from nicegui import ui

from rankcast.language import parse_duration
from rankcast.language.declared_json import encode_value
from rankcast.language.presets import filter_of_kind
from rankcast.model import Filter, FilterKind, Length, Mode, Policy, ScorePart, Unit
from rankcast.model.declared import (
    Declared,
    Duration,
    Instant,
    Name,
    Names,
    Nested,
    Numbers,
    Real,
    Truth,
    Whole,
    Word,
    declared,
)
from rankcast.plain import JsonObject
from rankcast.service.page.widgets import group, set_props, slide, words

__all__ = ["PolicyControls"]

_UNITS = {
    **{unit.value: unit.title for unit in Unit if unit is not Unit.TIME},
    "m": "minutes",
    "h": "hours",
    "d": "days",
}
_FILTERS = {"": "Off", **{kind.value: kind.title for kind in FilterKind}}
_DRAWN = frozenset(("user", "mode", "k", "length", "sigma", "score", "filter"))
"""The fields with their own controls. All others are listed under "More", from their declarations."""

_DRAWN_OF_FILTER = frozenset(("novelty", "rate", "minimum"))
_DEFAULTS: JsonObject = {"k": 5, "length": 100}


class PolicyControls:
    """Shows and edits the fields of a policy in its JSON form. `changed` is called after each change."""

    def __init__(self, fields: JsonObject, attributes: Sequence[str], changed: Callable[[], None]) -> None:
        self.fields = fields
        self._attributes = attributes
        self._changed = changed
        self._body = group("div", "rc-column rc-controls")
        self._draw()

    def show(self, fields: JsonObject) -> None:
        """Show other fields."""
        self.fields = fields
        self._draw()

    def _draw(self) -> None:
        self._body.clear()
        mode = Mode(self.fields.get("mode", "all"))
        with self._body:
            with group("fieldset", "rc-fieldset"):
                words("legend", "When")
                choice = ui.toggle({one.value: one.title for one in Mode}, value=mode.value)
                choice.props("no-caps unelevated spread toggle-text-color=on-accent").classes(
                    "rc-toggle"
                ).on_value_change(lambda change: self._set_mode(change.value))
                set_props(choice, aria_label="Mode")
                words("p", mode.meaning, "rc-soft rc-small")
                if mode is not Mode.ALL:
                    self._draw_length()
            if mode is not Mode.ALL:
                with group("fieldset", "rc-fieldset"):
                    words("legend", "How much")
                    most = self.fields.get("k", 5)
                    slide(
                        "At most",
                        most,
                        lambda to: self._set("k", int(to)),
                        least=1,
                        most=max(30, most),
                        step=1,
                        unit="",
                    )
                    variety = round(100 * (1 - self.fields.get("sigma", 1.0)))
                    slide("Variety against rank", variety, lambda to: self._set("sigma", round(1 - to / 100, 2)))
            with group("fieldset", "rc-fieldset"):
                words("legend", "What counts in the rank")
                score = self.fields.get("score", {"preference": 1.0})
                for part in ScorePart:
                    slide(part.title, round(100 * min(1, score.get(part.value, 0.0))), partial(self._weigh, part))
            with group("fieldset", "rc-fieldset"):
                words("legend", "Novelty filter")
                self._draw_filter()
            with ui.expansion("More", icon="o_more_horiz").classes("rc-more"):
                self._draw_more()

    def _draw_length(self) -> None:
        amount, unit = _length(self.fields)
        with group("div", "rc-row"):
            words("span", "over", "rc-soft")
            number = (
                ui.number(value=amount, min=1, precision=0).props("dense outlined debounce=300").classes("rc-amount")
            )
            units = ui.select(_UNITS, value=unit).props("dense outlined options-dense")
            set_props(number, aria_label="Length")
            set_props(units, aria_label="Unit of the length")

        def change() -> None:
            size = max(1, int(number.value or 1))
            self.fields.pop("unit", None)
            self.fields["length"] = size if units.value in ("events", "matched") else f"{size}{units.value}"
            if units.value == "matched":
                self.fields["unit"] = "matched"
            self._changed()

        number.on_value_change(change)
        units.on_value_change(change)

    def _draw_filter(self) -> None:
        kept = self.fields.get("filter") or {}
        kind = kept.get("novelty", "")
        choice = ui.select(_FILTERS, value=kind).props("dense outlined options-dense")
        choice.on_value_change(lambda change: self._set_filter(change.value))
        set_props(choice, aria_label="Novelty filter")
        if not kind:
            return
        if kind == FilterKind.MINIMUM.value:
            least = round(100 * kept.get("minimum", 0.5))
            slide("From", least, lambda to: self._refine(minimum=to / 100))
        else:
            share = round(100 * kept.get("rate", 0.2))
            slide("Share let through", share, lambda to: self._refine(rate=to / 100), least=5)

    def _draw_more(self) -> None:
        with group("div", "rc-column"):
            for one in declared(Policy):
                if one.name not in _DRAWN:
                    self._draw_field((one.name,), one)
            if self.fields.get("filter"):
                words("p", _label(next(one for one in declared(Policy) if one.name == "filter")), "rc-strong")
                for one in declared(Filter):
                    if one.name not in _DRAWN_OF_FILTER:
                        self._draw_field(("filter", one.name), one)

    def _draw_field(self, path: tuple[str, ...], one: Declared) -> None:
        """The control of a field, according to its kind and bounds."""
        value, change = self._value(path, one), partial(self._set_at, path)
        kind, label = one.kind, _label(one)
        match kind:
            case Nested(of, _) if of is not Length:
                words("p", label, "rc-strong")
                for inner in declared(of):
                    self._draw_field((*path, inner.name), inner)
            case Word(options):
                titles = {word.value: getattr(word, "title", word.value) for word in options}
                field = ui.select({name: titles.get(name, name) for name in kind.names}, label=label, value=value)
                field.props("dense outlined options-dense").on_value_change(lambda event: change(event.value))
            case Truth():
                yes = ui.checkbox(label, value=value)
                yes.on_value_change(lambda event: change(event.value))
            case Real() | Whole():
                number = ui.number(label=label, value=value, min=kind.low, max=kind.high)
                number.props("dense outlined debounce=300")
                whole = isinstance(kind, Whole)
                number.on_value_change(lambda event: change(_number(event.value, whole)))
            case Duration() | Instant() | Name() | Nested():
                text = ui.input(label=label, value="" if value is None else str(value))
                text.props("dense outlined debounce=300")
                text.on_value_change(lambda event: change(_length_or_text(event.value.strip())))
            case Numbers():
                text = ui.input(label=f"{label} (genre=2, year=0.5)", value=_pairs(value))
                text.props("dense outlined debounce=300").on_value_change(
                    lambda event: change(_read_pairs(event.value))
                )
            case Names():
                several = ui.select(
                    sorted({*self._attributes, *(value or [])}), label=label, multiple=True, value=value or []
                ).props("dense outlined options-dense use-chips")
                several.on_value_change(lambda event: change(list(event.value) or None))
            case other:
                assert_never(other)

    def _value(self, path: tuple[str, ...], one: Declared) -> Any:
        """The current value of a field, in its JSON form."""
        fields: Any = self.fields
        for name in path[:-1]:
            fields = fields.get(name) or {}
        given = fields.get(one.name)
        return encode_value(one.default) if given is None else given

    # changing

    def _set(self, name: str, value: object) -> None:
        if value is None:
            self.fields.pop(name, None)
        else:
            self.fields[name] = value
        self._changed()

    def _set_at(self, path: tuple[str, ...], value: object) -> None:
        """Set a field, or remove it if there is no value. A nested record without fields is removed too."""
        if len(path) == 1:
            self._set(path[0], value)
            return
        inner = {**(self.fields.get(path[0]) or {}), path[1]: value}
        inner = {name: known for name, known in inner.items() if known is not None}
        self._set(path[0], inner or None)

    def _set_mode(self, mode: str) -> None:
        self.fields["mode"] = mode
        if mode != Mode.ALL.value:
            self.fields = {**_DEFAULTS, **self.fields}
        self._draw()
        self._changed()

    def _weigh(self, part: ScorePart, value: float) -> None:
        score = {**self.fields.get("score", {"preference": 1.0}), part.value: value / 100}
        self._set("score", {name: weight for name, weight in score.items() if weight > 0})

    def _set_filter(self, kind: str) -> None:
        kept = {"rate": 0.2, "period": 100, **(self.fields.get("filter") or {})}
        self.fields["filter"] = filter_of_kind(kept, kind)
        if not kind:
            del self.fields["filter"]
        self._draw()
        self._changed()

    def _refine(self, **settings: object) -> None:
        self._set("filter", {**self.fields["filter"], **settings})


def _length(fields: JsonObject) -> tuple[int, str]:
    """The length as an amount and a unit."""
    length = fields.get("length", 100)
    if isinstance(length, int):
        return length, fields.get("unit", "events")
    span = parse_duration(length)
    for unit, size in (("d", timedelta(days=1)), ("h", timedelta(hours=1))):
        if span % size == timedelta(0):
            return span // size, unit
    return max(1, round(span / timedelta(minutes=1))), "m"


def _label(one: Declared) -> str:
    return one.about.label or one.name


def _number(value: float | None, whole: bool) -> float | None:
    return int(value) if whole and value is not None and float(value).is_integer() else value


def _length_or_text(text: str) -> int | str | None:
    return int(text) if text.isdecimal() and len(text) < 19 else text or None


def _pairs(value: Mapping[str, float] | None) -> str:
    return ", ".join(f"{name}={number:g}" for name, number in (value or {}).items())


def _read_pairs(text: str) -> dict[str, float | str] | None:
    """Parse ``genre=2, year=0.5``. A value that is not a number stays a text, which the policy then refuses."""
    found: dict[str, float | str] = {}
    for pair in filter(None, map(str.strip, text.split(","))):
        name, _, number = pair.rpartition("=")
        try:
            found[name.strip() or number] = float(number)
        except ValueError:
            found[name.strip() or number] = number
    return found or None
