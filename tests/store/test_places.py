"""A password is never shown; all else is left as it is."""

import pytest

from rankcast.store.places import shown_place, without_passwords


@pytest.mark.parametrize(
    ("place", "shown"),
    [
        ("movies.db", "movies.db"),
        ("/a/b:c@d.db", "/a/b:c@d.db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://ann@host/db", "postgresql://ann@host/db"),
        ("postgresql://ann:s3cret@host:5432/db", "postgresql://ann:***@host:5432/db"),
        ("postgresql+psycopg://ann:s3/c@r:et@host/db", "postgresql+psycopg://ann:***@host/db"),
        ("postgresql://ann:s3 cret@host:none/db", "postgresql://ann:***@host:none/db"),
        ("postgresql://host/db?user=ann&password=s3cret&x=1", "postgresql://host/db?user=ann&password=***&x=1"),
        ("postgresql://host/db?sslpassword=s3cret", "postgresql://host/db?sslpassword=***"),
    ],
)
def test_places(place, shown):
    assert shown_place(place) == shown
    assert "s3" not in without_passwords(f"failed: {place}") or " " in place


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("host=db password=s3cret user=ann", "host=db password=*** user=ann"),
        (r"password='s3 \'cret' host=db", "password=*** host=db"),
        ("kafka://ann:s3cret@broker/topic failed", "kafka://ann:***@broker/topic failed"),
        ("http://localhost:8765/v1/users/a@b.com", "http://localhost:8765/v1/users/a@b.com"),
        ("the password is wrong", "the password is wrong"),
    ],
)
def test_messages(text, shown):
    assert without_passwords(text) == shown
