"""A table of the effects of changing a concept."""

from nicegui import ui

from rankcast.lab.concept_effects import Effect, Effects
from rankcast.language.event_words import cut, title_of
from rankcast.service.page.widgets import group, row, table, words


def show_effects(box: ui.element, effects: Effects, said: str) -> None:
    """Fill the box. `said` is the predicate in words, such as ``price is cheap``."""
    box.clear()
    with box:
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
    if effects.more:
        words("p", f"and {effects.more:,} more subscriptions", "rc-soft")


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
