"""The form controls of all pages. Each has a name for screen readers, and is as dense as the others."""

from collections.abc import Callable, Collection, Mapping
from typing import Any, TypeVar

from nicegui import ui
from nicegui.events import ValueChangeEventArguments

from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import set_props

_T = TypeVar("_T")


def choice(
    name: str,
    options: Collection[_T] | Mapping[_T, str],
    value: object = None,
    changed: Callable[[_T], object] | None = None,
    *,
    is_titled: bool = False,
    classes: str = "",
    props: str = "",
    **more: Any,
) -> ui.select:
    """A list to choose from. `changed` gets the chosen value. With `is_titled`, the name is shown."""
    offered = options if isinstance(options, dict) else list(options)
    made = ui.select(offered, value=value, label=name if is_titled else None, on_change=_with_value(changed), **more)
    return set_props(made.props(f"dense outlined options-dense {props}").classes(classes), aria_label=name)


def toggle(
    name: str,
    options: Collection[_T] | Mapping[_T, str],
    value: _T,
    changed: Callable[[_T], object],
    *,
    classes: str = "rc-speeds",
    props: str = "dense",
) -> ui.toggle:
    """A row of buttons of which one is pressed. `changed` gets the chosen value."""
    offered = options if isinstance(options, dict) else list(options)
    made = ui.toggle(offered, value=value, on_change=_with_value(changed)).classes(classes)
    return set_props(made.props(f"no-caps unelevated toggle-text-color=on-accent {props}"), aria_label=name)


def text_field(
    name: str,
    value: str = "",
    changed: Callable[[str | None], object] | None = None,
    *,
    is_titled: bool = False,
    classes: str = "",
    props: str = "",
    **more: Any,
) -> ui.input:
    """A line of text. `changed` gets it, or None when it is cleared. With `is_titled`, the name is shown."""
    made = ui.input(name if is_titled else None, value=value, on_change=_with_value(changed), **more)
    return set_props(made.props(f"dense outlined {props}").classes(classes), aria_label=name)


def number_field(
    name: str,
    value: float | None,
    changed: Callable[[float | None], object] | None = None,
    *,
    title: str | None = None,
    classes: str = "",
    props: str = "",
    **more: Any,
) -> ui.number:
    """A field for a number. `changed` gets it, or None when it is empty. `title` is shown in it."""
    made = ui.number(title, value=value, on_change=_with_value(changed), **more)
    return set_props(made.props(f"dense outlined {props}").classes(classes), aria_label=name)


def whose_subscriptions(view: View, changed: Callable[[bool], object]) -> None:
    """A switch for administrators between one user's subscriptions and everybody's; `changed` gets True for all."""
    names = {False: view.user, True: "Everybody"}
    toggle("Whose subscriptions", names, False, changed).visible = view.visitor.switches


def _with_value(changed: Callable[[_T], object] | None) -> Callable[[ValueChangeEventArguments[_T]], object] | None:
    """The handler of a change event, which NiceGUI awaits if it returns a coroutine."""
    return None if changed is None else lambda change: changed(change.value)
