"""The list of concepts of an attribute."""

from collections.abc import Callable

from nicegui import ui

from rankcast.model import Concept
from rankcast.service.page.concepts.concept_desk import ConceptDesk, key_of
from rankcast.service.page.drawings import colour
from rankcast.service.page.widgets import emptied, group, more_line, set_props, words

EVERYBODY = "everybody"
"""The label for the owner of shared concepts."""
_MOST = 60
"""The most concepts in the list."""


def show_concepts(
    box: ui.element, desk: ConceptDesk, chosen: Concept | None, choose: Callable[[Concept], None]
) -> None:
    """Fill the box with the concepts of the current attribute."""
    with emptied(box):
        words("h2", desk.attribute)
        words("p", desk.study.label(), "rc-small rc-soft")
        concepts = desk.concepts()
        if not concepts:
            words("p", "No word for it yet. Let the data propose some, or make one.", "rc-soft")
        for number, concept in enumerate(concepts[:_MOST]):
            entry = group("button", "rcd-concept", type="button").on("click", lambda _, c=concept: choose(c))
            entry.style(f"--mine: {colour(number)}")
            if chosen is not None and key_of(concept) == key_of(chosen):
                set_props(entry, aria_current="true")
            with entry:
                words("span", "", "rc-swatch")
                words("span", concept.name, "rc-strong")
                words("span", EVERYBODY if concept.user is None else concept.user, "rc-soft rc-small")
        more_line(len(concepts) - _MOST, "meanings of users' own")
