"""Signatures according to the Standard Webhooks specification: HMAC-SHA256 over id, time and body."""

import hmac
from base64 import b64decode, b64encode
from binascii import Error as NotBase64
from collections.abc import Iterable
from datetime import datetime
from hashlib import sha256
from secrets import token_bytes

from rankcast.errors import ModelError

_PREFIX = "whsec_"
_BYTES = 32


def new_secret() -> str:
    """A random secret in its text form: `whsec_` and 32 bytes in base64."""
    return _PREFIX + b64encode(token_bytes(_BYTES)).decode()


def sign(secret: str, message: str, timestamp: int, body: bytes) -> str:
    """A version 1 signature.

    >>> sign("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "msg_1", 1614265330, b"{}")
    'v1,ZztYR0IIDCBCUcYzh8ZE+qsQWpIgtHU7R1hpe8htaD4='
    """
    signed = b".".join((message.encode(), str(timestamp).encode(), body))
    return "v1," + b64encode(hmac.digest(_key(secret), signed, sha256)).decode()


def signed_headers(secrets: Iterable[str], message: str, when: datetime, body: bytes) -> dict[str, str]:
    """The three headers of a message sent at that time, with a signature for each valid secret."""
    timestamp = int(when.timestamp())
    return {
        "webhook-id": message,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": " ".join(sign(secret, message, timestamp, body) for secret in secrets),
    }


def _key(secret: str) -> bytes:
    try:
        if not secret.startswith(_PREFIX):
            raise ValueError
        return b64decode(secret.removeprefix(_PREFIX), validate=True)
    except (NotBase64, ValueError):
        # The secret must not appear in a log.
        raise ModelError(f"a secret of a webhook is {_PREFIX!r} followed by base64; this one is not") from None
