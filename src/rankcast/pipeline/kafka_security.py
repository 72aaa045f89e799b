"""How to reach a Kafka broker that wants TLS or a password.

The settings stand in a file of lines ``name = value``, with the names of Kafka's C client:

    security.protocol = SASL_SSL
    sasl.mechanism = SCRAM-SHA-512
    sasl.username = ann
    sasl.password = secret
    ssl.ca.location = /etc/rankcast/ca.pem

The URL of a topic names the file (``kafka://host:9093/films?config=kafka.properties``); RANKCAST_KAFKA_CONFIG names it for
all topics. So no password is seen in a list of processes. Spark's connector gets the same settings in the form of
Kafka's Java client, with the certificates themselves instead of files, so that no other machine needs the files.
"""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rankcast.errors import EnvironmentProblem, ModelError, did_you_mean

CONFIG = "RANKCAST_KAFKA_CONFIG"
"""The environment variable that names the file with the settings."""

_CHOICES = {
    "security.protocol": ("PLAINTEXT", "SSL", "SASL_PLAINTEXT", "SASL_SSL"),
    "sasl.mechanism": ("PLAIN", "SCRAM-SHA-256", "SCRAM-SHA-512"),
    "ssl.endpoint.identification.algorithm": ("https", "none"),
}
_FILES = ("ssl.ca.location", "ssl.certificate.location", "ssl.key.location")
_TEXTS = ("sasl.username", "sasl.password", "ssl.key.password")
_NAMES = (*_CHOICES, *_FILES, *_TEXTS)
_SAME_IN_JAVA = ("security.protocol", "sasl.mechanism", "ssl.key.password")
_CONTENTS_IN_JAVA = {
    "ssl.ca.location": ("ssl.truststore.type", "ssl.truststore.certificates"),
    "ssl.certificate.location": ("ssl.keystore.type", "ssl.keystore.certificate.chain"),
    "ssl.key.location": ("ssl.keystore.type", "ssl.keystore.key"),
}
_LOGIN = "org.apache.kafka.common.security"
_LARGEST = 65_536


@dataclass(frozen=True)
class KafkaSecurity:
    """The settings of a file. They are not shown in messages, because they may hold a password."""

    place: str = ""
    settings: Mapping[str, str] = field(default_factory=dict, repr=False)

    @classmethod
    def of(cls, place: str | None) -> "KafkaSecurity":
        """Read the file at a place, or the one that RANKCAST_KAFKA_CONFIG names; without either there are no settings.

        Raises `ModelError` for a line that is not understood, and `EnvironmentProblem` for a file that cannot be read.
        """
        place = place or os.environ.get(CONFIG) or None
        if place is None:
            return cls()
        settings: dict[str, str] = {}
        for number, line in enumerate(_content(place, "the settings of Kafka").splitlines(), 1):
            if not line.strip() or line.lstrip().startswith("#"):
                continue
            name, is_set, value = (part.strip() for part in line.partition("="))
            if not is_set:
                raise ModelError(f"{place}:{number}: a line is NAME = VALUE, with a name such as security.protocol")
            settings[name] = _checked(name, value, f"{place}:{number}")
        _check_all(settings, place)
        return cls(place, settings)

    def for_client(self) -> dict[str, str]:
        """The settings for Kafka's C client, which Rankcast uses to look at topics and to write."""
        return dict(self.settings)

    def for_spark(self) -> dict[str, str]:
        """The same for Kafka's Java client in Spark's connector, with the contents of files instead of their names."""
        java = {name: self.settings[name] for name in _SAME_IN_JAVA if name in self.settings}
        for name, (kind, content) in _CONTENTS_IN_JAVA.items():
            if name in self.settings:
                java |= {kind: "PEM", content: _content(self.settings[name], name)}
        if self.settings.get("ssl.endpoint.identification.algorithm") == "none":
            java["ssl.endpoint.identification.algorithm"] = ""
        if "sasl.username" in self.settings:
            kind = "plain.PlainLoginModule" if self._mechanism == "PLAIN" else "scram.ScramLoginModule"
            user, password = (_quoted(self.settings[name]) for name in ("sasl.username", "sasl.password"))
            java["sasl.jaas.config"] = f"{_LOGIN}.{kind} required username={user} password={password};"
        return java

    @property
    def _mechanism(self) -> str:
        return self.settings["sasl.mechanism"]


def explain_refusal(reason: str, servers: str, security: KafkaSecurity) -> EnvironmentProblem | None:
    """What it means that a broker refused a connection, and what to do; None if the reason says nothing about that.

    The reason is a message of either client.
    """
    where = security.place or f"a file that {CONFIG} names"
    short = " ".join(reason.split())[:300]
    if re.search(
        r"(?i)authentication (failed|error)|SaslAuthentication|invalid (username|credentials)|SASL.*mechanism", reason
    ):
        return EnvironmentProblem(
            f"Kafka at {servers} refused the user name or the password ({short}); check sasl.mechanism, sasl.username and "
            f"sasl.password in {where}. Nothing was read or written"
        )
    if re.search(r"(?i)certificate|\bSSL\b|SslAuthentication|handshake", reason):
        return EnvironmentProblem(
            f"there is no TLS connection to Kafka at {servers} ({short}); check security.protocol and the certificates in "
            f"{where}. Nothing was read or written"
        )
    return None


def _checked(name: str, value: str, at: str) -> str:
    if name not in _NAMES:
        raise ModelError(
            f"{at}: {name!r} is no setting for Kafka{did_you_mean(name, _NAMES)}; known: {', '.join(_NAMES)}"
        )
    choices = _CHOICES.get(name)
    if choices is not None and value not in choices:
        raise ModelError(f"{at}: {name} is {value!r}; it may be {', '.join(choices)}")
    return value


def _check_all(settings: Mapping[str, str], place: str) -> None:
    protocol = settings.get("security.protocol", "PLAINTEXT")
    if protocol.startswith("SASL"):
        for name in ("sasl.mechanism", "sasl.username", "sasl.password"):
            if name not in settings:
                raise ModelError(f"{place}: {protocol} needs {name}")
    for name in _FILES:
        if name in settings:
            _content(settings[name], name)


def _content(path: str, what: str) -> str:
    try:
        with Path(path).open(encoding="utf-8") as file:
            content = file.read(_LARGEST + 1)
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise EnvironmentProblem(f"the file {path!r} with {what} cannot be read: {reason}") from None
    if len(content) > _LARGEST:
        raise EnvironmentProblem(f"the file {path!r} with {what} is larger than {_LARGEST:,} characters")
    return content


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
