"""The help dialog: what the pages are for, and the keys."""

from nicegui import ui

from rankcast.service.page.pages import PAGES, PageGroup
from rankcast.service.page.widgets import act, group, link, open_dialog, words

__all__ = ["show_help"]

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
