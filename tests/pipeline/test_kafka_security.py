"""TLS and passwords, on a real broker that wants both."""

import time
from pathlib import Path

import pytest

from rankcast.errors import EnvironmentProblem, ModelError
from rankcast.language import decode_event
from rankcast.pipeline import topics
from rankcast.pipeline.kafka_security import CONFIG, KafkaSecurity, explain_refusal
from rankcast.pipeline.topics import Topic

pytestmark = pytest.mark.xdist_group("spark")  # where the one broker is


def written(folder: Path, **changes: str) -> Path:
    """A file with settings; keywords have underscores for dots."""
    settings = {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "sasl.username": "ann",
        "sasl.password": "correct horse",
    }
    settings |= {name.replace("_", "."): value for name, value in changes.items()}
    file = folder / "kafka.properties"
    file.write_text("# how to reach Kafka\n\n" + "".join(f"{name} = {value}\n" for name, value in settings.items()))
    return file


def test_without_a_file_there_are_no_settings(monkeypatch):
    monkeypatch.delenv(CONFIG, raising=False)
    assert KafkaSecurity.of(None).for_client() == {}
    assert KafkaSecurity.of(None).for_spark() == {}


def test_the_environment_names_the_file(tmp_path, monkeypatch):
    monkeypatch.setenv(CONFIG, str(written(tmp_path)))
    topic = Topic.of("kafka://localhost:1/films")
    assert topic.settings()["sasl.username"] == "ann"
    assert topic.settings()["bootstrap.servers"] == "localhost:1"


def test_a_password_is_not_shown(tmp_path):
    topic = Topic.of(f"kafka://localhost:1/films?config={written(tmp_path)}")
    assert "horse" not in repr(topic) + repr(topic.security) + str(topic)
    assert str(topic) == "kafka://localhost:1/films"


def test_the_form_for_spark(tmp_path):
    (tmp_path / "ca.pem").write_text("the certificate")
    file = written(tmp_path, ssl_ca_location=str(tmp_path / "ca.pem"), sasl_password='a"b\\c')
    assert KafkaSecurity.of(str(file)).for_spark() == {
        "security.protocol": "SASL_SSL",
        "sasl.mechanism": "PLAIN",
        "ssl.truststore.type": "PEM",
        "ssl.truststore.certificates": "the certificate",
        "sasl.jaas.config": (
            'org.apache.kafka.common.security.plain.PlainLoginModule required username="ann" password="a\\"b\\\\c";'
        ),
    }
    scram = KafkaSecurity.of(str(written(tmp_path, sasl_mechanism="SCRAM-SHA-512"))).for_spark()
    assert "scram.ScramLoginModule" in scram["sasl.jaas.config"]


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (
            "sasl.pasword = x",
            r"kafka.properties:7: 'sasl.pasword' is no setting for Kafka; did you mean 'sasl.password'\?",
        ),
        ("security.protocol = TLS", "security.protocol is 'TLS'; it may be PLAINTEXT, SSL, SASL_PLAINTEXT, SASL_SSL"),
        ("nonsense", "a line is NAME = VALUE"),
    ],
)
def test_a_line_that_is_not_understood(tmp_path, line, message):
    file = written(tmp_path)
    file.write_text(file.read_text() + line + "\n")
    with pytest.raises(ModelError, match=message):
        KafkaSecurity.of(str(file))


def test_a_password_may_not_be_missing(tmp_path):
    file = tmp_path / "kafka.properties"
    file.write_text("security.protocol = SASL_SSL\nsasl.mechanism = PLAIN\nsasl.username = ann\n")
    with pytest.raises(ModelError, match=r"SASL_SSL needs sasl\.password"):
        KafkaSecurity.of(str(file))


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(EnvironmentProblem, match="'/no/such/file' with the settings of Kafka cannot be read"):
        KafkaSecurity.of("/no/such/file")
    with pytest.raises(EnvironmentProblem, match=r"'/no/such/ca' with ssl\.ca\.location cannot be read"):
        KafkaSecurity.of(str(written(tmp_path, ssl_ca_location="/no/such/ca")))


def test_what_a_refusal_means():
    security = KafkaSecurity()
    told = "org.apache.kafka.common.errors.SaslAuthenticationException: Authentication failed: Invalid username or password"
    assert "refused the user name or the password" in str(explain_refusal(told, "h:1", security))
    told = "SslAuthenticationException: SSL handshake failed"
    assert "no TLS connection" in str(explain_refusal(told, "h:1", security))
    assert explain_refusal("Connection refused", "h:1", security) is None


def of(kafka, name: str, file: Path) -> Topic:
    return Topic.of(f"kafka://{kafka.secure}/{name}?config={file}")


def test_publishing_with_tls_and_a_password(kafka, tmp_path):
    kafka.create("secured")
    topic = of(kafka, "secured", written(tmp_path, ssl_ca_location=str(kafka.ca)))
    events = [decode_event({"id": f"e{n}", "time": "2026-05-01", "attributes": {"n": n}}) for n in range(20)]
    assert len(list(topic.publishing(events))) == 20
    assert len(kafka.messages("secured")) == 20


def test_a_wrong_password_is_named_at_once_and_nothing_is_written(kafka, tmp_path):
    kafka.create("guarded")
    topic = of(kafka, "guarded", written(tmp_path, ssl_ca_location=str(kafka.ca), sasl_password="hunter2"))
    began = time.monotonic()
    with pytest.raises(EnvironmentProblem, match="refused the user name or the password") as caught:
        list(topic.publishing([decode_event({"id": "e", "time": "2026-05-01", "attributes": {}})]))
    assert time.monotonic() - began < topics._PATIENCE  # that of a broker that does not answer
    assert "kafka.properties" in str(caught.value)
    assert "hunter2" not in str(caught.value)
    assert kafka.messages("guarded") == []


def test_a_wrong_certificate_is_named_at_once_and_nothing_is_written(kafka, tmp_path):
    import kafka_broker

    kafka.create("unproven")
    other = kafka_broker.certificate(tmp_path / "other")
    topic = of(kafka, "unproven", written(tmp_path, ssl_ca_location=str(other)))
    began = time.monotonic()
    with pytest.raises(EnvironmentProblem, match=r"no TLS connection to Kafka at .*certificate"):
        list(topic.publishing([decode_event({"id": "e", "time": "2026-05-01", "attributes": {}})]))
    assert time.monotonic() - began < topics._PATIENCE  # that of a broker that does not answer
    assert kafka.messages("unproven") == []
