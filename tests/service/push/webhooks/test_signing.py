import base64
from datetime import UTC, datetime

import pytest

from rankcast.errors import ModelError
from rankcast.service.push.webhooks.signing import new_secret, sign, signed_headers

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"


def test_the_published_example():
    """The vector that the libraries of the Standard Webhooks project are tested with."""
    signature = sign(SECRET, "msg_p5jXN8AQM9LWM0D4loKWxJek", 1614265330, b'{"test": 2432232314}')
    assert signature == "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="


def test_headers_have_whole_seconds_and_a_signature_for_each_secret():
    other = new_secret()
    when = datetime(2021, 2, 25, 15, 2, 10, 999_999, UTC)
    headers = signed_headers([SECRET, other], "msg_1", when, b"{}")
    assert headers["webhook-timestamp"] == "1614265330"
    assert headers["webhook-id"] == "msg_1"
    expected = [sign(secret, "msg_1", 1614265330, b"{}") for secret in (SECRET, other)]
    assert headers["webhook-signature"].split(" ") == expected


def test_secrets_are_of_the_length_that_the_specification_wants_and_never_the_same():
    secrets = {new_secret() for _ in range(50)}
    assert len(secrets) == 50
    assert all(24 <= len(base64.b64decode(secret.removeprefix("whsec_"))) <= 64 for secret in secrets)


@pytest.mark.parametrize("secret", ["", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", "whsec_not base64", "whsec_abc"])
def test_a_secret_of_another_form_is_refused_without_showing_it(secret):
    with pytest.raises(ModelError) as refused:
        sign(secret, "msg_1", 1, b"")
    assert secret == "" or secret not in str(refused.value)
