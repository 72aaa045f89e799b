import asyncio
from ipaddress import IPv6Address, ip_address

import pytest

from rankcast.errors import ModelError
from rankcast.service.push.webhooks.addresses import Target, check_url, is_public, resolve, target_of

PRIVATE = [
    "127.0.0.1",
    "127.255.255.254",
    "10.1.2.3",
    "172.16.0.1",
    "192.168.1.1",
    "169.254.169.254",  # where clouds keep their secrets
    "100.64.0.1",
    "0.0.0.0",
    "224.0.0.1",
    "240.0.0.1",
    "255.255.255.255",
    "192.0.2.1",
    "198.18.0.1",
    "::1",
    "::",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fec0::1",
    "ff02::1",
    "2001:db8::1",
    "::ffff:127.0.0.1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::7f00:1",
    "2002:7f00:1::",
    "2002:c0a8:101::1",
]

# Each way to write an IPv4 address within one of IPv6: whether it is public if that of IPv4 is.
EMBEDDING = [
    ("mapped", "::ffff:{0:02x}{1:02x}:{2:02x}{3:02x}", True),
    ("compatible", "::{0:02x}{1:02x}:{2:02x}{3:02x}", False),
    ("translated", "::ffff:0:{0:02x}{1:02x}:{2:02x}{3:02x}", False),
    ("NAT64", "64:ff9b::{0:02x}{1:02x}:{2:02x}{3:02x}", True),
    ("local NAT64 /96", "64:ff9b:1::{0:02x}{1:02x}:{2:02x}{3:02x}", False),
    ("local NAT64 /48", "64:ff9b:1:{0:02x}{1:02x}:{2:02x}:{3:02x}00::", False),
    ("local NAT64 /56", "64:ff9b:1:ff{0:02x}:{1:02x}:{2:02x}{3:02x}::", False),
    ("local NAT64 /64", "64:ff9b:1:ffff:{0:02x}:{1:02x}{2:02x}:{3:02x}00::", False),
    ("6to4", "2002:{0:02x}{1:02x}:{2:02x}{3:02x}::1", None),
    ("Teredo", "2001:0:808:808:0:ffff:{4:02x}{5:02x}:{6:02x}{7:02x}", None),
    ("ISATAP", "2606:4700::5efe:{0:02x}{1:02x}:{2:02x}{3:02x}", True),
    ("ISATAP, unique", "2606:4700::200:5efe:{0:02x}{1:02x}:{2:02x}{3:02x}", True),
]


@pytest.mark.parametrize("address", PRIVATE)
def test_addresses_that_are_not_of_the_public_internet(address):
    assert not is_public(address)


@pytest.mark.parametrize("address", ["64:ff9b:1::808:808", "64:ff9b:1:808:8:800::", "::808:808", "fec0::1"])
def test_addresses_that_some_releases_of_python_take_for_public(address, monkeypatch):
    for name, said in (("is_global", True), ("is_reserved", False)):
        monkeypatch.setattr(IPv6Address, name, said)
    assert is_public("2606:4700::1111")
    assert not is_public(address)


@pytest.mark.parametrize(
    ("form", "is_public_if_embedded_is"), [pair for _, *pair in EMBEDDING], ids=[n for n, *_ in EMBEDDING]
)
def test_an_address_of_ipv6_is_judged_by_that_of_ipv4_within_it_too(form, is_public_if_embedded_is):
    def written(address):
        octets = ip_address(address).packed
        return form.format(*octets, *(255 - octet for octet in octets))

    assert not any(
        is_public(written(private)) for private in ("127.0.0.1", "10.0.0.1", "192.168.1.1", "169.254.169.254")
    )
    if (
        is_public_if_embedded_is is not None
    ):  # Python's releases disagree on whether such an address is global by itself
        assert is_public(written("8.8.8.8")) is is_public_if_embedded_is


@pytest.mark.parametrize(
    "address", ["8.8.8.8", "93.184.216.34", "2606:4700::1111", "::ffff:8.8.8.8", "64:ff9b::808:808"]
)
def test_addresses_of_the_public_internet(address):
    assert is_public(address)


@pytest.mark.parametrize(
    ("url", "said"),
    [
        ("http://example.org/", "https://"),
        ("ftp://example.org/", "is not a URL such as"),
        ("https://", "is not a URL such as"),
        ("example.org/hook", "is not a URL such as"),
        ("https://ann:secret@example.org/", "user name or password"),
        ("https://example.org/#top", "fragment"),
        ("https://example.org:99999/", "makes no sense"),
        ("https://example.org:0/", "no host and port"),
        ("https://exa mple.org/", "a character that a URL cannot have"),
        ("https://example.org/\r\nX: 1", "a character that a URL cannot have"),
        ("https://example.org\\@127.0.0.1/", "a character that a URL cannot have"),
        ("https://bücher.example/", "xn--"),
        ("https://[fe80::1%25eth0]/", "no host and port"),
        ("https://example.org/" + "x" * 2000, "at most 2000"),
        ("https://127.0.0.1/", "not an address of the public Internet"),
        ("https://[::ffff:10.0.0.1]/", "not an address of the public Internet"),
        ("https://2130706433/", "not an address of the public Internet"),
        ("https://0x7f.1/", "not an address of the public Internet"),
        ("https://[::1", "makes no sense"),
    ],
)
def test_urls_that_a_webhook_cannot_have(url, said):
    with pytest.raises(ModelError, match=said):
        check_url(url)


def test_urls_that_a_webhook_can_have():
    check_url("https://example.org")
    check_url("https://example.org:8443/hook?key=a%20b")
    check_url("http://10.0.0.1:8080/hook", allow_private=True)


def test_a_url_is_sent_to_an_address_under_its_name():
    target = target_of("https://Example.org:8443/a/b?c=d")
    assert target == Target("https", "example.org", 8443, "Example.org:8443", "/a/b?c=d")
    assert target.at("93.184.216.34") == "https://93.184.216.34:8443/a/b?c=d"
    assert target_of("http://example.org").at("2606:4700::1111") == "http://[2606:4700::1111]:80/"


def test_names_are_looked_up():
    assert asyncio.run(resolve("localhost", 80))
    assert asyncio.run(resolve("0x7f.1", 80)) == ["127.0.0.1"]
