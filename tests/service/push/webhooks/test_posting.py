"""One request: to which address it goes, and what is made of the answer."""

import asyncio
import shutil
import ssl
import subprocess
from datetime import UTC, datetime

import pytest

from rankcast.service.push.webhooks.posting import Poster

NOW = datetime(2026, 5, 4, 12, tzinfo=UTC)


def post(url: str, **options):
    async def posted():
        async with Poster(**options) as poster:
            return await poster.post(url, {"webhook-id": "msg_1"}, b"{}", NOW)

    return asyncio.run(posted())


def leading_to(*answers: str):
    """Each look-up of a name gives the next address, the last one for ever."""
    found = list(answers)
    asked = []

    async def looked_up(host: str, port: int) -> list[str]:
        asked.append(host)
        return [found.pop(0) if len(found) > 1 else found[0]]

    looked_up.asked = asked
    return looked_up


@pytest.mark.parametrize("address", ["127.0.0.1", "::ffff:127.0.0.1", "10.0.0.1", "169.254.169.254", "fe80::1"])
def test_a_name_that_leads_to_a_private_address_gets_no_request(receiver, address):
    outcome = post(f"http://example.org:{receiver.port}/", resolving=leading_to(address))
    assert outcome.status is None
    assert outcome.reason == "refused: the host has an address that is not of the public Internet"
    assert receiver.requests == []


def test_one_private_address_among_public_ones_is_enough_to_refuse(receiver):
    async def both(host: str, port: int) -> list[str]:
        return ["93.184.216.34", "127.0.0.1"]

    assert "refused" in post(f"http://example.org:{receiver.port}/", resolving=both).reason


def test_a_name_is_looked_up_once_and_what_was_checked_is_what_is_connected_to(receiver, monkeypatch):
    """A name that gives a public address to the check and a private one afterwards gains nothing."""
    rebinding = leading_to("93.184.216.34", "127.0.0.1")
    connected = []

    async def connecting(remote_host, **more):
        connected.append(remote_host)
        raise OSError("no network here")

    monkeypatch.setattr("anyio.connect_tcp", connecting)
    outcome = post(f"http://example.org:{receiver.port}/", resolving=rebinding)
    assert outcome.status is None
    assert rebinding.asked == ["example.org"]
    assert connected == ["93.184.216.34"]
    assert receiver.requests == []


def test_the_receiver_sees_the_name_that_it_was_called_by(receiver):
    url = f"http://hooks.example.org:{receiver.port}/in?x=1"
    outcome = post(url, allow_private=True, resolving=leading_to("127.0.0.1"))
    assert outcome.accepted
    assert receiver.requests[0].headers["host"] == f"hooks.example.org:{receiver.port}"
    assert receiver.requests[0].path == "/in?x=1"


def test_another_address_of_the_host_is_tried_if_one_refuses(receiver):
    async def two(host: str, port: int) -> list[str]:
        return ["127.0.0.99" if host == "example.org" else host, "127.0.0.1"]

    assert post(f"http://example.org:{receiver.port}/", allow_private=True, resolving=two).accepted


def test_a_host_without_an_address(receiver):
    async def none(host: str, port: int) -> list[str]:
        return []

    outcome = post("http://example.org/", resolving=none)
    assert outcome.reason == "the connection failed: the host has no address"


def test_redirects_are_not_followed(receiver, other_receiver, behaviours):
    receiver.script.append(behaviours.answer(307, f"Location: {other_receiver.url}"))
    outcome = post(receiver.url, allow_private=True)
    assert outcome.status == 307
    assert not outcome.accepted
    assert "redirect" in outcome.reason
    assert other_receiver.requests == []


def test_proxies_of_the_environment_are_not_used(receiver, other_receiver, monkeypatch):
    monkeypatch.setenv("http_proxy", other_receiver.url)
    monkeypatch.setenv("ALL_PROXY", other_receiver.url)
    assert post(receiver.url, allow_private=True).accepted
    assert other_receiver.requests == []


def test_an_endless_body_is_not_read_for_long(receiver, behaviours):
    receiver.script.append(behaviours.endless_body)
    assert post(receiver.url, allow_private=True).accepted


def test_a_receiver_that_does_not_speak_tls(receiver):
    outcome = post(f"https://127.0.0.1:{receiver.port}/", allow_private=True, timeout=5)
    assert outcome.status is None
    assert "the connection failed" in outcome.reason


def test_certificates_are_checked_against_the_name(tmp_path):
    """A server whose certificate nobody vouches for, or is for another name, gets nothing."""
    certificate = _certificate(tmp_path, "hooks.example.org")
    url = "https://hooks.example.org:{}/"
    trusting = ssl.create_default_context(cafile=str(certificate))
    assert _over_tls(certificate, url, verify=trusting).accepted
    assert "certificate" in _over_tls(certificate, url).reason.lower()
    other = _over_tls(certificate, "https://other.example.org:{}/", verify=trusting)
    assert "certificate" in other.reason.lower()


def _over_tls(certificate, url, **options):
    async def answering(reader, writer):
        await reader.readuntil(b"{}")
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        await writer.drain()
        writer.close()

    async def posted():
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(certificate)
        server = await asyncio.start_server(answering, "127.0.0.1", 0, ssl=context)
        port = server.sockets[0].getsockname()[1]
        async with server, Poster(allow_private=True, resolving=leading_to("127.0.0.1"), **options) as poster:
            return await poster.post(url.format(port), {}, b"{}", NOW)

    return asyncio.run(posted())


def _certificate(folder, name):
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    options = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2"]
    names = ["-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}"]
    command = ["openssl", "req", "-x509", *options, *names, "-keyout", "-", "-out", "-"]
    made = subprocess.run(command, capture_output=True, check=True)
    both = folder / "both.pem"
    both.write_bytes(made.stdout)
    return both
