"""The full explanation of a delivery: scores, score parts, subscriptions, rivals, attributes."""

import re
from datetime import timedelta

from rankcast.engine.explain import Explanation, MatchedSubscription
from rankcast.language import label, show_duration
from rankcast.language.event_words import said
from rankcast.model import Event
from rankcast.service.outcome_words import outcome_words
from rankcast.service.page.reasons import Arrival
from rankcast.service.page.widgets import figures, fill_bar, group, pill, row, scroller, words
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
