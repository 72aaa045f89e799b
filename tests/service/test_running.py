"""A service that speaks HTTPS itself, with a certificate of its own."""

import re
import ssl
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path

import httpx
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import BestAvailableEncryption, Encoding, NoEncryption, PrivateFormat
from fastapi.testclient import TestClient

from rankcast.errors import EnvironmentProblem, ModelError
from rankcast.service import ServiceSettings, create_app
from rankcast.service.access import Role
from rankcast.service.running import listening

SECURITY = "strict-transport-security"


def certificate(folder: Path, name: str = "own", password: bytes | None = None) -> dict[str, str]:
    """A self-signed certificate of this machine and its key, as settings."""
    key = ec.generate_private_key(ec.SECP256R1())
    own = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, "localhost")])
    now = datetime.now(UTC)
    names = x509.SubjectAlternativeName([x509.DNSName("localhost"), x509.IPAddress(ip_address("127.0.0.1"))])
    made = (
        x509.CertificateBuilder(own, own, key.public_key(), x509.random_serial_number(), now, now + timedelta(days=1))
        .add_extension(names, critical=False)
        .sign(key, hashes.SHA256())
    )
    cert, private = folder / f"{name}.pem", folder / f"{name}.key"
    cert.write_bytes(made.public_bytes(Encoding.PEM))
    encryption = BestAvailableEncryption(password) if password else NoEncryption()
    private.write_bytes(key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, encryption))
    return {"tls_cert": str(cert), "tls_key": str(private)}


def test_a_service_with_a_certificate_speaks_https(tmp_path: Path) -> None:
    files = certificate(tmp_path)
    trusted = ssl.create_default_context(cafile=files["tls_cert"])
    settings = ServiceSettings(str(tmp_path / "store.db"), port=0, page=False, pipeline=False, **files)
    with listening(settings) as (address, _), httpx.Client(verify=trusted) as client:
        assert address.startswith("https://127.0.0.1:")
        answer = client.get(f"{address}/v1/health/live")
        assert answer.status_code == 200
        assert SECURITY not in answer.headers  # browsers would demand HTTPS of every port of this machine
        assert SECURITY in client.get(f"{address}/v1/health/live", headers={"Host": "rankcast.test"}).headers
        with pytest.raises(httpx.HTTPError):
            client.get(address.replace("https", "http") + "/v1/health/live")


def test_cookies_are_secure_and_every_page_demands_https(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), pipeline=False, **certificate(tmp_path)))
    with TestClient(app, base_url="https://rankcast.test") as client:
        form = client.get("/sign-in")
        (nonce,) = re.findall(r'name="nonce" value="([^"]+)"', form.text)
        token, _ = app.state.service.access.create(Role.USER, "ann")
        signed_in = client.post("/sign-in", data={"token": token, "nonce": nonce}, follow_redirects=False)
        for answer in (form, signed_in):
            assert "; Secure" in answer.headers["set-cookie"]
            assert answer.headers[SECURITY] == "max-age=31536000"


def test_behind_a_proxy_cookies_are_secure_and_links_have_the_public_address(tmp_path: Path) -> None:
    settings = ServiceSettings(str(tmp_path / "store.db"), pipeline=False, public_url="https://rankcast.example.org")
    assert settings.is_secure
    assert settings.address == "https://rankcast.example.org"
    with TestClient(create_app(settings)) as client:
        assert "; Secure" in client.get("/sign-in").headers["set-cookie"]


def test_without_a_certificate_nobody_is_told_to_use_https(tmp_path: Path) -> None:
    app = create_app(ServiceSettings(str(tmp_path / "store.db"), page=False, pipeline=False))
    with TestClient(app, base_url="http://rankcast.test") as client:
        assert SECURITY not in client.get("/v1/health/live").headers


@pytest.mark.parametrize("given", ["tls_cert", "tls_key"])
def test_certificate_and_key_go_together(given: str) -> None:
    with pytest.raises(ModelError, match="needs both --tls-cert and --tls-key"):
        ServiceSettings(**{given: "file.pem"})


def test_a_certificate_that_cannot_be_used_is_refused_before_the_start(tmp_path: Path) -> None:
    own, other = certificate(tmp_path), certificate(tmp_path, "other")
    locked = certificate(tmp_path, "locked", b"secret")
    for wrong in ({**own, "tls_key": other["tls_key"]}, {**own, "tls_cert": "missing.pem"}, locked):
        settings = ServiceSettings(str(tmp_path / "store.db"), port=0, page=False, **wrong)
        with pytest.raises(EnvironmentProblem, match="cannot use certificate"), listening(settings):
            pass
