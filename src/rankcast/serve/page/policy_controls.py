"""The controls of a policy. They change its JSON form, so that whatever they do not show stays as it is."""

from collections.abc import Callable, Sequence
from datetime import timedelta
from functools import partial
from typing import Any

from nicegui import ui

from rankcast.language import parse_duration
from rankcast.model import Aggregate, FilterKind, Levels, Mode, Part, Select
from rankcast.serve.page.parts import group, set_props, slide, words

__all__ = ["PolicyControls"]

_MODES = {
    Mode.ALL: ("Everything", "Whatever matches, at once."),
    Mode.PERIODIC: ("Periodic", "The best of each period, at its end."),
    Mode.SLIDING: ("Sliding", "What enters the best of a sliding window, at once."),
    Mode.HISTORY: ("History", "What betters the best of what you got, at once."),
}
_UNITS = {"events": "events", "matched": "matches", "m": "minutes", "h": "hours", "d": "days"}
_PARTS = {
    Part.PREFERENCE: "Preference",
    Part.NOVELTY: "Novelty",
    Part.DEGREE: "Degree of match",
    Part.AUTHORITY: "Source",
    Part.RECENCY: "Recency",
}
_FILTERS = {
    "": "Off",
    FilterKind.THRESHOLD.value: "Best share",
    FilterKind.SAMPLING.value: "Sample, rare first",
    FilterKind.MINIMUM.value: "From a score on",
    FilterKind.RANDOM.value: "By chance",
}
_DEFAULTS: dict[str, Any] = {"k": 5, "length": 100}


class PolicyControls:
    """Shows the fields of a policy, as its JSON form has them, and changes them; `changed` is called after each change."""

    def __init__(self, fields: dict[str, Any], attributes: Sequence[str], changed: Callable[[], None]) -> None:
        self.fields = fields
        self._attributes = attributes
        self._changed = changed
        self._body = group("div", "rc-column rc-controls")
        self._draw()

    def show(self, fields: dict[str, Any]) -> None:
        """Show other fields."""
        self.fields = fields
        self._draw()

    def _draw(self) -> None:
        self._body.clear()
        mode = Mode(self.fields.get("mode", "all"))
        with self._body:
            with group("fieldset", "rc-fieldset"):
                words("legend", "When")
                choice = ui.toggle({one.value: name for one, (name, _) in _MODES.items()}, value=mode.value)
                choice.props("no-caps unelevated spread toggle-text-color=on-accent").classes(
                    "rc-toggle"
                ).on_value_change(lambda change: self._set_mode(change.value))
                set_props(choice, aria_label="Mode")
                words("p", _MODES[mode][1], "rc-soft rc-small")
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
                for part, name in _PARTS.items():
                    slide(name, round(100 * min(1, score.get(part.value, 0.0))), partial(self._weigh, part))
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
            for name, kind, label in (
                ("aggregate", Aggregate, "Of several subscriptions, the rank is the"),
                ("levels", Levels, "Worth of levels falls"),
                ("select", Select, "The choice is made"),
            ):
                default = next(iter(kind)).value
                field = ui.select([one.value for one in kind], label=label, value=self.fields.get(name, default))
                field.props("dense outlined options-dense").on_value_change(
                    lambda change, name=name: self._set(name, change.value)
                )
            field = ui.select(
                sorted({*self._attributes, *self.fields.get("attributes", [])}),
                label="Attributes in which events should differ (none: all)",
                multiple=True,
                value=self.fields.get("attributes", []),
            ).props("dense outlined options-dense use-chips")
            field.on_value_change(lambda change: self._set("attributes", list(change.value) or None))

    # changing

    def _set(self, name: str, value: Any) -> None:
        if value is None:
            self.fields.pop(name, None)
        else:
            self.fields[name] = value
        self._changed()

    def _set_mode(self, mode: str) -> None:
        self.fields["mode"] = mode
        if mode != Mode.ALL.value:
            self.fields = {**_DEFAULTS, **self.fields}
        self._draw()
        self._changed()

    def _weigh(self, part: Part, value: float) -> None:
        score = {**self.fields.get("score", {"preference": 1.0}), part.value: value / 100}
        self._set("score", {name: weight for name, weight in score.items() if weight > 0})

    def _set_filter(self, kind: str) -> None:
        kept = {"rate": 0.2, "period": 100, **(self.fields.get("filter") or {})}
        self.fields["filter"] = {**kept, "novelty": kind}
        if not kind:
            del self.fields["filter"]
        self._draw()
        self._changed()

    def _refine(self, **settings: Any) -> None:
        self._set("filter", {**self.fields["filter"], **settings})


def _length(fields: dict[str, Any]) -> tuple[int, str]:
    """The length as an amount and a unit of the form."""
    length = fields.get("length", 100)
    if isinstance(length, int):
        return length, fields.get("unit", "events")
    span = parse_duration(length)
    for unit, size in (("d", timedelta(days=1)), ("h", timedelta(hours=1))):
        if span % size == timedelta(0):
            return span // size, unit
    return max(1, round(span / timedelta(minutes=1))), "m"
