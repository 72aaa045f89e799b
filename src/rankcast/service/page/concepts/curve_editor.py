"""Membership functions over a histogram, one of which can be edited by dragging or by keyboard."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from nicegui import ui
from nicegui.events import GenericEventArguments

from rankcast.language.membership_json import membership_of_json, membership_to_json
from rankcast.model import Membership
from rankcast.plain import JsonObject
from rankcast.service.studies.attribute_study import Axis


@dataclass(frozen=True, slots=True)
class DrawnCurve:
    """A membership function with its name and colour. `key` identifies it."""

    key: str
    name: str
    colour: str
    membership: Membership

    def props(self) -> JsonObject:
        """The properties for the component in the browser."""
        return {
            "key": self.key,
            "name": self.name,
            "colour": self.colour,
            "form": form_of(self.membership),
            "numbers": numbers_of(self.membership),
        }


class CurveEditor(ui.element, component="curve_editor.js"):
    """Draws curves in the browser.

    `on_change` gets the function during editing, and whether the edit is complete (the point was released). The
    browser sends only valid functions, and they are checked here again.
    """

    def __init__(self, title: str, on_change: Callable[[Membership, bool], Any]) -> None:
        super().__init__()
        self._props |= {"title": title, "axis": None, "bars": [], "curves": [], "edited": None}
        self._props |= {"hedges": True, "still": False}
        self._on_change = on_change
        self.on("change", self._changed)

    def show(
        self,
        axis: Axis,
        bars: Sequence[tuple[float, float, float]],
        curves: Sequence[DrawnCurve],
        edited: DrawnCurve | None,
        *,
        still: bool = False,
    ) -> None:
        """Draw the curves. With `still` they cannot be edited."""
        self._props["axis"] = axis.props()
        self._props["bars"] = [list(bar) for bar in bars]
        self._props["curves"] = [curve.props() for curve in curves]
        self._props["edited"] = edited.props() if edited is not None else None
        self._props["still"] = still
        self.update()

    def _changed(self, event: GenericEventArguments) -> None:
        edited = self._props["edited"]
        if edited is None or self._props["still"]:
            return
        membership = membership_of(edited["form"], event.args["numbers"])
        self._on_change(membership, bool(event.args["done"]))


def form_of(membership: Membership) -> str:
    """The name of the form: ``trapezoid``, ``left_shoulder``, …"""
    return next(iter(membership_to_json(membership)))


def numbers_of(membership: Membership) -> list[Any]:
    """The numbers of a membership function. A piecewise function and a table have pairs."""
    told = next(iter(membership_to_json(membership).values()))
    return [list(pair) for pair in told.items()] if isinstance(told, dict) else told


def membership_of(form: str, numbers: list[object]) -> Membership:
    """The membership function of a form and its numbers. Raises a readable error if it is invalid."""
    return membership_of_json(form, numbers, "this concept")
