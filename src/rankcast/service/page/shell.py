"""The frame of every page: navigation, current user, light and dark theme, help."""

import json
from collections.abc import Iterator
from contextlib import contextmanager

from nicegui import ui

from rankcast.service.page.controls import choice
from rankcast.service.page.pages import PAGES, PageEntry, PageGroup
from rankcast.service.page.visitors import USER_COOKIE, View
from rankcast.service.page.widgets import act, group, link, open_dialog, script_literal, set_props, words

_THEMES = {
    "": ("As the system", "o_brightness_auto"),
    "light": ("Light", "o_light_mode"),
    "dark": ("Dark", "o_dark_mode"),
}
_MOST_USERS = 200
"""The most users to choose from. Others can be typed."""

_DARK = {"light": False, "dark": True}

HEAD = """
<link rel="stylesheet" href="/assets/theme.css">
<script src="/assets/theme.js"></script>
<script src="/assets/palette.js" defer></script>
"""


@contextmanager
def frame(view: View, page: PageEntry, theme: str = "") -> Iterator[ui.element]:
    """The frame of a page. Elements created inside it form the main part of the page.

    `theme` is light, dark, or empty for the system's setting.
    """
    ui.add_head_html(HEAD)
    ui.colors(primary="#0b6e75", secondary="#56606b", accent="#0b6e75", positive="#2c7a4b", negative="#b3261e")
    dark = ui.dark_mode(_DARK.get(theme))
    whole = ui.context.client.content.parent_slot
    if whole is not None:
        whole.parent.tag = "div"  # Quasar's page is a <main>; here only a part of the page is
    with group("div", "rc-shell", data_users=json.dumps(list(view.users[:_MOST_USERS]))):
        with group("aside", "rc-side"):
            with set_props(group("a", "rc-brand"), href="/", aria_label="Rankcast, to the feed"):
                ui.html(_MARK, sanitize=False)
                words("span", "Rankcast")
            _navigation(view, page)
        with group("div", "rc-body"):
            with group("header", "rc-top"):
                with group("div", "rc-titles"):
                    words("h1", page.title)
                    words("p", page.hint, "rc-soft")
                with group("div", "rc-row rc-tools"):
                    with group("button", "rc-link rc-tour-offer", type="button") as tour:
                        words("span", "New here? Take the tour")
                    tour.on("click", js_handler="() => rankcast.tour(0)")
                    _who(view)
                    _theme_menu(theme, dark)
            main = group("main", "rc-main")
        _bottom_bar(view, page)
    ui.skip_link("Skip to the page", target=main)
    with main:
        yield main


def go(address: str) -> None:
    """Go to another address of the site."""
    ui.navigate.to(address)


def _pages(view: View) -> list[PageEntry]:
    """The pages that the visitor may see."""
    return [page for page in PAGES if view.visitor.switches or not page.administrators]


def _navigation(view: View, current: PageEntry) -> None:
    with group("nav", "rc-nav", aria_label="Pages"):
        _entries(_pages(view), current)
        _api_entry("rc-entry-api")
        with group("button", "rc-entry rc-find", type="button") as find:
            set_props(ui.icon("o_search"), aria_hidden="true")
            words("span", "Find")
            words("kbd", "Ctrl K", "rc-key-name")
        find.on("click", js_handler="() => rankcast.palette()")
        _help_entry()


def _api_entry(classes: str = "") -> None:
    with group("a", f"rc-entry {classes}", href="/v1/docs"):
        set_props(ui.icon("o_api"), aria_hidden="true")
        words("span", "API")


def _help_entry() -> None:
    with group("button", "rc-entry", type="button").on("click", show_help):
        set_props(ui.icon("o_help_outline"), aria_hidden="true")
        words("span", "Help")


def _entries(pages: list[PageEntry], current: PageEntry) -> None:
    """The pages by their groups, each with its title."""
    for title in PageGroup:
        own = [page for page in pages if page.group is title]
        if own:
            words("p", title.value, "rc-group-title")
        for page in own:
            _entry(page, current)


def _entry(page: PageEntry, current: PageEntry) -> None:
    with set_props(group("a", "rc-entry"), href=page.path) as entry:
        set_props(ui.icon(page.icon), aria_hidden="true")
        words("span", page.title)
    if page is current:
        set_props(entry, aria_current="page")


def _bottom_bar(view: View, current: PageEntry) -> None:
    with group("nav", "rc-bottom", aria_label="Pages"):
        for page in _pages(view):
            if page.main:
                _entry(page, current)
        others = [page for page in _pages(view) if not page.main]
        if not others:
            return
        with group("button", "rc-entry", type="button", aria_haspopup="menu", aria_label="More pages") as more:
            set_props(ui.icon("o_more_horiz"), aria_hidden="true")
            words("span", "More")
            with ui.menu().props("anchor='top right' self='bottom right'").classes("rc-menu"):
                _entries(others, current)
                _api_entry()
                _help_entry()
        if not current.main:
            set_props(more, aria_current="page")


def _who(view: View) -> None:
    """The current user, with a chooser for administrators."""
    if not view.visitor.switches:
        words("span", view.user, "rc-user")
        _sign_out_links()
        return
    users = list(view.users[:_MOST_USERS])
    choice(
        "Current user; type a new name to start as a new user",
        [*users, *([] if view.user in users else [view.user])],
        view.user,
        _switch,
        classes="rc-who",
        props="label=User hide-bottom-space input-debounce=0",
        with_input=True,
        new_value_mode="add-unique",
    )
    if not view.service.settings.dev:
        _sign_out_links()


def _sign_out_links() -> None:
    for name, label in (("here", "Sign out"), ("everywhere", "Sign out everywhere")):
        with group("form", "", method="post", action="/sign-out"):
            group("input", "", type="hidden", name=name, value="yes")
            with group("button", "rc-link", type="submit"):
                words("span", label)


def _switch(user: str | None) -> None:
    if user:
        become(user, "location.reload()")


def become(user: str, then: str) -> None:
    """Act as another user from now on; `then` is what the browser does next."""
    ui.run_javascript(f"rankcast.remember({USER_COOKIE!r}, {script_literal(user)}); {then}")


def _theme_menu(theme: str, dark: ui.dark_mode) -> None:
    def choose(name: str) -> None:
        dark.value = _DARK.get(name)
        ui.run_javascript(f"rankcast.theme({name!r})")
        button.props(f"icon={_THEMES[name][1]}")

    button = act("", lambda: None, icon=_THEMES.get(theme, _THEMES[""])[1], kind="quiet", label="Light or dark")
    with button, ui.menu().classes("rc-menu"):
        for name, (title, icon) in _THEMES.items():
            with (
                set_props(ui.menu_item(on_click=lambda name=name: choose(name)), role="menuitem"),
                group("span", "rc-row"),
            ):
                set_props(ui.icon(icon), aria_hidden="true")
                words("span", title)


_MARK = (
    '<svg viewBox="0 0 24 24" width="26" height="26" aria-hidden="true" fill="currentColor">'
    '<rect x="3" y="4" width="18" height="4" rx="2"/>'
    '<rect x="3" y="10" width="12" height="4" rx="2" opacity=".7"/>'
    '<rect x="3" y="16" width="6" height="4" rx="2" opacity=".45"/></svg>'
)


_IDEA = (
    "You subscribe with conditions, say what you prefer and how much you want, and get the few events worth getting. "
    "Every card says why it came, and “Left out” says why others did not."
)
_KEYS = {
    "Ctrl K": "find a page, or a user",
    "/": "filter what the page shows",
    "Esc": "close what is open",
    "Tab": "go to the next control",
}


def show_help() -> None:
    """Open the dialog."""
    with open_dialog("Help", "rc-dialog rc-wide-dialog") as dialog:
        words("h2", "How it works")
        words("p", _IDEA)
        for title in PageGroup:
            words("h3", title.value)
            with group("dl", "rc-help"):
                for page in PAGES:
                    if page.group is title and not page.administrators:
                        with group("dt"):
                            link(page.title, page.path)
                        words("dd", page.hint)
        words("h3", "Keys")
        with group("dl", "rc-help"):
            for key, meaning in _KEYS.items():
                with group("dt"):
                    words("kbd", key, "rc-key-name")
                words("dd", meaning)
        with group("div", "rc-row rc-wrap"):
            act("Close", dialog.close, kind="main")
            act("Take the tour", lambda: (dialog.close(), ui.run_javascript("rankcast.tour(0)")), icon="o_explore")
            link("The API", "/v1/docs")
