"""The controls of a policy. They edit its JSON form, so fields without a control stay unchanged."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial

from rankcast.language import parse_duration
from rankcast.language.presets import filter_of_kind
from rankcast.model import FilterKind, Mode, ScorePart, Unit
from rankcast.plain import JsonObject
from rankcast.service.page.controls import choice, number_field, toggle
from rankcast.service.page.policy.advanced_settings import AdvancedSettings
from rankcast.service.page.widgets import group, slide, words

_UNITS = {
    **{unit.value: unit.title for unit in Unit if unit is not Unit.TIME},
    "m": "minutes",
    "h": "hours",
    "d": "days",
}
_FILTERS = {"": "Off", **{kind.value: kind.title for kind in FilterKind}}
_DEFAULTS: JsonObject = {"k": 5, "length": 100}


class PolicyControls:
    """Shows and edits the fields of a policy in its JSON form, together with the advanced settings.

    `changed` is called after each change.
    """

    def __init__(self, fields: JsonObject, advanced: AdvancedSettings, changed: Callable[[], None]) -> None:
        self.fields = fields
        self._advanced = advanced
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
                modes = {one.value: one.title for one in Mode}
                toggle("Mode", modes, mode.value, self._set_mode, classes="rc-toggle", props="spread")
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
        self._advanced.draw(self.fields, self._set_at)

    def _draw_length(self) -> None:
        amount, unit = _length(self.fields)

        def change(_: object) -> None:
            size = int(number.value or 0)
            self.fields.pop("unit", None)
            self.fields["length"] = size if units.value in ("events", "matched") else f"{size}{units.value}"
            if units.value == "matched":
                self.fields["unit"] = "matched"
            self._changed()

        with group("div", "rc-row"):
            words("span", "over", "rc-soft")
            number = number_field(
                "Length", amount, change, classes="rc-amount", props="debounce=300", min=1, precision=0
            )
            units = choice("Unit of the length", _UNITS, unit, change)

    def _draw_filter(self) -> None:
        kept = self.fields.get("filter") or {}
        kind = kept.get("novelty", "")
        choice("Novelty filter", _FILTERS, kind, self._set_filter)
        if not kind:
            return
        if kind == FilterKind.MINIMUM.value:
            least = round(100 * kept.get("minimum", 0.5))
            slide("From", least, lambda to: self._refine(minimum=to / 100))
        else:
            share = round(100 * kept.get("rate", 0.2))
            slide("Share let through", share, lambda to: self._refine(rate=to / 100), least=5)

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
