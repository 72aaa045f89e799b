"""The controls of a policy. They edit its JSON form, so fields without a control stay unchanged."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import timedelta
from functools import partial
from typing import Any, assert_never

from nicegui import ui

from rankcast.language import parse_duration
from rankcast.language.declared_json import encode_value
from rankcast.language.presets import filter_of_kind
from rankcast.model import FilterKind, Mode, Policy, ScorePart, Unit
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
"""The fields with their own controls. All others are listed under "Advanced", from their declarations."""

_DRAWN_OF_FILTER = frozenset(("novelty", "rate", "minimum"))
_GROUPS = {
    "rank": ("Rank", "How the subscriptions that match an event make its rank."),
    "variety": ("Variety", "What makes events different. It has an effect if variety is above 0%."),
    "time": ("Windows and periods", "When a choice is made, and when it changes."),
    "novelty": ("Novelty in the rank", "It has an effect if novelty counts in the rank."),
    "decay": ("Decaying novelty", "Novelty that falls with every match. It has an effect where novelty decays."),
    "filter": ("Novelty filter", "How the filter decides what goes on."),
}
"""The groups of the advanced settings, each with a title and a sentence."""

_GROUP_OF = {
    **dict.fromkeys(("calm", "ties", "origin"), "time"),
    **dict.fromkeys(("select", "objective", "distance", "weights", "attributes"), "variety"),
    **{name: name for name in ("novelty", "decay", "filter")},
}
"""The group of a field. Fields that are not named here make the rank."""

_DEFAULTS: JsonObject = {"k": 5, "length": 100}


class PolicyControls:
    """Shows and edits the fields of a policy in its JSON form. `changed` is called after each change.

    The advanced settings are where `draw_advanced` was called.
    """

    def __init__(self, fields: JsonObject, attributes: Sequence[str], changed: Callable[[], None]) -> None:
        self.fields = fields
        self._attributes = attributes
        self._changed = changed
        self._is_open = False
        self._body = group("div", "rc-column rc-controls")
        self._advanced = group("div")
        self._draw()

    def draw_advanced(self) -> None:
        """Put the advanced settings into the current element."""
        self._advanced.delete()
        self._advanced = group("div")
        self._draw_advanced()

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
        self._draw_advanced()

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

    def _draw_advanced(self) -> None:
        self._advanced.clear()
        changed = sum(name in self.fields for name in _advanced())
        title = f"Advanced ({changed} set)" if changed else "Advanced"
        with self._advanced, ui.expansion(title, icon="o_tune", value=self._is_open) as panel:
            panel.classes("rc-more").on_value_change(lambda change: setattr(self, "_is_open", change.value))
            with group("div", "rc-settings"):
                for name, (title, meaning) in _GROUPS.items():
                    if name != "filter" or self.fields.get("filter"):
                        self._draw_group(name, title, meaning)

    def _draw_group(self, name: str, title: str, meaning: str) -> None:
        with group("fieldset", "rc-fieldset"):
            words("legend", title)
            words("p", meaning, "rc-soft rc-small")
            for path, one in _settings(name):
                self._draw_field(path, one)

    def _draw_field(self, path: tuple[str, ...], one: Declared) -> None:
        """A field with its name above and its meaning below."""
        with group("div", "rc-setting"):
            if not isinstance(one.kind, Truth):
                words("span", _label(one), "rc-setting-name")
            set_props(self._control(path, one), aria_label=_label(one))
            words("span", one.about.help, "rc-soft rc-small")

    def _control(self, path: tuple[str, ...], one: Declared) -> ui.element:
        """The control of a field, according to its kind and bounds."""
        value, change = self._value(path, one), partial(self._set_at, path)
        kind = one.kind
        match kind:
            case Word(options):
                titles = {word.value: getattr(word, "title", word.value) for word in options}
                choice = ui.select({name: titles.get(name, name) for name in kind.names}, value=value)
                choice.on_value_change(lambda event: change(event.value))
                return choice.props("dense outlined options-dense")
            case Truth():
                return ui.checkbox(_label(one), value=value, on_change=lambda event: change(event.value))
            case Real() | Whole():
                number = ui.number(value=value, min=kind.low, max=kind.high).props("dense outlined debounce=300")
                whole = isinstance(kind, Whole)
                number.on_value_change(lambda event: change(_number(event.value, whole)))
                return number
            case Duration() | Instant() | Name() | Nested():
                example = "1d, 12h or 30m" if isinstance(kind, Duration) else "100, or 1d" if value is None else ""
                text = ui.input(value="" if value is None else str(value), placeholder=example)
                text.on_value_change(lambda event: change(_length_or_text(event.value.strip())))
                return text.props("dense outlined debounce=300")
            case Numbers():
                text = ui.input(value=_pairs(value), placeholder="name=2, name=0.5")
                text.on_value_change(lambda event: change(_read_pairs(event.value)))
                return text.props("dense outlined debounce=300")
            case Names():
                several = ui.select(sorted({*self._attributes, *(value or [])}), multiple=True, value=value or [])
                several.on_value_change(lambda event: change(list(event.value) or None))
                return several.props("dense outlined options-dense use-chips")
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


def _advanced() -> list[str]:
    """The fields of a policy without a control of their own."""
    return [one.name for one in declared(Policy) if one.name not in _DRAWN]


def _settings(name: str) -> Iterator[tuple[tuple[str, ...], Declared]]:
    """The advanced fields of a group, with their paths."""
    for one in declared(Policy):
        if _GROUP_OF.get(one.name, "rank") != name or (one.name in _DRAWN and one.name != "filter"):
            continue
        if isinstance(one.kind, Nested):
            for inner in declared(one.kind.of):
                if one.name != "filter" or inner.name not in _DRAWN_OF_FILTER:
                    yield (one.name, inner.name), inner
        else:
            yield (one.name,), one


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
