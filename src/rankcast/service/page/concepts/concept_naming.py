"""The dialog for the name of a new concept."""

from collections.abc import Callable, Sequence

from nicegui import ui

from rankcast.errors import ModelError, RankcastError
from rankcast.language import parse
from rankcast.model import Is, Predicate, Term
from rankcast.service.page.widgets import act, group, open_dialog, set_props, words

__all__ = ["ask_for_name", "check_name"]


def ask_for_name(attribute: str, owners: Sequence[str], begin: Callable[[str, str], None]) -> None:
    """Open a dialog. `begin` gets the name and the owner, and may refuse them with a `ModelError`."""

    def tried() -> None:
        name = (field.value or "").strip()
        try:
            check_name(name)
            begin(name, whose.value)
        except ModelError as error:
            set_props(field, error=True, error_message=str(error))
            field.update()
            return
        dialog.close()

    with open_dialog("Name of the concept") as dialog:
        words("h2", f"A new word for {attribute}")
        field = ui.input("Name", placeholder="such as: cheap").props("outlined dense autofocus")
        field.on("keydown.enter", tried)
        whose = ui.select(list(owners), value=owners[0], label="For").props("outlined dense")
        with group("div", "rc-row"):
            act("Begin", tried, kind="main")
            act("Cancel", dialog.close, kind="quiet")


def check_name(name: str) -> None:
    """Refuse a name that cannot be used in an expression.

    >>> check_name("cheap")
    >>> check_name("very cheap")
    Traceback (most recent call last):
    rankcast.errors.ModelError: one word of letters, digits and _, so that it can be written in a subscription
    """
    if not name:
        raise ModelError("a concept needs a name")
    try:
        where = parse(f"x is {name}")
    except RankcastError:
        where = None
    if where != Predicate("x", Is(Term(name))):
        raise ModelError("one word of letters, digits and _, so that it can be written in a subscription")
