"""The form for conditions."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import assert_never

from nicegui import ui

from rankcast.model import Attitude, Hedge, Op, SpecialOp, Thresholds
from rankcast.service.page.controls import choice, number_field, text_field
from rankcast.service.page.hints import Hint
from rankcast.service.page.subscriptions.forms import (
    Condition,
    Form,
    FormShape,
    join_texts,
    operator_of,
    operators_for,
    split_texts,
)
from rankcast.service.page.widgets import act, complaining, emptied, group, words

_OWN = "own"

ATTITUDE_WORDS = {
    Attitude.OPTIMISTIC.value: "if possible",
    Attitude.INDIFFERENT.value: "if likely",
    Attitude.PESSIMISTIC.value: "if certain",
}
"""What the page calls the attitudes."""


class ThresholdView:
    """A choice of attitudes, or of two numbers. `changed` gets the thresholds; None are the usual ones."""

    def __init__(self, thresholds: Thresholds | None, changed: Callable[[Thresholds | None], None]) -> None:
        self._changed = changed
        self._thresholds = thresholds or Thresholds()
        word = next((one.value for one in Attitude if one.thresholds == self._thresholds), _OWN)
        choice("How sure", {**ATTITUDE_WORDS, _OWN: "my numbers"}, word, self._choose, classes="rc-hedge")
        self._numbers = group("div", "rc-row")
        self._choose(word)

    def _choose(self, word: str) -> None:
        self._numbers.clear()
        self._numbers.set_visibility(word == _OWN)
        if word != _OWN:
            self._take(Attitude(word).thresholds)
            return
        with self._numbers:
            self._possible = self._number("possible", self._thresholds.possibility)
            self._certain = self._number("certain", self._thresholds.necessity)

    def _number(self, name: str, value: float) -> ui.number:
        return number_field(
            f"At least {name} to", value, self._type, title=name, classes="rc-degree", min=0, max=1, step=0.1
        )

    def _type(self, _: float | None) -> None:
        possible, certain = self._possible.value, self._certain.value
        with complaining():
            self._take(Thresholds(0.5 if possible is None else possible, certain or 0.0))

    def _take(self, made: Thresholds) -> None:
        if made != self._thresholds:
            self._thresholds = made
            self._changed(None if made == Thresholds() else made)


_SHAPES = {
    FormShape.ALL: "all of these",
    FormShape.ANY: "any of these",
    FormShape.DNF: "all conditions of any group",
    FormShape.CNF: "any condition of every group",
}
_HEDGES: dict[tuple[Hedge, ...], str] = {
    (): "",
    (Hedge.VERY,): "very",
    (Hedge.SOMEWHAT,): "somewhat",
    (Hedge.NOT,): "not",
    (Hedge.NOT, Hedge.VERY): "not very",
}

_OFFERED = 12
"""The most attributes that are listed."""


class FormView:
    """Shows and edits a form. `changed` is called after each change."""

    def __init__(self, hints: Mapping[str, Hint], changed: Callable[[], None]) -> None:
        self._hints = hints
        self._changed = changed
        self.form = Form(FormShape.ALL, [[Condition()]])
        with group("div", "rc-row rc-wrap"):
            words("span", "Events that match", "rc-soft")
            shapes = {shape.value: text for shape, text in _SHAPES.items()}
            self._shape = choice("How conditions go together", shapes, FormShape.ALL.value, self._reshape)
        self._body = group("div", "rc-column")

    def show(self, form: Form) -> None:
        """Show another form."""
        self.form = Form(form.shape, form.groups or [[]])
        if self._shape.value != form.shape.value:
            self._shape.set_value(form.shape.value)
        self._draw()

    def _reshape(self, name: str) -> None:
        shape = FormShape(name)
        if shape is self.form.shape:
            return
        groups = self.form.groups
        if not shape.is_grouped:
            groups = [[condition for one in groups for condition in one]]
        elif len(groups) == 1:
            groups = [*groups, [Condition()]]
        self.form = Form(shape, groups)
        self._draw()
        self._changed()

    def _draw(self) -> None:
        with emptied(self._body):
            for number, conditions in enumerate(self.form.groups):
                if number:
                    words("p", "or" if self.form.shape is FormShape.DNF else "and", "rc-between")
                self._draw_group(number, conditions)
            if self.form.shape.is_grouped:
                with group("div"):
                    act("Another group", self._add_group, icon="o_playlist_add", kind="quiet")

    def _draw_group(self, number: int, conditions: list[Condition]) -> None:
        grouped = self.form.shape.is_grouped
        label = f"Group {number + 1}" if grouped else "Conditions"
        with group("div", "rc-column rc-tight" + (" rc-group" if grouped else ""), role="group", aria_label=label):
            for condition in conditions:
                _Line(self, conditions, condition)
                if not condition.attribute and condition is conditions[-1]:
                    self._offer(condition)
            with group("div", "rc-row"):
                act("Another condition", lambda: self._add(conditions), icon="o_add", kind="quiet")
                if grouped and len(self.form.groups) > 1:
                    act("Remove the group", lambda: self._remove_group(number), kind="quiet")

    def _offer(self, condition: Condition) -> None:
        """List the attributes of recent events, before one types."""

        def choose(name: str) -> None:
            condition.attribute = name
            self._draw()
            self._changed()

        if not self._hints:
            return
        with group("div", "rc-row rc-wrap rc-small", role="group", aria_label="Attributes of recent events"):
            words("span", "Recent events have", "rc-soft")
            for name in self.names[:_OFFERED]:
                pill = group("button", "rc-pill rc-offer", type="button", aria_label=f"Attribute {name}")
                with pill.on("click", lambda _, name=name: choose(name)):
                    words("span", name)

    def _add(self, conditions: list[Condition]) -> None:
        conditions.append(Condition())
        self._draw()

    def _add_group(self) -> None:
        self.form.groups.append([Condition()])
        self._draw()

    def _remove_group(self, number: int) -> None:
        del self.form.groups[number]
        self._draw()
        self._changed()

    # called by the lines

    def hint(self, name: str) -> Hint | None:
        """The suggestions for an attribute, or None."""
        return self._hints.get(name.strip())

    def changed(self) -> None:
        """Handle a change of a line."""
        self._changed()

    def remove(self, conditions: list[Condition], condition: Condition) -> None:
        """Remove a line."""
        conditions[:] = [one for one in conditions if one is not condition]
        self._draw()
        self._changed()

    @property
    def names(self) -> list[str]:
        """The attributes to suggest."""
        return list(self._hints)


class _Line:
    """One condition: attribute, operator, value. While the user types, only the suggestions change."""

    def __init__(self, view: FormView, conditions: list[Condition], condition: Condition) -> None:
        self._view = view
        self._condition = condition
        self._fields: list[ui.input] = []
        with group("div", "rc-line"):
            _field("Attribute", condition.attribute, "attribute", self._rename, view.names)
            with group("div", "rc-line-rest"):
                op, known = condition.op, self._operators()
                self._operator = choice("Operator", known, op, self._operate, classes="rc-operator")
                self._rest = group("div", "rc-values")
            remove = partial(view.remove, conditions, condition)
            act("", remove, icon="o_close", kind="quiet", label="Remove the condition")
        self._draw()

    def _operators(self) -> dict[str, str]:
        condition = self._condition
        hint = self._view.hint(condition.attribute)
        operators = operators_for(condition.kind or (hint.kind if hint else None))
        if condition.op == SpecialOp.IS.value or (hint and hint.concepts):
            operators[SpecialOp.IS.value] = SpecialOp.IS.declared.words
        operators.setdefault(condition.op, condition.op)
        return operators

    def _draw(self) -> None:
        self._rest.clear()
        self._fields = []
        with self._rest:
            match operator_of(self._condition.op):
                case SpecialOp.EXISTS:
                    pass
                case SpecialOp.IS:
                    self._draw_concept(self._view.hint(self._condition.attribute))
                case SpecialOp.BETWEEN:
                    self._draw_value(0, "from")
                    self._draw_value(1, "to")
                case SpecialOp.IN:
                    listed = join_texts(self._condition.texts)
                    _field("Values, with commas between them", listed, "value, value, …", self._set_list)
                case Op():
                    self._draw_value(0, "value")
                case other:
                    assert_never(other)

    def _draw_value(self, number: int, placeholder: str) -> None:
        texts = self._condition.texts
        text = texts[number] if number < len(texts) else ""
        hint = self._view.hint(self._condition.attribute)
        name = f"Value{' ' + placeholder if placeholder != 'value' else ''}"
        suggested = hint.values if hint else ()
        self._fields.append(_field(name, text, placeholder, partial(self._set_value, number), suggested))

    def _draw_concept(self, hint: Hint | None) -> None:
        condition = self._condition
        hedges = dict(_HEDGES)
        hedges.setdefault(condition.hedges, " ".join(hedge.value for hedge in condition.hedges))
        known = {text: hedge for hedge, text in hedges.items()}

        def hedge(text: str) -> None:
            condition.hedges = known[text]
            self._view.changed()

        offered = {text: text or "plainly" for text in known}
        choice("Hedge", offered, hedges[condition.hedges], hedge, classes="rc-hedge")
        concepts = dict.fromkeys([*(hint.concepts if hint else ()), *condition.texts[:1]])
        present = condition.texts[0] if condition.texts else None
        choice("Concept", list(concepts), present, lambda name: self._set_value(0, name or ""), classes="rc-concept")
        ThresholdView(condition.thresholds, self._limit)

    def _limit(self, thresholds: Thresholds | None) -> None:
        self._condition.thresholds = thresholds
        self._view.changed()

    def _rename(self, text: str) -> None:
        before = self._view.hint(self._condition.attribute)
        self._condition.attribute = text.strip()
        hint = self._view.hint(text)
        if hint is not before:
            self._condition.kind = hint.kind if hint else None
            self._operator.set_options(self._operators(), value=self._condition.op)
            for field in self._fields:
                field.set_autocomplete(list(hint.values if hint else ()))
            if self._condition.op == "is":
                self._draw()
        self._view.changed()

    def _operate(self, op: str) -> None:
        was, self._condition.op = self._condition.op, op
        if op == was:
            return
        if op != "is":
            self._condition.hedges = ()
        if "is" in (op, was):
            self._condition.texts, self._condition.thresholds = [], None
        self._draw()
        self._view.changed()

    def _set_value(self, number: int, text: str) -> None:
        texts = [*self._condition.texts, "", ""][: max(number + 1, len(self._condition.texts))]
        texts[number] = text.strip()
        self._condition.texts = texts
        self._view.changed()

    def _set_list(self, text: str) -> None:
        self._condition.texts = split_texts(text)
        self._view.changed()


def _field(
    name: str, value: str, placeholder: str, changed: Callable[[str], None], suggested: Sequence[str] = ()
) -> ui.input:
    return text_field(
        name,
        value,
        lambda text: changed(text or ""),
        classes="rc-field",
        props="debounce=200",
        placeholder=placeholder,
        autocomplete=list(suggested),
    )
