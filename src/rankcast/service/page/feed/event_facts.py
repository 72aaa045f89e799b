"""The attributes of an event on a card: those that the matching subscriptions name come first, highlighted."""

from collections.abc import Collection
from urllib.parse import quote

from rankcast.language import label
from rankcast.language.event_words import facts
from rankcast.model import Catalog, Event, predicates_of
from rankcast.service.page.widgets import group, link, set_props, words


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
