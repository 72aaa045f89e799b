"""The policy editor: how many events a user receives, when, and how diverse, tried live on recent events."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from datetime import timedelta

from nicegui import background_tasks, ui

from rankcast.errors import ModelError, RankcastError
from rankcast.language import PRESETS, Preset, decode_record, encode_record, show_duration
from rankcast.language.event_words import title_of
from rankcast.language.json_text import read_object
from rankcast.model import Catalog, Event, Length, Mode, Policy, ScorePart, Scoring
from rankcast.plain import JsonObject
from rankcast.rank import policy_notes
from rankcast.service.page.hints import Hint, hints_of
from rankcast.service.page.policy.advanced_settings import AdvancedSettings
from rankcast.service.page.policy.policy_controls import PolicyControls
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import (
    UndoBar,
    act,
    complaining,
    emptied,
    empty,
    figures,
    fill_bar,
    group,
    keep_address,
    link,
    set_props,
    words,
)
from rankcast.service.record_costs import check_cost
from rankcast.service.studies.backtests import SAMPLE, Backtest, compare
from rankcast.service.trial_tasks import even_history
from rankcast.wording import capitalised

_ADVICE_SAMPLE = 1_000
_EVERYTHING = Preset("every match, at once", {})


async def build(view: View) -> None:
    """Build the editor of the user's policy, with a preview of what it would have sent."""
    _PolicyPage(view, *await asyncio.to_thread(_read, view))


def _read(view: View) -> tuple[Policy, dict[str, Hint]]:
    """The saved policy, and the attributes to choose from."""
    catalog = view.service.catalog()
    return catalog.policy_of(view.user), hints_of(view.service.recent_events(300), catalog, view.user)


class _PolicyPage:
    def __init__(self, view: View, saved: Policy, hints: dict[str, Hint]) -> None:
        self._view = view
        self._tries = 0
        self._client = ui.context.client
        self._saved = saved
        self._undo = UndoBar()
        columns, below = group("div", "rc-policy"), group("div")
        with below:
            advanced = AdvancedSettings(list(hints))
        with columns:
            with group("section", "rc-column", aria_label="Settings"):
                self._draw_presets()
                with group("div", "rc-card"):
                    fields = _draft(view.query.get("draft", "")) or _fields(self._saved)
                    self._controls = PolicyControls(fields, advanced, self._changed)
            with group("section", "rc-column", aria_label="What it means"):
                with group("div", "rc-card rc-column rc-summary"):
                    self._words = words("p", "", "rc-strong rc-policy-words")
                    self._wrong = words("p", "", "rc-bad")
                    self._notes = group("div", "rc-column", role="status")
                    with group("div", "rc-row"):
                        self._save_button = act("Save", self._save, icon="o_check", kind="main")
                        self._reset_button = act("Reset", self._reset, kind="quiet")
                self._tried = group("div", "rc-column", aria_live="polite")
                with self._tried:
                    words("p", "Trying it on recent events…", "rc-soft rc-small")
                with group("p", "rc-small rc-soft"):
                    words("span", "Webhooks, quiet hours and digests: ")
                    link("Notifications", "/notifications")
        self._changed()

    def _draw_presets(self) -> None:
        self._presets: dict[str, tuple[Policy, ui.element]] = {}
        with group("div", "rc-presets", role="group", aria_label="Ready policies"):
            for name, preset in {"everything": _EVERYTHING, **PRESETS}.items():
                with group("button", "rc-preset", type="button") as button:
                    words("span", name.capitalize(), "rc-strong")
                    words("span", preset.meaning, "rc-soft rc-small")
                button.on("click", lambda fields=dict(preset.fields): self._take(fields))
                self._presets[name] = self._made(preset.fields), button

    def _take(self, fields: JsonObject) -> None:
        # Copy through JSON, because the controls change nested values.
        self._controls.show(json.loads(json.dumps(fields)))
        self._changed()

    def _made(self, fields: Mapping[str, object]) -> Policy:
        made = decode_record({"kind": "policy", "user": self._view.user, **fields})
        assert isinstance(made, Policy)
        return made

    def _policy(self) -> Policy:
        made = self._made(self._controls.fields)
        check_cost(made, self._view.service.settings.limits)
        return made

    def _changed(self) -> None:
        self._tries += 1
        try:
            policy = self._policy()
        except RankcastError as error:
            self._wrong.text = str(error)
            self._save_button.disable()
            return
        self._wrong.text = ""
        self._words.text = in_words(policy)
        for ready, button in self._presets.values():
            set_props(button, aria_pressed="true" if policy == ready else "false")
        is_new = policy != self._saved
        self._save_button.set_enabled(is_new)
        self._reset_button.set_visibility(is_new)
        # Neither by `ui` nor in a timer: they would belong to the control that was used, which may have been drawn anew.
        keep_address(self._client, {"draft": json.dumps(self._controls.fields)} if is_new else {})
        background_tasks.create(self._try(self._tries, policy), name="trying a policy")

    def _is_outdated(self, number: int) -> Callable[[], Awaitable[bool]]:
        """Return a check whether a trial is outdated: a newer one was started, or the page is closed."""

        async def is_outdated() -> bool:
            return number != self._tries or self._tried.is_deleted

        return is_outdated

    async def _try(self, number: int, policy: Policy) -> None:
        service, user, saved = self._view.service, self._view.user, self._saved
        part = await asyncio.to_thread(service.part_of, user)
        if number != self._tries or self._tried.is_deleted:
            return
        with emptied(self._notes):
            for note in policy_notes(policy, part):
                words("p", f"{capitalised(note)}.", "rc-note rc-warn")
        if not part.subscriptions_of(user):
            with (
                emptied(self._tried),
                empty(
                    "o_science",
                    "Nothing to try it on",
                    "With a subscription, this shows what the policy would have sent.",
                ),
            ):
                act("New subscription", lambda: ui.navigate.to("/subscriptions?new="), icon="o_add")
            return
        history = service.history(SAMPLE)
        try:
            now, then, events = await service.trials.run_for(
                self._view.visitor.who, self._is_outdated(number), compare, history, user, saved, policy, part
            )
        except RankcastError as error:
            if number == self._tries and not self._tried.is_deleted:
                with emptied(self._tried):
                    words("p", str(error), "rc-note rc-warn")
            return
        if number == self._tries and not self._tried.is_deleted:
            with emptied(self._tried):
                if events:
                    show_backtests(now, None if policy == saved else then, events)
                else:
                    with empty("o_science", "Nothing to try it on", "Nothing was published yet."):
                        act("Open a demo world", lambda: ui.navigate.to("/worlds"), icon="o_public")
            if events:
                await self._advise(number, policy, part)

    async def _advise(self, number: int, policy: Policy, part: Catalog) -> None:
        """Say between which rates the filter can serve all subscriptions evenly."""
        if policy.filter is None or policy.filter.scoring not in (Scoring.RATE, Scoring.INTERVAL):
            return
        service = self._view.service
        with suppress(RankcastError):  # the trial that follows says what is wrong
            found = await service.trials.run_for(
                self._view.visitor.who,
                self._is_outdated(number),
                even_history,
                service.history(_ADVICE_SAMPLE),
                self._view.user,
                policy,
                part,
            )
            if number == self._tries and not self._notes.is_deleted and found.even is not None:
                with self._notes:
                    words("p", f"{capitalised(found.advice)}.", "rc-note")

    async def _save(self) -> None:
        with complaining():
            policy = self._policy()
            await asyncio.to_thread(self._view.service.put, policy)
            before, self._saved = self._saved, policy
            self._changed()
            self._undo.offer("Saved. It applies from the next event on", lambda: self._restore(before))

    async def _restore(self, policy: Policy) -> None:
        await asyncio.to_thread(self._view.service.put, policy)
        self._saved = policy
        self._take(_fields(policy))

    def _reset(self) -> None:
        self._take(_fields(self._saved))


def _fields(policy: Policy) -> JsonObject:
    """The JSON form without kind and user."""
    return {name: value for name, value in encode_record(policy).items() if name not in ("kind", "user")}


def _draft(text: str) -> JsonObject | None:
    """The unsaved draft in the address, or None if it is not a valid policy."""
    try:
        fields = read_object(text)
        decode_record({**fields, "kind": "policy", "user": "somebody"})
    except (ValueError, TypeError, ModelError):
        return None
    return {name: value for name, value in fields.items() if name not in ("kind", "user")}


_MOST = 15


def show_backtests(now: Backtest, then: Backtest | None, events: Sequence[Event]) -> None:
    """Show measures and deliveries of both, newest first. Deliveries of only one of them are highlighted.

    `then` is None if nothing was changed.
    """
    titles = {event.id: title_of(event) for event in events}
    sides = [("Saved policy", now, now)] if then is None else [("Saved policy", now, then), ("New policy", then, now)]
    both = {one.event for one in now.sent} & {one.event for one in (then or now).sent}
    compared = "" if then is None else f" Both send {len(both):,} of them."
    words("p", f"Tried on the last {len(events):,} events, from an empty window.{compared}", "rc-soft rc-small")
    with group("div", "rc-sides"):
        for name, side, other in sides:
            with group("section", "rc-card rc-column", aria_label=name):
                words("h2", name)
                _show_figures(side, other)
                _show_sent(side, both, titles)


def _show_figures(side: Backtest, other: Backtest) -> None:
    rank, diversity, wait = _number(side.rank), _number(side.diversity), _span(side.wait)
    found = {"Sent": f"{len(side.sent):,}", "Mean rank": rank, "Diversity": diversity, "Mean wait": wait}
    figures(found, "rc-compact")
    most = max(len(side.sent), len(other.sent), 1)
    fill_bar(len(side.sent) / most, f"{len(side.sent)} of at most {most}").classes("rc-wide-bar")


def _show_sent(side: Backtest, both: set[str], titles: dict[str, str]) -> None:
    if not side.sent:
        words("p", "Nothing would have been sent.", "rc-soft")
        return
    with group("ol", "rc-sent rc-small"):
        for one in side.sent[: -_MOST - 1 : -1]:
            with group("li", "rc-row" if one.event in both else "rc-row rc-only"):
                words("span", titles.get(one.event, one.event), "rc-grow")
                words("span", f"{one.rank:.2f}", "rc-number rc-soft")
        if len(side.sent) > _MOST:
            words("li", f"and {len(side.sent) - _MOST:,} before", "rc-soft")


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _span(value: timedelta | None) -> str:
    if value is None:
        return "–"
    if value < timedelta(seconds=1):
        return "none"
    unit = timedelta(minutes=1) if value >= timedelta(hours=1) else timedelta(seconds=1)
    return show_duration(round(value / unit) * unit)


def in_words(policy: Policy) -> str:
    """What a policy does, in a sentence or two.

    >>> from rankcast.model import Length
    >>> in_words(Policy("ann"))
    'Everything that matches is sent at once.'
    >>> in_words(Policy("ann", Mode.SLIDING, 4, Length(50), sigma=0.5))
    'Sent at once: what is among the 4 best of the last 50 events, by what you prefer and how different it is.'
    """
    said = [_what(policy)]
    if policy.mode is Mode.SLIDING and policy.calm:
        said.append(f"A set stays until another one is better by more than {policy.calm:g}.")
    if policy.filter is not None:
        kept = policy.filter
        said.append(
            f"A filter first lets through only {kept.novelty.meaning.format(rate=kept.rate, minimum=kept.minimum)}."
        )
    return " ".join(said)


def _what(policy: Policy) -> str:
    if policy.mode is Mode.ALL or policy.k is None or policy.length is None:
        return "Everything that matches is sent at once."
    parts = [part.meaning for part in ScorePart if policy.score.get(part, 0) > 0]
    if policy.sigma < 1:
        parts = [*(parts if policy.sigma > 0 else []), "how different it is"]
    by = parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} and {parts[-1]}"
    best = "the best" if policy.k == 1 else f"the {policy.k} best"
    length = length_words(policy.length)
    match policy.mode:
        case Mode.PERIODIC:
            return f"Every {length}: {best}, by {by}."
        case Mode.SLIDING:
            return f"Sent at once: what is among {best} of the last {length}, by {by}."
        case Mode.HISTORY:
            return f"Sent at once: what betters {best} that you got in the last {length}, by {by}."


def length_words(length: Length) -> str:
    """A length for people.

    >>> from datetime import timedelta
    >>> from rankcast.model import Unit
    >>> length_words(Length(timedelta(minutes=90), Unit.TIME)), length_words(Length(20, Unit.MATCHED))
    ('90 minutes', '20 matches')
    """
    match length:
        case Length(timedelta() as span, _):
            for unit, name in (
                (timedelta(days=1), "day"),
                (timedelta(hours=1), "hour"),
                (timedelta(minutes=1), "minute"),
            ):
                if span % unit == timedelta(0):
                    amount = span // unit
                    return f"{name}" if amount == 1 else f"{amount} {name}s"
            return f"{span.total_seconds():g} seconds"
        case Length(amount, unit):
            return f"{amount} {unit.title}"
