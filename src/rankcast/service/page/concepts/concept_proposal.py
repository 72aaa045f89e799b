"""The question before proposed concepts replace those in use: what changes, and for whom."""

from collections.abc import Awaitable, Callable, Sequence

from rankcast.lab.concept_effects import Effects, own_meanings
from rankcast.model import Catalog, Concept
from rankcast.service.page.concepts.concept_effects import show_rows
from rankcast.service.page.widgets import act, group, open_dialog, words

__all__ = ["ask_to_replace", "replaced_by"]


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
        words("h2", f"This replaces {_count(len(old), 'meaning')} in use")
        words(
            "p", f"{whose.capitalize()} {_listed(sorted(names))} on {proposed[0].attribute} would mean something else."
        )
        if added:
            words("p", f"New: {_listed([one.name for one in added])}.", "rc-soft")
        if effects.rows:
            words("p", f"Matches among the last {effects.events:,} events:", "rc-soft rc-small")
            show_rows(effects)
        else:
            words("p", "No subscription uses these words, so nobody gets anything else.", "rc-soft")
        if kept := own_meanings(catalog, old):
            words("p", f"Nothing changes for those with a meaning of their own: {_listed(kept)}.", "rc-soft rc-small")
        with group("div", "rc-row rc-wrap"):
            act(f"Replace {len(old)}" + (f" and add {len(added)}" if added else ""), use_all, kind="main")
            if added:
                act(f"Only add {len(added)}", use_new)
            act("Cancel", dialog.close, kind="quiet")


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _listed(names: Sequence[str], most: int = 8) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
