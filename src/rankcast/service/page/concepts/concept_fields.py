"""Input fields for the form and the numbers of a concept, as an alternative to dragging the curve."""

from collections.abc import Callable
from functools import partial
from typing import Any

from nicegui import ui

from rankcast.errors import ModelError
from rankcast.model import Membership
from rankcast.service.page.concepts.concept_shapes import FIELDS, FORMS, forms_for
from rankcast.service.page.concepts.curve_editor import form_of, membership_of, numbers_of
from rankcast.service.page.controls import choice, number_field
from rankcast.service.page.widgets import act, emptied, group, words
from rankcast.service.studies.attribute_study import Study


class ConceptFields:
    """Input fields for a membership function.

    `on_type` gets the function that the fields describe, or None and the reason why they are invalid. `on_form` gets
    the chosen form.
    """

    def __init__(self, on_type: Callable[[Membership | None, str], Any], on_form: Callable[[str], Any]) -> None:
        self._on_type = on_type
        self._on_form = on_form
        self._quiet = False
        self._shown: tuple[object, ...] = ()
        self._numbers: list[Any] = []
        self._inputs: list[tuple[ui.number, tuple[int, ...]]] = []
        self._form = ""
        self._box = group("div", "rc-fields")

    def show(self, membership: Membership | None, found: Study, *, still: bool) -> None:
        """Fill the fields. They are rebuilt only if different fields are needed."""
        if membership is None or still:
            self._box.clear()
            self._shown = ()
            return
        self._form, self._numbers = form_of(membership), numbers_of(membership)
        keys = [pair[0] for pair in self._numbers] if self._form == "table" else [len(self._numbers)]
        if self._shown != (shape := (self._form, *keys)):
            self._shown = shape
            self._build(membership, found)
            return
        self._quiet = True
        for field, place in self._inputs:
            field.value = self._at(place)
        self._quiet = False

    def _build(self, membership: Membership, found: Study) -> None:
        self._inputs = []
        with emptied(self._box):
            forms = forms_for(found, membership)
            offered = forms if self._form in forms else {**forms, self._form: FORMS[self._form]}
            choice("Form of the function", offered, self._form, self._on_form, classes="rc-form", props="label=Form")
            if self._form == "table":
                self._table(found)
            elif self._form == "piecewise":
                self._points()
            else:
                for place, label in enumerate(FIELDS[self._form]):
                    self._number(label, (place,))

    def _number(self, label: str, place: tuple[int, ...], step: float | None = None) -> ui.number:
        """A field for the number at `place`: an index, or the index of a pair and 0 or 1 within the pair."""
        field = number_field(label, self._at(place), partial(self._typed, place), title=label, step=step)
        self._inputs.append((field, place))
        return field

    def _points(self) -> None:
        for place in range(len(self._numbers)):
            with group("div", "rc-row rc-point rc-wide"):
                self._number(f"point {place + 1}", (place, 0))
                self._number("degree", (place, 1), step=0.1)
                if len(self._numbers) > 1:
                    act("", partial(self._drop, place), icon="o_close", kind="quiet", label="Remove the point")
        act("Add a point", self._add_point, icon="o_add")

    def _table(self, found: Study) -> None:
        for place, (value, _) in enumerate(self._numbers):
            with group("div", "rc-row rc-point"):
                self._number(str(value), (place, 1), step=0.1)
                if len(self._numbers) > 1:
                    act("", partial(self._drop, place), icon="o_close", kind="quiet", label=f"Remove {value}")
        rest = [text for text, _ in found.texts.most_common() if text not in {pair[0] for pair in self._numbers}]
        if found.is_textual:
            add = self._add_value
            choice("Add a value", rest, None, add, is_titled=True, with_input=True, new_value_mode="add-unique")
        words("p", "All other values have degree 0.", "rc-small rc-soft")

    def _typed(self, place: tuple[int, ...], value: float | None) -> None:
        if self._quiet:
            return
        if value is None:
            self._on_type(None, "a number is missing")
            return
        if len(place) == 1:
            self._numbers[place[0]] = _plain(value)
        else:
            self._numbers[place[0]][place[1]] = _plain(value)
        self._tell()

    def _at(self, place: tuple[int, ...]) -> Any:
        return self._numbers[place[0]] if len(place) == 1 else self._numbers[place[0]][place[1]]

    def _drop(self, place: int) -> None:
        del self._numbers[place]
        self._tell(anew=True)

    def _add_point(self) -> None:
        x, degree = self._numbers[-1]
        self._numbers.append([x, degree])
        self._tell(anew=True)

    def _add_value(self, value: str | None) -> None:
        if value:
            self._numbers.append([value, 0.5])
            self._tell(anew=True)

    def _tell(self, *, anew: bool = False) -> None:
        try:
            made = membership_of(self._form, self._numbers)
        except ModelError as error:
            self._on_type(None, str(error).removeprefix("this concept: "))
            return
        self._on_type(made, "")
        if anew:
            self._shown = ()
            self.rebuilt(made)

    rebuilt: Callable[[Membership], None] = staticmethod(lambda membership: None)
    """Called when fields were added or removed, so that the page shows them again."""


def _plain(value: float) -> float:
    return int(value) if value == int(value) else value
