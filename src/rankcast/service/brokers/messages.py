"""The messages between two brokers, as JSON. Both directions of a link use the same ones."""

import re
from typing import Annotated, Any, TypeAlias

import msgspec

from rankcast.errors import ModelError, RecordError

PROTOCOL = 1
"""Increased when brokers of different releases could misunderstand each other."""

MOST_BYTES = 400 * 1024
"""About how many bytes of items or events one message has. A single larger item or event is sent alone."""

_Number: TypeAlias = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
"""An offset or a count, as a store can hold it."""
_Text: TypeAlias = Annotated[str, msgspec.Meta(max_length=1_000, pattern=r"^[^\x00]*$")]
"""A name, an id, a key or a version. PostgreSQL cannot store NUL."""

_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


def check_broker_name(name: str) -> str:
    """The name of a broker; refused if it has other characters than letters, digits, dots, underscores and dashes.

    >>> check_broker_name("edge/1")
    Traceback (most recent call last):
    ...
    rankcast.errors.ModelError: a broker is named 'edge/1'; use 1 to 64 letters, digits, dots, underscores or dashes
    """
    if not _NAME.fullmatch(name):
        raise ModelError(f"a broker is named {name[:80]!r}; use 1 to 64 letters, digits, dots, underscores or dashes")
    return name


class Peer(msgspec.Struct, frozen=True):
    """A broker: its name, and the lineage of its store."""

    name: _Text
    lineage: _Text


class ReceivedPosition(msgspec.Struct):
    """What the edge has of the upstream: up to where in the log of which lineage, and which version of its items.

    `event` is the id of the event there, so that another log is noticed; empty if it is not known.
    """

    lineage: _Text
    offset: _Number
    items: _Text
    event: _Text = ""


class Hello(msgspec.Struct, forbid_unknown_fields=True):
    """The edge introduces itself. `below` are the brokers of its subtree, `last` and `event` the end of its log."""

    protocol: _Number
    broker: _Text | None
    lineage: _Text
    last: _Number
    event: _Text = ""
    below: list[Peer] = []
    received: ReceivedPosition | None = None
    since: _Text | None = None


class Welcome(msgspec.Struct):
    """The upstream's answer: the session, the path from the root, where the stream begins, and what it has of the edge.

    `start_event` and `received_event` are the ids of the events there; empty if they are not known.
    """

    session: _Text
    broker: _Text
    path: list[Peer]
    start: _Number
    received: _Number
    items: _Text
    start_event: _Text = ""
    received_event: _Text = ""


class ItemsPart(msgspec.Struct, tag="items"):
    """Changes of what the sender needs to get and of its advertisements, from version `base`; null: everything anew.

    A change in several parts is applied with the last one, which has `more` false. If everything comes anew, `keep` are
    withdrawn advertisements that stay until they are removed, because there are publications under them to come.
    """

    version: _Text
    base: _Text | None
    put: list[dict[str, Any]]
    removed: list[_Text]
    keep: list[_Text] = []
    more: bool = False


class PublishedEvent(msgspec.Struct, omit_defaults=True):
    """An event of the sender's log. Under an advertisement, the recipients by id, or how many to draw."""

    offset: _Number
    event: dict[str, Any]
    advertisement: _Text | None = None
    chosen: list[_Text] | None = None
    count: _Number | None = None


class Publications(msgspec.Struct, tag="publications"):
    """The events that concern the receiver, of the sender's log after one offset up to another.

    `last` is the id of the event at the second one, whether or not it concerns the receiver.
    """

    after: _Number
    up_to: _Number
    last: _Text
    events: list[PublishedEvent]


class Acknowledged(msgspec.Struct, tag="ack"):
    """What the sender has on disk: the receiver's log up to an offset, and a version of the receiver's items."""

    offset: _Number
    items: _Text


class LinkFacts(msgspec.Struct):
    """One direction of a link, as its sender sees it: subscriptions known and sent, events sent and left out, and lag."""

    to: _Text
    connected: bool
    known: _Number = 0
    forwarded: _Number = 0
    hidden: _Number = 0
    sent: _Number = 0
    saved: _Number = 0
    lag: _Number = 0


class BrokerFacts(msgspec.Struct):
    """A broker as it describes itself to the others."""

    name: _Text
    lineage: _Text
    upstream: _Text | None
    subscriptions: _Number
    users: _Number
    events: _Number
    links: list[LinkFacts]


class BrokerTree(msgspec.Struct):
    """The tree as one of its brokers sees it: that broker, the path from the root to it, and all brokers.

    `settled` says whether its neighbours have everything that it has to say, and `error` what is wrong.
    """

    broker: _Text | None
    path: list[_Text]
    settled: bool
    error: str | None
    brokers: list[BrokerFacts]


class BrokerName(msgspec.Struct):
    """The name of the broker that a token belongs to; null for an administrator's token."""

    name: _Text | None


class TreeFacts(msgspec.Struct, tag="tree"):
    """The path from the root to the sender, and what the sender knows of brokers on its side of the link."""

    path: list[Peer]
    brokers: list[BrokerFacts]


class Heartbeat(msgspec.Struct, tag="heartbeat"):
    """The sender is alive."""


Message: TypeAlias = ItemsPart | Publications | Acknowledged | TreeFacts | Heartbeat


class BrokerMessages(msgspec.Struct):
    """Several messages in one request."""

    messages: list[Message]


class _Spoken(msgspec.Struct):
    protocol: int


_spoken = msgspec.json.Decoder(_Spoken)
_hello = msgspec.json.Decoder(Hello)
_message: msgspec.json.Decoder[Message] = msgspec.json.Decoder(Message)
_messages = msgspec.json.Decoder(BrokerMessages)


def decode_hello(content: bytes) -> Hello:
    """The introduction of an edge; refused if it is malformed or of another protocol."""
    try:
        spoken = _spoken.decode(content).protocol  # first, since a later protocol may have other fields
        if spoken != PROTOCOL:
            raise RecordError(f"protocol is {spoken}; this broker speaks protocol {PROTOCOL}")
        return _hello.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(f"not the introduction of a broker: {error}") from None


def decode_message(content: bytes | str) -> Message:
    """One message of a stream."""
    try:
        return _message.decode(content)
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(f"not a message of a broker: {error}") from None


def decode_messages(content: bytes) -> list[Message]:
    """The messages of a request."""
    try:
        return _messages.decode(content).messages
    except (msgspec.DecodeError, RecursionError) as error:
        raise RecordError(f"not messages of a broker: {error}") from None
