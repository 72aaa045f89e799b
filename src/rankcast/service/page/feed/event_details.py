"""A delivery as a card, and the details of an event: its attributes, and why it was or was not sent."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Collection, Sequence
from datetime import timedelta
from urllib.parse import quote

from nicegui import ui

from rankcast.engine.explain import Explanation, MatchedSubscription
from rankcast.errors import RankcastError
from rankcast.language import label, show_duration
from rankcast.language.event_words import cut, facts, said, title_of, told_duration
from rankcast.model import Catalog, Delivery, Event, predicates_of
from rankcast.service.outcome_words import outcome_words
from rankcast.service.page.feed.reaction_bar import ReactionBar, Reactions
from rankcast.service.page.reasons import Arrival, ShortReason, short_reason
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    figures,
    fill_bar,
    group,
    link,
    moment,
    pill,
    rank_bar,
    row,
    scroller,
    set_props,
    words,
)
from rankcast.service.trial_tasks import explain_event
from rankcast.wording import capitalised

_PART = re.compile(r"([\d.e+-]+) \* (\w+) ([\d.e+-]+)")


def show_facts(arrival: Arrival) -> None:
    """Show the logged data of the delivery."""
    delivery = arrival.delivery
    waited = show_duration(delivery.freshness) if delivery.freshness > timedelta(0) else "not at all"
    rank, window = f"{delivery.rank:.3g}", f"{delivery.window:,}"
    figures({"Rank": rank, "Waited": waited, "Window": window, "Delivery": f"{arrival.number:,}"})


def show_attributes(event: Event) -> None:
    """Show all attributes of the event."""
    words("h3", "The event")
    with scroller("Attributes of the event"), group("table", "rc-table"), group("tbody"):
        rows = [("id", event.id), ("time", said((event.time,))), *([("source", event.source)] if event.source else [])]
        for name, text in [*rows, *((name, said(value)) for name, value in event.attributes.items())]:
            with group("tr"):
                words("th", name).props("scope=row")
                words("td", text)


def show_explanation(explanation: Explanation, titles: dict[str, str]) -> None:
    """Show why the event was sent. `titles` are the titles of the events it competed with."""
    words("p", f"{_headline(explanation, titles)}.", "rc-strong")
    if remark := explanation.remark:
        words("p", f"{capitalised(remark)}.", "rc-soft rc-small")
    parts = _PART.findall(explanation.parts)
    if len(parts) > 1:
        words("h3", "What its rank is made of")
        with group("table", "rc-table rc-parts"), group("tbody"):
            for weight, name, value in parts:
                with group("tr"):
                    words("th", name).props("scope=row")
                    with group("td"), group("span", "rc-row"):
                        fill_bar(float(value), f"{name} {float(value):.3g}")
                        words("span", f"{float(value):.3g} × {float(weight):.0%}", "rc-soft rc-small")
                    words("td", f"{float(weight) * float(value):.3g}", "rc-number")
    words("h3", "Your subscriptions")
    with group("ul", "rc-column rc-tight"):
        for interest in sorted(explanation.interests, key=lambda one: (not one.specific, not one.matches)):
            _show_interest(interest)
    decision = explanation.decision
    if decision is not None and decision.rivals:
        words("h3", "Chosen beside it" if decision.chosen else "Chosen instead")
        with group("table", "rc-table"), group("tbody"):
            for rival in decision.rivals:
                rank, distance = f"rank {rival.rank:.3g}", f"distance {rival.distance:.2f}"
                row(titles.get(rival.event, rival.event), (rank, "rc-number rc-soft"), (distance, "rc-number rc-soft"))


def _headline(explanation: Explanation, titles: dict[str, str]) -> str:
    """Whether the event was sent, and the deciding cause, with titles instead of ids."""
    if explanation.sent:
        return capitalised(explanation.verdict)
    because = outcome_words(explanation, titles)
    return because if because.startswith("Not s") else f"Not sent. {because}"


def _show_interest(interest: MatchedSubscription) -> None:
    with group("li", "rc-interest"):
        with group("div", "rc-row rc-wrap"):
            state = "decides" if interest.specific else "matches" if interest.matches else "does not match"
            pill(state, "" if interest.matches else "rc-plain")
            words("span", label(interest.subscription.where), "" if interest.matches else "rc-soft")
            words("span", f"score {interest.score:.3g}", "rc-soft rc-small rc-number")
            if interest.matches and interest.degree < 1:
                words("span", f"degree {interest.degree:.3g}", "rc-soft rc-small rc-number")
        if not interest.matches and interest.why:
            # The first failing part of the expression. Deeper lines may be inside a `not`.
            parts = [line for line in interest.why if line.startswith("  ") and not line.startswith("   ")]
            failing = [line.strip() for line in parts if ": no, " in line]
            words("p", failing[0] if failing else interest.why[0], "rc-soft rc-small")


def show_facts_of(event: Event, subscriptions: Collection[str], catalog: Catalog) -> None:
    """Add the line of attributes."""
    known = [catalog.subscriptions[name] for name in subscriptions if name in catalog.subscriptions]
    named = {predicate.attribute for one in known for predicate in predicates_of(one.where)}
    shown = {name.replace("_", " ") for name in named}
    with group("p", "rc-facts rc-small"):
        for name, value in facts(event, first=named):
            with group("span", "rc-fact rc-named" if name in shown else "rc-fact"):
                words("span", name, "rc-soft")
                words("span", value)


def show_subscriptions(subscriptions: Collection[str], catalog: Catalog) -> None:
    """Add a link to each subscription."""
    for name in subscriptions:
        known = catalog.subscriptions.get(name)
        said = label(known.where) if known else "no longer exists"
        set_props(link(name, f"/subscriptions?edit={quote(name)}", "rc-pill"), title=said)


async def _nothing() -> None:
    pass


class EventDetails:
    """Adds the button to the current element, and the panel to `article`. The first click computes the explanation.

    `arrival` is the delivery of the event, if it was delivered; `opened` is called when the panel is opened.
    """

    def __init__(
        self,
        view: View,
        article: ui.element,
        event: Event,
        arrival: Arrival | None = None,
        opened: Callable[[], Awaitable[None]] = _nothing,
    ) -> None:
        self._view = view
        self._event = event
        self._arrival = arrival
        self._opened = opened
        self._is_made = False
        self._button = group("button", "rc-link rc-small rc-why", type="button", aria_expanded="false")
        with self._button:
            self._text = words("span", "Why?")
        came = "came" if arrival is not None else "did not come"
        set_props(self._button, aria_label=f"Why {cut(title_of(event), 60)} {came}")
        with article:
            self._panel = group("div", "rc-details rc-column")
        self._panel.set_visibility(False)
        self._button.on("click", self._toggle)

    async def _toggle(self) -> None:
        is_open = not self._panel.visible
        self._panel.set_visibility(is_open)
        self._text.text = "Close" if is_open else "Why?"
        set_props(self._button, aria_expanded="true" if is_open else "false")
        if is_open:
            await self._opened()
        if not is_open or self._is_made:
            return
        self._is_made = True
        with self._panel:
            waiting = words("p", "Replaying the decisions…", "rc-soft")
        found = await self._explained()
        waiting.delete()
        with self._panel:
            match found:
                case str(complaint):
                    words("p", complaint, "rc-note rc-warn")
                case (explanation, titles):
                    show_explanation(explanation, titles)
            if self._arrival is not None:
                show_facts(self._arrival)
            show_attributes(self._event)

    async def _explained(self) -> tuple[Explanation, dict[str, str]] | str:
        settings, user = self._view.service.settings, self._view.user
        try:
            explanation = await compute(
                self._view, explain_event, settings.store, settings.limits.explained, user, self._event.id
            )
            rivals = explanation.decision.rivals if explanation.decision else ()
            return explanation, await asyncio.to_thread(self._titles, [rival.event for rival in rivals])
        except RankcastError as error:
            return str(error)

    def _titles(self, names: list[str]) -> dict[str, str]:
        events = [self._view.service.event(name) for name in names]
        return {event.id: title_of(event) for event in events if event is not None}


def delivery_card(
    view: View, arrival: Arrival, before: Sequence[Arrival], catalog: Catalog, reactions: Reactions
) -> ui.element:
    """Add the card to the current list. `before` are the earlier deliveries, newest first."""
    delivery, event = arrival.delivery, arrival.event
    title = title_of(event)
    card = group("li", "rc-card rc-delivery", data_number=str(arrival.number))
    with card, group("article", "", aria_label=title) as article:
        with group("div", "rc-row rc-spread rc-heading"):
            words("h2", title)
            rank_bar(delivery.rank)
        _show_reason(short_reason(arrival, before, catalog))
        show_facts_of(event, delivery.subscriptions, catalog)
        with group("div", "rc-row rc-wrap rc-foot"):
            _show_times(delivery)
            show_subscriptions(delivery.subscriptions, catalog)
            with group("span", "rc-row rc-tight rc-reactions"):
                bar = ReactionBar(view, card, arrival, reactions)
                EventDetails(view, article, event, arrival, bar.read)
    return card


def _show_reason(reason: ShortReason) -> None:
    with group("p", "rc-reason"):
        words("span", "Matches ")
        words("strong", reason.name)
        liked = f" ({reason.liked})" if reason.liked else ""
        words("span", "".join([liked, *(f" · {other}" for other in reason.others)]))


def _show_times(delivery: Delivery) -> None:
    with group("span", "rc-small rc-soft"):
        words("span", "Sent ")
        moment(delivery.forwarded)
        if delivery.freshness >= timedelta(seconds=1):
            words("span", f", waited {told_duration(delivery.freshness)}")
