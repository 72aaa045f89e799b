"""Small building blocks of all pages. They show text always as text, never as HTML."""

import json
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from html import escape
from typing import Any, TypeVar

from nicegui import Client, ui
from nicegui.elements.mixins.text_element import TextElement

from rankcast.errors import ModelError, RankcastError
from rankcast.language import show_time
from rankcast.plain import JsonObject
from rankcast.service.page.drawings import number_text

_Made = TypeVar("_Made", bound=ui.element)


def words(tag: str, text: str, classes: str = "") -> TextElement:
    """An element that contains only text: ``words("h2", "Levels")``."""
    return TextElement(tag=tag, text=text).classes(classes)


def group(tag: str, classes: str = "", **props: object) -> ui.element:
    """A container element: ``with group("section", "card"): …``."""
    return set_props(ui.element(tag).classes(classes), **props)


def set_props(element: _Made, **props: object) -> _Made:
    """Set attributes to any text, including quotes (``aria_label`` is ``aria-label``), and return the element."""
    for name, value in props.items():
        element.props[name.rstrip("_").replace("_", "-")] = value
    return element


def emptied(element: _Made) -> _Made:
    """The element without its content, to be filled anew: ``with emptied(box): …``."""
    element.clear()
    return element


def more_line(count: int, what: str = "", classes: str = "rc-soft rc-small", tag: str = "p") -> None:
    """Say how many more there are than the listed ones: ``and 12 more users``. Nothing if there are none."""
    if count > 0:
        words(tag, f"and {count:,} more {what}".rstrip(), classes)


def moment(when: datetime, classes: str = "rc-when") -> None:
    """A time, which the browser shows as so long ago."""
    said = show_time(when)
    set_props(words("time", said, classes), datetime=said)


def rank_bar(rank: float) -> None:
    """The rank of an event, as a bar and a number."""
    with group("span", "rc-row rc-rank"):
        fill_bar(rank, f"rank {rank:.3g} of 1")
        words("span", f"{rank:.2f}", "rc-number rc-small rc-soft")


def keep_address(client: Client, query: JsonObject) -> None:
    """Keep the state of a page in the query of its address, so that it survives a reload."""
    client.run_javascript(f"rankcast.address({script_literal(query)})")


def script_literal(value: object) -> str:
    """A value as a JavaScript literal."""
    return json.dumps(value).replace("<", "\\u003c")


def act(
    text: str, on_click: Callable[..., Any], *, icon: str = "", kind: str = "plain", label: str = "", **props: Any
) -> ui.button:
    """A button. `kind` is plain, main (the primary action), quiet or danger.

    An icon without text needs a `label` for screen readers.
    """
    button = ui.button(text, on_click=on_click, icon=icon or None, color=None).props("no-caps unelevated")
    button.classes(f"rc-button rc-{kind}-button" + ("" if text else " rc-icon-button"))
    if label:
        set_props(button, aria_label=label)
        button.tooltip(label)
    return set_props(button, **props)


def link(text: str, target: str, classes: str = "") -> ui.element:
    """A link within the site."""
    return set_props(words("a", text, classes or "rc-link"), href=target)


def pill(text: str, classes: str = "") -> TextElement:
    """A short word in a rounded box."""
    return words("span", text, f"rc-pill {classes}")


def fill_bar(share: float, label: str) -> ui.element:
    """A small bar filled to a share in 0..1, with a label for screen readers."""
    share = min(max(share, 0.0), 1.0)
    with group("span", "rc-bar", role="img", aria_label=label, title=label) as bar:
        ui.element("span").style(f"width: {100 * share:.0f}%")
    return bar


def scroller(label: str) -> ui.element:
    """A box that scrolls sideways if its content is too wide, by keyboard too."""
    return group("div", "rc-scroll", role="group", aria_label=label, tabindex="0")


@contextmanager
def table(label: str, titles: Iterable[str], classes: str = "") -> Iterator[ui.element]:
    """A table with a heading row; it scrolls sideways if it is too wide. Put the rows inside."""
    with scroller(label), group("table", f"rc-table {classes}"):
        with group("thead"), group("tr"):
            for title in titles:
                words("th" if title else "td", title)
        with group("tbody") as body:
            yield body


def row(*cells: str | tuple[str, str], classes: str = "") -> ui.element:
    """A row of a table, to which more cells can be added. A cell is a text, or a text and its classes."""
    with group("tr", classes) as made:
        for cell in cells:
            words("td", *([cell] if isinstance(cell, str) else cell))
    return made


def legend_key(text: str, colour: str = "", classes: str = "rc-key") -> None:
    """What a colour or a kind of line means, in the legend of a drawing."""
    with group("span", "rc-row rc-mark"):
        words("span", "", classes).style(f"color: {colour}" if colour else "")
        words("span", text)


def figures(named: Mapping[str, str], classes: str = "") -> None:
    """Small texts, such as numbers, each below its name."""
    with group("dl", f"rc-figures {classes}"):
        for name, value in named.items():
            figure(name, value)


def figure(name: str, value: str, meaning: str = "") -> None:
    """One of the `figures`; the pointer shows its meaning."""
    with group("div", "rc-figure", **({"title": meaning} if meaning else {})):
        words("dt", name)
        words("dd", value)


@contextmanager
def open_dialog(label: str, classes: str = "rc-dialog") -> Iterator[ui.dialog]:
    """An open dialog with a card, which is deleted once it is closed. Put the content inside."""
    with set_props(ui.dialog(value=True), aria_label=label) as opened, ui.card().classes(classes):
        yield opened
    opened.on("hide", opened.delete)


def drawing(svg: str, label: str) -> ui.element:
    """An SVG made by this program (its texts must already be escaped). Wide ones get a scroll bar."""
    with group("figure", "rc-drawing", role="img", aria_label=label, tabindex="0") as figure:
        ui.html(svg, sanitize=False)
    return figure


def slide(
    label: str,
    value: float,
    changed: Callable[[float], None],
    *,
    least: float = 0,
    most: float = 100,
    step: float = 5,
    unit: str = "%",
) -> ui.element:
    """A labelled slider with its value. It is the browser's own, so it supports keyboards and screen readers."""
    with group("label", "rc-slider") as whole:
        words("span", label)
        shown = words("span", f"{number_text(value)}{unit}", "rc-number rc-soft")
        # Plain HTML, because NiceGUI would reset an element's value with every message during dragging.
        knob = ui.html(
            f'<input type="range" min="{least:g}" max="{most:g}" step="{step:g}" value="{value:g}" '
            f'aria-label="{escape(label)}">',
            sanitize=False,
        )

    def moved(number: float) -> None:
        shown.text = f"{number_text(number)}{unit}"
        changed(number)

    knob.on(
        "input",
        lambda event: moved(float(event.args)),
        throttle=0.25,
        leading_events=False,
        js_handler="(event) => emit(Number(event.target.value))",
    )
    return whole


@contextmanager
def empty(icon: str, title: str, text: str) -> Iterator[None]:
    """A placeholder for an empty page: what will appear here, and how to get it. Put the buttons inside."""
    with group("div", "rc-empty"):
        set_props(ui.icon(icon).classes("rc-empty-icon"), aria_hidden="true")
        words("p", title, "rc-empty-title")
        words("p", text, "rc-soft")
        with group("div", "rc-row rc-centred"):
            yield


def demo_link(is_main: bool = True) -> None:
    """The button of an empty page that leads to the demo worlds."""
    classes = "rc-main rc-main-button " if is_main else ""
    link("Open a demo world", "/worlds", f"rc-button {classes}rc-link-button")


def whole_number(name: str, value: float | None) -> int:
    """The value of a number field. Raises an error that names the field if it is empty or has a fraction."""
    if value is None or not float(value).is_integer():
        found = "empty" if value is None else f"{value:g}"
        raise ModelError(f"{name} is {found}; it must be a whole number")
    return int(value)


@contextmanager
def complaining() -> Iterator[None]:
    """Show errors of the block that are meant for people as a message, and continue."""
    try:
        yield
    except RankcastError as error:
        ui.notify(str(error), type="negative", multi_line=True, timeout=8000, close_button="Close")


class UndoBar:
    """A place for one offer: a new one replaces the last one."""

    def __init__(self) -> None:
        self._place = group("div")

    def offer(self, said: str, undo: Callable[[], Awaitable[None]]) -> None:
        """Say what was done, and offer to undo it. `undo` also shows the page again."""

        async def undone() -> None:
            with complaining():
                await undo()
            self.withdraw()

        with emptied(self._place), group("div", "rc-undo", role="status"):
            words("span", said)
            act("Undo", undone, kind="quiet")
            act("", self.withdraw, icon="o_close", kind="quiet", label="Close")

    def withdraw(self) -> None:
        """Take the offer away."""
        self._place.clear()
