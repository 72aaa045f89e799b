import pytest

from rankcast.errors import CatalogError, ModelError
from rankcast.service.push.webhooks import Endpoints
from rankcast.store import WebhookLog

URL = "https://example.org/hook"


@pytest.fixture
def endpoints(store) -> Endpoints:
    return Endpoints(store)


def test_an_endpoint_is_kept_with_what_was_said_about_it(endpoints, store, clock):
    made, secret = endpoints.add("ann", URL, "the kitchen", ["digest.ready"])
    assert endpoints.get("ann", made.id) == made
    assert (made.url, made.description, made.types, made.created) == (URL, "the kitchen", ("digest.ready",), clock())
    assert made.signing(clock()) == [secret]
    assert endpoints.of("ann") == [made]
    assert endpoints.of("bob") == []


def test_the_secret_is_in_no_text_form_of_an_endpoint(endpoints):
    made, secret = endpoints.add("ann", URL)
    for text in (repr(made), str(made), repr(endpoints.of("ann")), f"{made.secrets}"):
        assert secret not in text


def test_a_user_never_reaches_another_s(endpoints):
    made, _ = endpoints.add("ann", URL)
    for attempt in (
        lambda: endpoints.get("bob", made.id),
        lambda: endpoints.change("bob", made.id, URL, "mine now", None),
        lambda: endpoints.rotate("bob", made.id),
        lambda: endpoints.enable("bob", made.id),
        lambda: endpoints.disable("bob", made.id),
        lambda: endpoints.remove("bob", made.id),
        lambda: endpoints.dead("bob", made.id),
        lambda: endpoints.replay("bob", made.id),
        lambda: endpoints.counts("bob", made.id),
    ):
        with pytest.raises(CatalogError, match="has no webhook"):
            attempt()
    assert endpoints.of("ann") == [made]


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"url": "http://example.org"}, "https"),
        ({"url": "https://127.0.0.1/"}, "public Internet"),
        ({"description": "x" * 201}, "at most 200"),
        ({"types": ["delivery.send"]}, "did you mean 'delivery.sent'"),
        ({"types": []}, "at least one"),
    ],
)
def test_what_cannot_be_is_refused_when_made_and_when_changed(endpoints, options, said):
    made, _ = endpoints.add("ann", URL)
    whole = {"url": URL, "description": "", "types": None, **options}
    with pytest.raises(ModelError, match=said):
        endpoints.add("ann", **whole)
    with pytest.raises(ModelError, match=said):
        endpoints.change("ann", made.id, **whole)
    assert endpoints.of("ann") == [made]


def test_a_user_has_so_many_and_no_more(endpoints):
    for _ in range(20):
        endpoints.add("ann", URL)
    with pytest.raises(ModelError, match="20 webhooks already"):
        endpoints.add("ann", URL)
    endpoints.add("bob", URL)


def test_disabled_by_hand_and_enabled_again(endpoints):
    made, _ = endpoints.add("ann", URL)
    assert endpoints.disable("ann", made.id).disabled_because == "disabled by the user"
    assert not endpoints.get("ann", made.id).active
    assert endpoints.enable("ann", made.id) == made


def test_rotating_twice_keeps_but_one_old_secret(endpoints, clock):
    made, _ = endpoints.add("ann", URL)
    _, second = endpoints.rotate("ann", made.id)
    rotated, third = endpoints.rotate("ann", made.id)
    assert rotated.signing(clock()) == [third, second]
    clock.advance(days=1)
    assert rotated.signing(clock()) == [third]


def test_types_that_were_not_wanted_before_begin_with_what_comes_next(endpoints, publish):
    made, _ = endpoints.add("ann", URL, types=["digest.ready"])
    publish(3)
    assert endpoints.counts("ann", made.id).waiting == 0
    changed = endpoints.change("ann", made.id, URL, "", ["delivery.sent", "digest.ready"])
    assert changed.delivery_reached == 6  # three of ann's, three of bob's
    publish()
    assert endpoints.counts("ann", made.id) == (1, 0, 0)


def test_another_description_changes_nothing_else(endpoints, publish):
    made, _ = endpoints.add("ann", URL)
    publish(2)
    endpoints.change("ann", made.id, URL, "new", None)
    assert endpoints.counts("ann", made.id) == (2, 0, 0)


def test_a_removed_endpoint_takes_its_messages_with_it(endpoints, store):
    made, _ = endpoints.add("ann", URL)
    endpoints.remove("ann", made.id)
    assert endpoints.of("ann") == []
    WebhookLog(store.database).remove(made.id)  # once more does no harm
