"""A live preview of the effects of a draft while it is edited."""

import asyncio
from collections.abc import Callable

from nicegui import ui

from rankcast.errors import RankcastError
from rankcast.lab.concept_effects import Effect, Effects
from rankcast.language.event_words import cut, title_of
from rankcast.model import Concept, Membership
from rankcast.service.page.concepts.concept_desk import HISTORY, ConceptDesk
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import emptied, group, more_line, row, table, words
from rankcast.service.studies.concept_trial import try_concept


def show_effects(box: ui.element, effects: Effects, said: str) -> None:
    """Fill the box. `said` is the predicate in words, such as ``price is cheap``."""
    with emptied(box):
        before, after = effects.fits
        with group("p"):
            words("span", f"{said} to at least 0.5 in ")
            _change(before, after)
            words("span", f" of the last {effects.events:,} events.")
        if not effects.rows:
            words("p", "No subscription uses the word so far.", "rc-soft")
            return
        show_rows(effects)


def show_rows(effects: Effects) -> None:
    """Add a table of the subscriptions, with what they match before and after."""
    with table("Subscriptions that use the word", ("Subscription", "Of", "Matches", "Comes and goes"), "rc-effects"):
        for effect in effects.rows:
            _row(effect)
    more_line(effects.more, "subscriptions", "rc-soft")


def _row(effect: Effect) -> None:
    with row((effect.subscription.id, "rc-strong"), effect.subscription.user):
        with group("td", "rc-number"):
            _change(effect.before, effect.after)
        with group("td", "rc-small"):
            for event in effect.gained:
                words("span", f"+ {cut(title_of(event), 40)}", "rc-good rc-event")
            for event in effect.lost:
                words("span", f"− {cut(title_of(event), 40)}", "rc-bad rc-event")
            if not effect.gained and not effect.lost:
                words("span", "–", "rc-soft")


def _change(before: int, after: int) -> None:
    words("span", f"{before:,}", "rc-number rc-strong")
    if before != after:
        words("span", " → ", "rc-soft")
        words("span", f"{after:,}", f"rc-number rc-strong {'rc-good' if after > before else 'rc-bad'}")
        words("span", f" ({after - before:+,})", "rc-soft rc-small")


class ConceptPreview:
    """Shows the effects of the latest draft in a box.

    Drafts change faster than they can be tried. One is tried at a time, and those in between are skipped.

    Parameters
    ----------
    only
        The user whose subscriptions are tried, or None for all users.
    complain
        Called with the error message of an invalid draft.
    """

    def __init__(
        self, view: View, box: ui.element, desk: ConceptDesk, only: str | None, complain: Callable[[str], None]
    ) -> None:
        self._view = view
        self._box = box
        self._desk = desk
        self._only = only
        self._complain = complain
        self._latest: tuple[Concept, Membership] | None = None
        self._number = 0
        self._is_trying = False

    def show(self, concept: Concept | None, draft: Membership | None) -> None:
        """Show the effects of a draft as soon as the current trial is done."""
        self._latest = None if concept is None or draft is None else (concept, draft)
        self._number += 1
        if not self._is_trying:
            self._is_trying = True
            ui.timer(0.01, self._try, once=True)

    async def _effects(self, concept: Concept, draft: Membership) -> Effects:
        service = self._view.service
        part = None if self._only is None else await asyncio.to_thread(service.part_of, self._only)
        return await compute(self._view, try_concept, service.history(HISTORY), part, concept, draft, self._only)

    async def _try(self) -> None:
        try:
            shown = -1
            while shown != self._number:
                shown = self._number
                if self._latest is None:
                    with emptied(self._box):
                        words("p", "Choose a concept to see what it does.", "rc-soft")
                    continue
                concept, draft = self._latest
                effects = await self._effects(concept, draft)
                if shown == self._number:
                    show_effects(self._box, effects, f"{self._desk.attribute} is {concept.name}")
        except RankcastError as error:
            self._complain(str(error))
        finally:
            self._is_trying = False
