"""Secrets at rest: round trip, rotation of keys, errors that name the variable and never the key or the secret."""

import subprocess
import sys

import pytest
from cryptography.fernet import Fernet

from rankcast.errors import EnvironmentProblem
from rankcast.store.secrets import VARIABLE, check_keys, decrypt, encrypt, is_encrypted, reencrypt

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


@pytest.fixture(autouse=True)
def _no_key(monkeypatch):
    monkeypatch.delenv(VARIABLE, raising=False)


def new_key() -> str:
    return Fernet.generate_key().decode()


@pytest.mark.parametrize("value", [None, "", "  "])
def test_without_a_key_secrets_stay_as_they_are(monkeypatch, value):
    if value is not None:
        monkeypatch.setenv(VARIABLE, value)
    check_keys()
    assert encrypt(SECRET) == decrypt(SECRET) == reencrypt(SECRET) == SECRET


def test_round_trip(monkeypatch):
    monkeypatch.setenv(VARIABLE, new_key())
    stored = encrypt(SECRET)
    assert is_encrypted(stored)
    assert SECRET not in stored
    assert decrypt(stored) == SECRET
    assert encrypt(stored) == reencrypt(stored) == stored
    assert decrypt(SECRET) == SECRET  # one that was stored before there was a key


def test_the_first_key_encrypts_and_all_decrypt(monkeypatch):
    old, new = new_key(), new_key()
    monkeypatch.setenv(VARIABLE, old)
    of_old = encrypt(SECRET)
    monkeypatch.setenv(VARIABLE, f"{new}, {old}")
    assert decrypt(of_old) == SECRET
    of_new = reencrypt(of_old)
    monkeypatch.setenv(VARIABLE, new)
    assert decrypt(of_new) == SECRET
    with pytest.raises(EnvironmentProblem, match=f"a key that {VARIABLE} does not have"):
        decrypt(of_old)
    monkeypatch.delenv(VARIABLE)
    with pytest.raises(EnvironmentProblem, match=f"{VARIABLE} is not set"):
        decrypt(of_new)


def test_a_damaged_secret_is_refused_as_one_of_another_key(monkeypatch):
    monkeypatch.setenv(VARIABLE, new_key())
    for damaged in ("fernet:", "fernet:ä", encrypt(SECRET)[:-8]):
        with pytest.raises(EnvironmentProblem, match=VARIABLE):
            decrypt(damaged)


@pytest.mark.parametrize("bad", ["hello", "c2hvcnQ=", "ключ", "*" * 44])
def test_an_invalid_key_is_refused_without_being_shown(monkeypatch, bad):
    monkeypatch.setenv(VARIABLE, f"{new_key()},{bad}")
    with pytest.raises(EnvironmentProblem, match=f"key 2 of 2 in {VARIABLE} is no Fernet key") as refused:
        check_keys()
    assert bad not in str(refused.value)


def test_an_empty_key_and_too_many_are_refused(monkeypatch):
    monkeypatch.setenv(VARIABLE, f"{new_key()},")
    with pytest.raises(EnvironmentProblem, match="key 2 of 2"):
        check_keys()
    monkeypatch.setenv(VARIABLE, ",".join([new_key()] * 17))
    with pytest.raises(EnvironmentProblem, match="has 17 keys; at most 16"):
        check_keys()


def test_both_alphabets_of_base64_are_keys(monkeypatch):
    """`openssl rand -base64 32`, which the help recommends, writes + and /."""
    monkeypatch.setenv(VARIABLE, "+/" * 21 + "8=")
    stored = encrypt(SECRET)
    monkeypatch.setenv(VARIABLE, "-_" * 21 + "8=")
    assert decrypt(stored) == SECRET


def test_cryptography_is_loaded_only_with_a_key():
    probe = (
        "import sys; from rankcast.store.secrets import encrypt; encrypt('a'); assert 'cryptography' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", probe], check=True, timeout=60)
