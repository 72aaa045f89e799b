"""The subscription editor: a form or text, kept in step, with a preview of the matches."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from nicegui import ui

from rankcast.errors import CatalogError, ExpressionError, ModelError, RankcastError
from rankcast.lab.vague_comparison import CRISP
from rankcast.language import label, parse, show
from rankcast.language.event_words import title_of
from rankcast.language.mistakes import AttributeKinds, attribute_kinds, likely_mistakes
from rankcast.model import Always, Catalog, Subscription
from rankcast.service.page.controls import text_field, toggle
from rankcast.service.page.hints import Hint, hints_of
from rankcast.service.page.reasons import short_name
from rankcast.service.page.subscriptions.form_view import ATTITUDE_WORDS, FormView
from rankcast.service.page.subscriptions.forms import Condition, Form, FormShape, expression_of, form_of, is_complete
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    act,
    complaining,
    emptied,
    fill_bar,
    group,
    keep_address,
    more_line,
    set_props,
    slide,
    words,
)
from rankcast.service.record_costs import check_cost
from rankcast.service.trial_tasks import try_on_history
from rankcast.service.trials import ExpressionTrial
from rankcast.wording import capitalised

_RECENT = 1000
_EXAMPLES = 5
_MOST_CONDITIONS = 30
_FORMLESS = (
    "The form cannot show this expression (it has “not”, nested groups or too many conditions). Edit it as text."
)


@dataclass(frozen=True, slots=True)
class EditorKnowledge:
    """The data of an editor: the catalog, suggestions from recent events, and the kinds of their attributes."""

    catalog: Catalog
    hints: dict[str, Hint]
    kinds: AttributeKinds


def read_for_editor(view: View) -> EditorKnowledge:
    """Read the data of an editor from the store."""
    catalog, recent = view.service.catalog(), view.service.recent_events(300)
    return EditorKnowledge(catalog, hints_of(recent, catalog, view.user), attribute_kinds(recent))


class SubscriptionEditor:
    """The panel for one subscription.

    `old` is the subscription to change, or None for a new one. `text` is the initial expression. `done` is called
    when the editor is closed, with or without saving.
    """

    def __init__(
        self,
        view: View,
        known: EditorKnowledge,
        old: Subscription | None,
        text: str,
        done: Callable[[], Awaitable[None]],
    ) -> None:
        self._view = view
        self._known = known
        self._old = old
        self._done = done
        self._tries = 0
        self._named = old is not None
        self._from_form = False
        with group("section", "rc-card rc-column rc-editor", aria_label="Write a subscription") as self._panel:
            words("h2", "Change the subscription" if old else "New subscription")
            with group("div", "rc-editor-parts"):
                with group("div", "rc-column"):
                    self._form = FormView(known.hints, self._form_changed)
                    self._formless = words("p", _FORMLESS, "rc-note rc-warn")
                with group("div", "rc-column"):
                    with group("div", "rc-text") as self._field:
                        self._text = ui.textarea("The same as text", value=text, on_change=self._text_changed).props(
                            "outlined autogrow debounce=200 spellcheck=false autocapitalize=off input-class=rc-code"
                        )
                    set_props(self._text, placeholder="genre = 'drama' and year > 1999")
                    self._said = group("div", "rc-said", role="status", aria_live="polite")
                    self._tried = group("div", "rc-column rc-tight", aria_live="polite")
            with group("div", "rc-row rc-wrap rc-spread"):
                self._draw_worth(old)
                name, props = (old.id, "readonly") if old else ("", "")
                look = {"classes": "rc-name-field", "props": props}
                self._name = text_field("Name", name, self._name_changed, is_titled=True, **look)
            with group("div", "rc-row rc-saving"):
                self._save_button = act("Save", self._save, icon="o_check", kind="main")
                act("Cancel", self._leave, kind="quiet")
        self._formless.set_visibility(False)
        self._form.show(self._form_for(text) or Form(FormShape.ALL, [[Condition()]]))
        self._check()

    def _draw_worth(self, old: Subscription | None) -> None:
        with group("div", "rc-row rc-wrap"):
            words("span", "Worth", "rc-soft")
            scored = old is not None and old.score is not None
            ways = {False: "by its level", True: "a score"}
            self._by_score = toggle("What it is worth", ways, scored, self._worth, classes="rc-toggle")
            self._score = old.score if old is not None and old.score is not None else 0.8
            self._knob = slide("Score", self._score, self._set_score, most=1, step=0.05, unit="").classes("rc-score")
            self._knob.set_visibility(scored)

    def _worth(self, is_scored: bool) -> None:
        self._knob.set_visibility(is_scored)

    def _set_score(self, score: float) -> None:
        self._score = score

    # keeping form and text in step

    def _form_changed(self) -> None:
        try:
            where = expression_of(self._form.form)
        except ModelError as error:
            self._complain(str(error))
            return
        begun = any(is_complete(one) for conditions in self._form.form.groups for one in conditions)
        self._from_form = True
        self._text.set_value(show(where) if begun or not isinstance(where, Always) else "")
        self._from_form = False
        self._check()

    def _text_changed(self) -> None:
        if self._from_form:
            return
        form = self._form_for(self._text.value or "")
        if form is not None:
            self._form.show(form)
        self._check()

    def _form_for(self, text: str) -> Form | None:
        """The form of the text. If there is none, a note says so."""
        if not text.strip():
            return Form(FormShape.ALL, [[Condition()]])
        try:
            where = parse(text)
        except ExpressionError:
            return None
        form = form_of(where)
        if form is not None and sum(map(len, form.groups)) > _MOST_CONDITIONS:
            form = None
        self._formless.set_visibility(form is None)
        return form

    # meaning and matches

    def _check(self) -> None:
        text = self._text.value or ""
        self._remember(text)
        self._said.clear()
        self._tries += 1
        if not text.strip():
            self._tried.clear()
            self._save_button.disable()
            with self._said:
                words("p", "Say which events you want, in the form or as text.", "rc-soft")
            return
        try:
            where = parse(text)
            self._known.catalog.check_expression(where, self._view.user)
            check_cost(Subscription("new", self._view.user, where), self._view.service.settings.limits)
        except ExpressionError as error:
            self._complain(error.pointed(64))
            return
        except RankcastError as error:
            self._complain(str(error))
            return
        self._save_button.enable()
        with self._said:
            words("p", label(where), "rc-understood")
            for mistake in likely_mistakes(where, self._known.kinds, "recent events"):
                words("p", capitalised(mistake), "rc-note rc-warn rc-small")
        if not self._named:
            self._name.set_value(self._free_name(short_name(where)))
        self._show_wrong(False)
        ui.timer(0, lambda number=self._tries: self._try(number, text), once=True)

    def _complain(self, complaint: str) -> None:
        message, *pointed = complaint.split("\n")
        self._said.clear()
        self._tried.clear()
        self._tries += 1
        self._save_button.disable()
        self._show_wrong(True)
        with self._said:
            if pointed:
                words("pre", "\n".join(pointed), "rc-code rc-pointed")
            words("p", message, "rc-bad")

    def _show_wrong(self, is_wrong: bool) -> None:
        """Mark the text, or not. To change the text field itself would send its text too, over what is being typed."""
        self._field.classes(add="rc-wrong" if is_wrong else "", remove="" if is_wrong else "rc-wrong")
        ui.run_javascript(f"rankcast.invalid({self._field.id}, {json.dumps(is_wrong)})")

    async def _try(self, number: int, text: str) -> None:
        trial = await self._trial(text)
        if number == self._tries and not self._panel.is_deleted:
            with emptied(self._tried):
                _show_trial(trial)

    async def _trial(self, text: str) -> ExpressionTrial:
        service, user = self._view.service, self._view.user
        try:
            part = await asyncio.to_thread(service.part_of, user)
            history = service.history(_RECENT)
            return await compute(self._view, try_on_history, history, parse(text), part, user, _EXAMPLES)
        except RankcastError as error:
            return ExpressionTrial(0, 0, [], error)

    # saving

    def _name_changed(self, name: str | None) -> None:
        if self._old is None and name:
            known = self._free_name(short_name(parse(self._text.value))) if self._is_fine() else ""
            self._named = name != known

    def _is_fine(self) -> bool:
        try:
            parse(self._text.value or "")
        except ExpressionError:
            return False
        return True

    async def _save(self) -> None:
        with complaining():
            where = parse(self._text.value or "")
            # The browser disables the field, but a client may send anything.
            name = self._old.id if self._old else (self._name.value or "").strip()
            if not name:
                raise CatalogError("give the subscription a name")
            score = self._score if self._by_score.value else None
            weight = self._old.weight if self._old else 1.0
            made = Subscription(name, self._view.user, where, score, weight)
            check_cost(made, self._view.service.settings.limits)
            await asyncio.to_thread(self._view.service.put, made, check=self._check_name(name))
            ui.notify(f"Saved {name}", type="positive")
            await self._leave()

    def _check_name(self, name: str) -> Callable[[Catalog], None]:
        """Return a check, run on saving, that refuses the name of another subscription."""

        def check(catalog: Catalog) -> None:
            present = catalog.subscriptions.get(name)
            if present is not None and (self._old is None or present.user != self._view.user):
                raise CatalogError(f"the name {name!r} is taken; choose another")

        return check

    async def _leave(self) -> None:
        keep_address(ui.context.client, {})
        self._panel.delete()
        await self._done()

    def _free_name(self, text: str) -> str:
        """A name made from the text that no other subscription had when the editor was opened."""
        base = "-".join(re.findall(r"[^\W_]+", text.lower()))[:32].strip("-") or "everything"
        taken, user = self._known.catalog.subscriptions, self._view.user
        names = [base, f"{user}-{base}", *(f"{user}-{base}-{number}" for number in range(2, 1000))]
        return next((name for name in names if name not in taken), "")

    def _remember(self, text: str) -> None:
        """Keep the draft in the address."""
        keep_address(
            ui.context.client, {"edit": self._old.id, "text": text} if self._old else {"new": "", "text": text}
        )


def _show_thresholds(trial: ExpressionTrial) -> None:
    """The effect of thresholds: the same wish with each attitude, beside crisp."""
    if not trial.by_thresholds:
        return
    titles = {CRISP: "crisp", **ATTITUDE_WORDS}
    with group("table", "rc-table rc-small", aria_label="The same with other thresholds"), group("tbody"):
        for case, count in trial.by_thresholds.items():
            with group("tr"):
                set_props(words("th", titles[case]), scope="row")
                with group("td"):
                    fill_bar(count / trial.of, f"{count} of {trial.of}")
                words("td", f"{count:,}")


def _show_trial(trial: ExpressionTrial) -> None:
    if trial.error is not None:
        words("p", str(trial.error), "rc-bad")
        return
    if not trial.of:
        words("p", "Nothing was published yet, so there is nothing to try it on.", "rc-soft")
        return
    with group("p", "rc-row"):
        fill_bar(trial.count / trial.of, f"{trial.count} of {trial.of}")
        words("span", f"Would have matched {trial.count:,} of the last {trial.of:,} events", "rc-strong rc-tried")
    _show_thresholds(trial)
    if not trial.count:
        words("p", "The conditions may be too narrow, or the values may be spelled differently.", "rc-soft rc-small")
        return
    with group("ul", "rc-examples rc-small"):
        for event in trial.matched[:_EXAMPLES]:
            words("li", title_of(event))
        more_line(trial.count - _EXAMPLES, classes="rc-soft", tag="li")
