"""How sure a vague condition must be: by a word, or by two numbers."""

from collections.abc import Callable

from nicegui import ui

from rankcast.model import Attitude, Thresholds
from rankcast.service.page.controls import choice, number_field
from rankcast.service.page.widgets import complaining, group

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
