"""The editor trusts nothing that a browser sends for a field that it shows as read-only."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from rankcast.language import parse
from rankcast.model import Subscription
from rankcast.service.page.subscriptions import subscription_editor
from rankcast.service.page.subscriptions.subscription_editor import SubscriptionEditor
from rankcast.service.service import Service


@pytest.mark.parametrize("sent", ["bobs", "anns-other", ""])
def test_the_name_of_a_subscription_stays(service: Service, monkeypatch: pytest.MonkeyPatch, sent: str) -> None:
    kept = [Subscription(name, user, parse("x = 1")) for name, user in (("anns", "ann"), ("anns-other", "ann"))]
    others = Subscription("bobs", "bob", parse("x = 2"))
    service.put(*kept, others)
    editor: Any = object.__new__(SubscriptionEditor)
    editor._view = SimpleNamespace(service=service, user="ann")
    editor._old, editor._text = kept[0], SimpleNamespace(value="x = 3")
    editor._name, editor._by_score = SimpleNamespace(value=sent), SimpleNamespace(value=False)

    async def leave() -> None:
        """The page is not there."""

    editor._leave = leave
    monkeypatch.setattr(subscription_editor.ui, "notify", lambda *given, **named: None)
    asyncio.run(editor._save())
    assert service.catalog().subscriptions == {
        "anns": Subscription("anns", "ann", parse("x = 3")),
        "anns-other": kept[1],
        "bobs": others,
    }
