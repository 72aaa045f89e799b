"""A digest as text and as HTML."""

from dataclasses import replace
from html.parser import HTMLParser

import pytest

from rankcast.service.push.digests import Schedule, as_html, as_text
from rankcast.service.push.digests.contents import SHOWN, OmittedEvent

BERLIN = Schedule.of_json({"days": "weekdays", "at": "08:00", "zone": "Europe/Berlin"})


@pytest.fixture
def digest(digests, put, publish, clock):
    def made(*events, **policy):
        put({"kind": "subscription", "id": "s1", "where": "genre = 'drama'", "score": 0.9})
        put({"kind": "subscription", "id": "s2", "where": "year > 2000", "score": 0.5})
        put({"kind": "policy", "mode": "all", **policy})
        digests.set_schedule("ann", BERLIN)
        publish(*events)
        clock.now = digests.schedule("ann").next
        (number,) = digests.round()
        return digests.digest("ann", number)

    return made


def test_plain_text(digest):
    made = digest(
        {"title": "Big Fish", "genre": ["drama", "fantasy"], "year": 2003, "out": {"time": "2004-02-13"}},
        {"genre": "comedy", "year": 1990},
        {"name": "Dune", "year": 2021},
        mode="periodic",
        k=1,
        length=3,
    )
    assert as_text(made) == (
        "Digest for ann, Tuesday, 5 May 2026, 08:00\n"
        "\n"
        "1 of 2 events that match what you want, of 3 published. Left out: 1 ranked below those chosen.\n"
        "\n"
        "* Big Fish\n"
        "  genre: drama, fantasy; year: 2003; out: 2004-02-13\n"
        "  because genre is drama and year above 2000 (rank 0.9)\n"
        "\n"
        "The best of what was left out:\n"
        "- Dune: ranked below those chosen (rank 0.5; chosen: e1 (0.9))\n"
    )


class Checker(HTMLParser):
    """Collects the text, and fails on anything that could run or be fetched."""

    def __init__(self) -> None:
        super().__init__()
        self.text = ""

    def handle_starttag(self, tag, attrs):
        assert tag in {
            "html",
            "head",
            "meta",
            "title",
            "style",
            "body",
            "h1",
            "p",
            "ul",
            "li",
            "strong",
            "br",
            "small",
        }
        assert not {name for name, _ in attrs} & {"src", "href", "style", "onclick", "onerror"}

    def handle_data(self, data):
        self.text += data


def test_html_says_the_same_and_nothing_in_it_can_run(digest):
    made = digest(
        {"title": "<script>alert(1)</script>", "genre": "drama", '"><img src=x>': "& more"},
        {"title": "Fish & Chips", "genre": "drama"},
    )
    page = as_html(made)
    checker = Checker()
    checker.feed(page)
    assert "<script" not in page
    assert "<img" not in page
    for text in ("<script>alert(1)</script>", "Fish & Chips", made.summary(), "because genre is drama (rank 0.9)"):
        assert text in checker.text


def test_html_names_the_best_of_what_was_left_out(digest):
    made = digest(
        {"title": "Big Fish", "genre": "drama"}, {"title": "<b>Dune</b>", "year": 2021}, mode="periodic", k=1, length=2
    )
    checker = Checker()
    checker.feed(as_html(made))
    assert "<b>Dune</b>ranked below those chosen (rank 0.5; chosen: e1 (0.9))" in checker.text


def test_what_would_break_a_line_or_fill_a_page_is_taken_out(digest):
    made = digest({"title": "a\r\nb\x1b[31m\u2028c " + "x" * 500, "genre": "drama"})
    (title,) = [line for line in as_text(made).splitlines() if line.startswith("* ")]
    assert title.startswith("* a b [31m c xxx")
    assert title.endswith("…")
    assert len(title) <= 92


def test_a_reason_that_names_another_event_stays_on_its_line(digest):
    """A publisher chooses the ids of events, and a user the words of a subscription."""
    made = digest({"genre": "drama"}, {"year": 2021}, mode="periodic", k=1, length=2)
    ((left, event),), (item,) = made.omitted, made.items
    broken = "e1\u2028\u202ePay now\x1b[31m"
    other = OmittedEvent(replace(left, detail=f"rank 0.5; chosen: {broken} (0.9)"), event)
    named = item._replace(because=(f"genre is {broken}",))
    for text in (as_text, as_html):
        shown = text(replace(made, omitted=(other,), items=(named,)))
        assert not [letter for letter in shown if letter != "\n" and not letter.isprintable()]
        assert "chosen: e1 Pay now [31m (0.9)" in shown
        assert "because genre is e1 Pay now [31m (rank 0.9)" in shown


def test_a_long_digest_shows_the_first_and_counts_the_others(digest):
    made = digest(*[{"genre": "drama"}] * (SHOWN + 7))
    assert len(made.items) == SHOWN
    assert "… and 7 more." in as_text(made)
    assert "… and 7 more." in as_html(made)
    assert made.to_json()["more"] == 7
    assert made.to_json()["deliveries"] == {"after": 0, "through": SHOWN + 7}


def test_json_that_would_be_too_large_is_cut_and_says_so(digest):
    made = digest(*[{"genre": "drama", "text": "x" * 1000}] * 20)
    assert made.to_json()["items"][0]["content"]["attributes"]["text"] == "x" * 1000
    thin = made.to_json(largest=16_000)
    assert (len(thin["items"]), thin["more"], thin["items"][0]["content"]) == (20, 0, None)
    thinner = made.to_json(largest=2_500)
    assert len(thinner["items"]) + thinner["more"] == 20
    assert thinner["more"] > 0


def test_a_digest_is_the_same_whenever_it_is_read(digest, digests, put, publish, store):
    made = digest({"genre": "drama"})
    before = made.to_json(), as_text(made), as_html(made)
    put({"kind": "subscription", "id": "s1", "where": "genre = 'horror'"})
    publish({"genre": "drama"}, {"genre": "horror"})
    again = digests.digest("ann", made.kept.number)
    assert (again.to_json(), as_text(again), as_html(again)) == before
