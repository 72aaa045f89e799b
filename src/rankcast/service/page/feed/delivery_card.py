"""A card for one delivery: the event, its times, the reason, what the user did with it, and details on demand."""

from collections.abc import Sequence
from datetime import timedelta

from nicegui import ui

from rankcast.language import show_time
from rankcast.language.event_words import title_of, told_duration
from rankcast.model import Catalog, Delivery
from rankcast.service.page.feed.event_details import EventDetails, show_facts_of, show_subscriptions
from rankcast.service.page.feed.reaction_bar import ReactionBar, Reactions
from rankcast.service.page.reasons import Arrival, ShortReason, short_reason
from rankcast.service.page.visitors import View
from rankcast.service.page.widgets import fill_bar, group, set_props, words


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
            with group("span", "rc-row rc-rank"):
                fill_bar(delivery.rank, f"rank {delivery.rank:.3g} of 1")
                words("span", f"{delivery.rank:.2f}", "rc-number rc-small rc-soft")
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
    sent = show_time(delivery.forwarded)
    with group("span", "rc-small rc-soft"):
        words("span", "Sent ")
        set_props(words("time", sent, "rc-when"), datetime=sent)
        if delivery.freshness >= timedelta(seconds=1):
            words("span", f", waited {told_duration(delivery.freshness)}")
