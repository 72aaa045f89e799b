"""Secrets at rest: encrypted with keys from the environment, if keys are set."""

import os
from functools import lru_cache
from typing import TYPE_CHECKING

from rankcast.errors import EnvironmentProblem
from rankcast.extras import require

if TYPE_CHECKING:
    from cryptography.fernet import Fernet

VARIABLE = "RANKCAST_SECRET_KEY"
"""The environment variable with the keys, separated by commas. Blank means no keys.

The first key encrypts, and all keys decrypt.
"""

_PREFIX = "fernet:"
_MOST_KEYS = 16


def has_keys() -> bool:
    """Whether secrets are encrypted from now on. Raises EnvironmentProblem if a key is invalid."""
    return bool(_keys())


def check_keys() -> None:
    """Raise an error if the variable is set but holds an invalid key."""
    _keys()


def is_encrypted(stored: str) -> bool:
    """Whether the text is an encrypted secret."""
    return stored.startswith(_PREFIX)


def encrypt(secret: str) -> str:
    """The stored form of a secret: encrypted with the first key. Unchanged without keys or if already encrypted."""
    keys = _keys()
    if not keys or is_encrypted(secret):
        return secret
    return _PREFIX + keys[0].encrypt(secret.encode()).decode()


def decrypt(stored: str) -> str:
    """The secret in plain text. Raises EnvironmentProblem, without showing the secret, if no key decrypts it."""
    if not is_encrypted(stored):
        return stored
    keys = _keys()
    if not keys:
        raise EnvironmentProblem(f"the webhook's secret is encrypted and {VARIABLE} is not set; set it to the key")

    from cryptography.fernet import InvalidToken, MultiFernet

    try:
        return MultiFernet(keys).decrypt(stored.removeprefix(_PREFIX).encode()).decode()
    except InvalidToken:
        raise EnvironmentProblem(
            f"the webhook's secret is encrypted with a key that {VARIABLE} does not have; add that key after a comma"
        ) from None


def reencrypt(stored: str) -> str:
    """Encrypt a stored secret with the first key. Unchanged if it already is."""
    keys = _keys()
    if keys and is_encrypted(stored):
        from cryptography.fernet import InvalidToken

        try:
            keys[0].decrypt(stored.removeprefix(_PREFIX).encode())
        except InvalidToken:
            return encrypt(decrypt(stored))
    return encrypt(stored)


def _keys() -> "tuple[Fernet, ...]":
    return _parsed(os.environ.get(VARIABLE, "").strip())


@lru_cache(maxsize=1)
def _parsed(text: str) -> "tuple[Fernet, ...]":
    if not text:
        return ()

    require("serve")
    from cryptography.fernet import Fernet

    parts = text.split(",")
    if len(parts) > _MOST_KEYS:
        raise EnvironmentProblem(f"{VARIABLE} has {len(parts)} keys; at most {_MOST_KEYS} are allowed")
    keys = []
    for number, part in enumerate(parts, 1):
        try:
            keys.append(Fernet(part.strip()))
        except ValueError:
            # Do not show the value: it may be a key with a typing error, and must not get into a log.
            raise EnvironmentProblem(
                f"key {number} of {len(parts)} in {VARIABLE} is no Fernet key, which is 32 bytes in base64; "
                "make one with: openssl rand -base64 32"
            ) from None
    return tuple(keys)
