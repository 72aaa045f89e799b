"""The advanced settings of a policy, in groups. Each field is drawn from its declaration, with its name and meaning."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, assert_never

from nicegui import ui

from rankcast.language.declared_json import encode_value
from rankcast.model import Policy
from rankcast.model import declared as kinds
from rankcast.plain import JsonObject
from rankcast.service.page.widgets import group, set_props, words

_DRAWN = frozenset(("user", "mode", "k", "length", "sigma", "score", "filter"))
"""The fields that have controls of their own. All others are advanced."""

_DRAWN_OF_FILTER = frozenset(("novelty", "rate", "minimum"))
_GROUPS = {
    "rank": ("Rank", "How the subscriptions that match an event make its rank."),
    "variety": ("Variety", "What makes events different. It has an effect if variety is above 0%."),
    "time": ("Windows and periods", "When a choice is made, and when it changes."),
    "novelty": ("Novelty in the rank", "It has an effect if novelty counts in the rank."),
    "decay": ("Decaying novelty", "Novelty that falls with every match. It has an effect where novelty decays."),
    "filter": ("Novelty filter", "How the filter decides what passes."),
}
"""The groups of the advanced settings, each with a title and a sentence."""

_GROUP_OF = {
    **dict.fromkeys(("calm", "ties", "origin"), "time"),
    **dict.fromkeys(("select", "objective", "distance", "weights", "attributes"), "variety"),
    **{name: name for name in ("novelty", "decay", "filter")},
}
"""The group of a field. Fields that are not named here make the rank."""


class AdvancedSettings:
    """A panel, closed at first, with all fields of a policy that have no controls of their own."""

    def __init__(self, attributes: Sequence[str]) -> None:
        self._attributes = attributes
        self._is_open = False
        self._box = group("div")

    def draw(self, fields: JsonObject, change: Callable[[tuple[str, ...], object], None]) -> None:
        """Show the settings of a policy. `change` is called with the path of a field and its new value."""
        self._fields, self._change = fields, change
        self._box.clear()
        changed = sum(name in fields for name in _advanced())
        title = f"Advanced ({changed} set)" if changed else "Advanced"
        with self._box, ui.expansion(title, icon="o_tune", value=self._is_open) as panel:
            panel.classes("rc-more").on_value_change(lambda change: setattr(self, "_is_open", change.value))
            with group("div", "rc-settings"):
                for name, (title, meaning) in _GROUPS.items():
                    if name != "filter" or self._fields.get("filter"):
                        self._draw_group(name, title, meaning)

    def _draw_group(self, name: str, title: str, meaning: str) -> None:
        with group("fieldset", "rc-fieldset"):
            words("legend", title)
            words("p", meaning, "rc-soft rc-small")
            for path, one in _settings(name):
                self._draw_field(path, one)

    def _draw_field(self, path: tuple[str, ...], one: kinds.Declared) -> None:
        """A field with its name above and its meaning below."""
        with group("div", "rc-setting"):
            if not isinstance(one.kind, kinds.Truth):
                words("span", _label(one), "rc-setting-name")
            set_props(self._control(path, one), aria_label=_label(one))
            words("span", one.about.help, "rc-soft rc-small")

    def _control(self, path: tuple[str, ...], one: kinds.Declared) -> ui.element:
        """The control of a field, according to its kind and bounds."""
        value, change = self._value(path, one), partial(self._change, path)
        kind = one.kind
        match kind:
            case kinds.Word(options):
                titles = {word.value: getattr(word, "title", word.value) for word in options}
                choice = ui.select({name: titles.get(name, name) for name in kind.names}, value=value)
                choice.on_value_change(lambda event: change(event.value))
                return choice.props("dense outlined options-dense")
            case kinds.Truth():
                return ui.checkbox(_label(one), value=value, on_change=lambda event: change(event.value))
            case kinds.Real() | kinds.Whole():
                number = ui.number(value=value, min=kind.low, max=kind.high).props("dense outlined debounce=300")
                whole = isinstance(kind, kinds.Whole)
                number.on_value_change(lambda event: change(_number(event.value, whole)))
                return number
            case kinds.Duration() | kinds.Instant() | kinds.Name() | kinds.Nested():
                example = (
                    "1d, 12h or 30m" if isinstance(kind, kinds.Duration) else "100, or 1d" if value is None else ""
                )
                text = ui.input(value="" if value is None else str(value), placeholder=example)
                text.on_value_change(lambda event: change(_length_or_text(event.value.strip())))
                return text.props("dense outlined debounce=300")
            case kinds.Numbers():
                text = ui.input(value=_pairs(value), placeholder="name=2, name=0.5")
                text.on_value_change(lambda event: change(_read_pairs(event.value)))
                return text.props("dense outlined debounce=300")
            case kinds.Names():
                several = ui.select(sorted({*self._attributes, *(value or [])}), multiple=True, value=value or [])
                several.on_value_change(lambda event: change(list(event.value) or None))
                return several.props("dense outlined options-dense use-chips")
            case other:
                assert_never(other)

    def _value(self, path: tuple[str, ...], one: kinds.Declared) -> Any:
        """The current value of a field, in its JSON form."""
        fields: Any = self._fields
        for name in path[:-1]:
            fields = fields.get(name) or {}
        given = fields.get(one.name)
        return encode_value(one.default) if given is None else given


def _advanced() -> list[str]:
    """The fields of a policy without a control of their own."""
    return [one.name for one in kinds.declared(Policy) if one.name not in _DRAWN]


def _settings(name: str) -> Iterator[tuple[tuple[str, ...], kinds.Declared]]:
    """The advanced fields of a group, with their paths."""
    for one in kinds.declared(Policy):
        if _GROUP_OF.get(one.name, "rank") != name or (one.name in _DRAWN and one.name != "filter"):
            continue
        if isinstance(one.kind, kinds.Nested):
            for inner in kinds.declared(one.kind.of):
                if one.name != "filter" or inner.name not in _DRAWN_OF_FILTER:
                    yield (one.name, inner.name), inner
        else:
            yield (one.name,), one


def _label(one: kinds.Declared) -> str:
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
