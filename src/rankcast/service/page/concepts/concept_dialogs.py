"""The dialogs of the concept editor: whether proposed concepts replace those in use, and the name of a new one."""

from collections.abc import Awaitable, Callable, Sequence

from nicegui import ui

from rankcast.errors import ModelError, RankcastError
from rankcast.lab.concept_effects import Effects, own_meanings
from rankcast.language import parse
from rankcast.model import Catalog, Concept, Is, Predicate, Term
from rankcast.service.page.concepts.concept_preview import show_rows
from rankcast.service.page.controls import choice
from rankcast.service.page.widgets import act, group, open_dialog, set_props, words
from rankcast.wording import counted, listed

_NAMED = 8


def replaced_by(catalog: Catalog, proposed: Sequence[Concept]) -> list[Concept]:
    """The concepts in use that the proposed ones would replace by another meaning."""
    saved = [catalog.concepts.get((one.attribute, one.name, one.user)) for one in proposed]
    return [old for old, new in zip(saved, proposed, strict=True) if old is not None and old != new]


def ask_to_replace(
    catalog: Catalog,
    proposed: Sequence[Concept],
    effects: Effects,
    use: Callable[[Sequence[Concept]], Awaitable[None]],
) -> None:
    """Open a dialog that shows the effects. `use` gets the concepts that the visitor decides to save."""
    old = replaced_by(catalog, proposed)
    names = {one.name for one in old}
    added = [one for one in proposed if (one.attribute, one.name, one.user) not in catalog.concepts]
    whose = "everybody's" if proposed[0].user is None else "your own"

    async def use_all() -> None:
        dialog.close()
        await use(proposed)

    async def use_new() -> None:
        dialog.close()
        await use(added)

    with open_dialog("Replace meanings in use?", "rc-dialog rc-wide-dialog") as dialog:
        words("h2", f"This replaces {counted(len(old), 'meaning')} in use")
        words(
            "p",
            f"{whose.capitalize()} {listed(sorted(names), _NAMED)} on {proposed[0].attribute} would mean something else.",
        )
        if added:
            words("p", f"New: {listed([one.name for one in added], _NAMED)}.", "rc-soft")
        if effects.rows:
            words("p", f"Matches among the last {effects.events:,} events:", "rc-soft rc-small")
            show_rows(effects)
        else:
            words("p", "No subscription uses these words, so nobody gets anything else.", "rc-soft")
        if kept := own_meanings(catalog, old):
            words(
                "p",
                f"Nothing changes for those with a meaning of their own: {listed(kept, _NAMED)}.",
                "rc-soft rc-small",
            )
        with group("div", "rc-row rc-wrap"):
            act(f"Replace {len(old)}" + (f" and add {len(added)}" if added else ""), use_all, kind="main")
            if added:
                act(f"Only add {len(added)}", use_new)
            act("Cancel", dialog.close, kind="quiet")


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
        whose = choice("For", owners, owners[0], is_titled=True)
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
