"""The forms of the page refuse what the model refuses, with its message.

No browser takes part, because one may send anything, whatever the bounds of its fields are.
"""

import asyncio
import json
from collections import Counter
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from nicegui import Client, ui
from nicegui.page import page
from tests.support.edges import outside

from rankcast.language import decode_record
from rankcast.language.membership_json import membership_of_json
from rankcast.model import MAX_ATTRIBUTES, MAX_TEXT, Advertisement, Catalog, Policy, ScorePart, Subscription
from rankcast.model.declared import Duration, FieldKind, Nested, Numbers, Real, Whole, declared
from rankcast.service import ServiceSettings
from rankcast.service.page.advertisements.advertisements import AdvertisementEditor, PublishingForm
from rankcast.service.page.concepts.concept_fields import ConceptFields
from rankcast.service.page.concepts.concept_shapes import FIELDS as NUMBERS_OF_FORMS
from rankcast.service.page.feed.publish_dialog import _PublishDialog
from rankcast.service.page.policy import policy as policy_page
from rankcast.service.page.policy.advanced_settings import _GROUPS, _label, _settings
from rankcast.service.page.subscriptions.subscription_editor import EditorKnowledge, SubscriptionEditor
from rankcast.service.studies.attribute_study import Study

ADVERTISEMENT = decode_record({"kind": "advertisement", "id": "a1", "publisher": "ann", "where": "a = 1", "k": 5})
assert isinstance(ADVERTISEMENT, Advertisement)
FIELDS = {
    "mode": "sliding", "k": 3, "length": 10, "score": {"preference": 1, "novelty": 1}, "novelty": {"scoring": "decay"},
    "filter": {"novelty": "threshold", "scoring": "decay", "rate": 1},
}  # fmt: skip


class NoService:
    """Stores nothing. What reaches it, the form has accepted."""

    settings = ServiceSettings()

    def put(self, record: object, **options: object) -> None:
        raise AssertionError(f"accepted: {record}")

    def publish(self, events: list[object]) -> None:
        raise AssertionError(f"accepted: {events}")

    def catalog(self) -> Catalog:
        return Catalog([ADVERTISEMENT])


async def closed() -> None:
    """A form that was refused is not closed."""
    raise AssertionError("closed")


VIEW: Any = SimpleNamespace(service=NoService(), user="ann", query={})


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[Client]:
    """The page on which a test draws a form."""
    with Client(page("")) as client:
        monkeypatch.setattr(client, "run_javascript", lambda code, timeout=1.0: None)
        yield client
    client.delete()


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The messages of the page."""
    messages: list[str] = []
    monkeypatch.setattr(ui, "notify", lambda text, **options: messages.append(text))
    return messages


def labelled(client: Client, label: str) -> list[Any]:
    return [one for one in client.elements.values() if one.props.get("aria-label") == label]


def move(client: Client, label: str, value: float) -> None:
    """Send the value of a slider, as a browser does."""
    knob = next(one for one in client.elements.values() if isinstance(one, ui.html) and f'"{label}"' in one.content)
    (listener,) = knob._event_listeners.values()
    assert listener.handler is not None
    listener.handler(SimpleNamespace(args=value))


@pytest.fixture
def policy_form(drawn: Client, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The page of a policy that has all groups of settings."""
    monkeypatch.setattr(policy_page.background_tasks, "create", lambda work, name: work.close())
    saved = decode_record({"kind": "policy", "user": "ann", **FIELDS})
    assert isinstance(saved, Policy)
    return policy_page._PolicyPage(VIEW, saved, {})


def typed(kind: FieldKind) -> list[Any]:
    """Values out of bounds as a person types them: numbers, or pairs and lengths of time as text."""
    match kind:
        case Real() | Whole():
            return outside(kind)
        case Numbers():
            return [f"{name}={value!r}" for one in outside(kind) if len(one) == 1 for name, value in one.items()]
        case Duration() | Nested():
            return [str(value) for value in outside(kind)]
    return []


def test_the_advanced_settings_of_a_policy_are_refused_by_name_and_bound(drawn: Client, policy_form: Any) -> None:
    seen = Counter[str]()
    tried = 0
    for one in (one for group in _GROUPS for _, one in _settings(group)):
        field = labelled(drawn, _label(one))[seen[_label(one)]]
        seen[_label(one)] += 1
        before = field.value
        for value in typed(one.kind):
            field.set_value(value)
            said = policy_form._wrong.text
            assert one.name in said, (value, said)
            assert "it must" in said or "more than 64 bits" in said, said
            assert not policy_form._save_button.enabled
            tried += 1
        field.set_value(before)
        assert policy_form._wrong.text == "", one.name
    assert tried > 40


def test_the_other_controls_of_a_policy_are_refused_by_name_and_bound(drawn: Client, policy_form: Any) -> None:
    sliders = {"At most": "k", "Variety against rank": "sigma", "Share let through": "rate"}
    sliders |= {part.title: "score" for part in ScorePart}
    for label, name in sliders.items():
        move(drawn, label, 1e9)
        assert f"{name} is " in policy_form._wrong.text.replace(f"in {name} is", f"{name} is"), policy_form._wrong.text
        assert "; it must " in policy_form._wrong.text
        policy_form._reset()
        assert policy_form._wrong.text == ""
    for unit in ("events", "d"):
        for value in (0, -5, 10**9):
            labelled(drawn, "Unit of the length")[0].set_value(unit)
            labelled(drawn, "Length")[0].set_value(value)
            assert "length" in policy_form._wrong.text, (unit, value, policy_form._wrong.text)
            assert not policy_form._save_button.enabled
        policy_form._reset()


def test_a_policy_that_costs_too_much_is_refused(drawn: Client, policy_form: Any) -> None:
    move(drawn, "At most", 1_000)
    move(drawn, "Variety against rank", 0.5)
    assert policy_form._wrong.text == ""
    labelled(drawn, "Length")[0].set_value(100_000)
    assert "the limit is 5,000 µs; what would lower it:" in policy_form._wrong.text
    assert not policy_form._save_button.enabled


def test_the_k_of_an_advertisement_is_refused_by_name_and_bound(drawn: Client, told: list[str]) -> None:
    (k,) = [one for one in declared(Advertisement) if one.name == "k"]
    form = AdvertisementEditor(VIEW, ADVERTISEMENT, closed)
    for value in [*outside(k.kind), None, 2.5]:
        form._k.set_value(value)
        asyncio.run(form._save())
        assert told.pop().startswith("k is "), value


def test_the_expression_of_an_advertisement_has_the_limit_of_the_api(drawn: Client, told: list[str]) -> None:
    form = AdvertisementEditor(VIEW, None, closed)
    form._id.set_value("a2")
    form._where.set_value(" and ".join(f"a{number} = 1" for number in range(201)))
    asyncio.run(form._save())
    assert told == ["an expression of 201 predicates; here the limit is 200"]


def test_the_score_of_a_subscription_is_refused_by_name_and_bound(drawn: Client, told: list[str]) -> None:
    (score,) = [one for one in declared(Subscription) if one.name == "score"]
    old = decode_record({"kind": "subscription", "id": "s1", "user": "ann", "where": "a = 1", "score": 0.5})
    assert isinstance(old, Subscription)
    form = SubscriptionEditor(VIEW, EditorKnowledge(Catalog(), {}, {}), old, "a = 1", closed)
    for value in outside(score.kind):
        move(drawn, "Score", value)
        asyncio.run(form._save())
        assert told.pop() == f"score is {value}; it must lie in 0..1"


def test_a_nul_character_in_a_name_is_refused(drawn: Client, told: list[str]) -> None:
    wish = SubscriptionEditor(VIEW, EditorKnowledge(Catalog(), {}, {}), None, "a = 1", closed)
    wish._name.set_value("a\0b")
    promise = AdvertisementEditor(VIEW, None, closed)
    promise._id.set_value("a\0b")
    promise._where.set_value("a = 1")
    for save in (wish._save, promise._save):
        asyncio.run(save())
        assert told.pop() == "id has the control character U+0000 at character 2; it must have none"
    dialog, publication = _PublishDialog(VIEW), PublishingForm(VIEW, ADVERTISEMENT, closed)
    named = json.dumps({"a\0b": 1})
    dialog._text.set_value(named)
    assert "the name of an attribute has the control character U+0000" in dialog._wrong.text
    assert not dialog._button.enabled
    publication._attributes.set_value(named)
    asyncio.run(publication._publish())
    assert "the name of an attribute has the control character U+0000" in told.pop()


def test_the_numbers_of_a_concept_are_refused_by_form_and_bound(drawn: Client) -> None:
    said: list[str] = []
    fields = ConceptFields(lambda made, reason: said.append(reason), lambda form: None)
    found = Study("a", 0, (), 0, 0, Counter())
    for form, labels in NUMBERS_OF_FORMS.items():
        fields.show(membership_of_json(form, [1] * len(labels), "a"), found, still=False)
        for field, _ in fields._inputs:
            field.set_value(2e15)
        assert "it must lie in" in said[-1], (form, said[-1])
    fields.show(membership_of_json("piecewise", [[0, 1], [1, 0]], "a"), found, still=False)
    fields._inputs[1][0].set_value(1.5)
    assert "degree" in said[-1]


EVENTS = (
    ({"a": {"between": [0, 2e15]}}, "a number of interval is 2000000000000000.0; it must lie in -1e15..1e15"),
    ({"a": [2**63]}, "an integer of more than 64 bits"),
    ({"a": "x" * (MAX_TEXT + 1)}, "attribute 'a': a string of 65,537 characters; it must have at most 65,536"),
    ({f"n{number}": 1 for number in range(MAX_ATTRIBUTES + 1)}, "an event of 1,001 attributes; it must have at most"),
    ({f"n{number}": "x" * MAX_TEXT for number in range(4)}, "bytes; it must have at most 262,144"),
)


def test_an_event_out_of_bounds_is_refused(drawn: Client, told: list[str]) -> None:
    dialog, form = _PublishDialog(VIEW), PublishingForm(VIEW, ADVERTISEMENT, closed)
    for attributes, reason in EVENTS:
        dialog._text.set_value(json.dumps(attributes))
        assert reason in dialog._wrong.text
        assert not dialog._button.enabled
        form._attributes.set_value(json.dumps(attributes))
        asyncio.run(form._publish())
        assert reason in told.pop()


def test_the_k_of_a_publication_is_refused_by_name_and_bound(drawn: Client, told: list[str]) -> None:
    form = PublishingForm(VIEW, ADVERTISEMENT, closed)
    form._attributes.set_value('{"a": 1}')
    for value in (0, -1, 6, 2.5, 10**9):
        form._k.set_value(value)
        asyncio.run(form._publish())
        assert "k is " in told[-1], (value, told)
        told.clear()


@pytest.mark.parametrize(
    "text",
    ["[" * 60_000, '{"a":' * 60_000, "[]", '{"a": ' + "9" * 5_000 + "}", '{"a": NaN}', ""],
    ids=["deep list", "deep object", "list", "long number", "not a number", "nothing"],
)
def test_json_that_is_none_or_too_deep_is_refused(drawn: Client, told: list[str], text: str) -> None:
    """In the dialog, in the form, and as a draft in an address."""
    dialog, form = _PublishDialog(VIEW), PublishingForm(VIEW, ADVERTISEMENT, closed)
    dialog._text.set_value(text or " ")
    assert dialog._wrong.text
    assert not dialog._button.enabled
    form._attributes.set_value(text)
    asyncio.run(form._publish())
    assert told.pop()
    assert policy_page._draft(text) is None
