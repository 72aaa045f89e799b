"""The place of a store in a form that is safe to show: without the password."""

import re

_HIDDEN = "***"
# A password may contain any character except a space. It may contain a slash only in the URL of a database.
_IN_DATABASE_URL = re.compile(r"(\b(?:postgres|mysql|maria|oracle|mssql)[\w+]*://[^\s:/@]*):\S*@", re.IGNORECASE)
_IN_URL = re.compile(r"(\b[a-z][\w+.-]*://[^\s:/@]*):[^\s/@]*@", re.IGNORECASE)
_NAMED = re.compile(r"\b((?:ssl)?password\s*=\s*)(?:'(?:[^'\\]|\\.)*'|[^&\s'\"]+)", re.IGNORECASE)


def shown_place(path_or_url: str) -> str:
    """The path or URL of a store as shown to people. Messages, reports and logs print only this form.

    >>> shown_place("postgresql://rankcast:s3cret@db.example/movies?sslpassword=also")
    'postgresql://rankcast:***@db.example/movies?sslpassword=***'
    >>> shown_place("movies.db")
    'movies.db'
    """
    if "://" not in path_or_url:
        return path_or_url
    scheme, _, rest = path_or_url.partition("://")
    if "@" in rest:
        # This also covers URLs that cannot be parsed: everything up to the last @ may be part of the password.
        credentials, _, where = rest.rpartition("@")
        user, colon, _ = credentials.partition(":")
        rest = f"{user}{colon}{_HIDDEN if colon else ''}@{where}"
    return _NAMED.sub(rf"\g<1>{_HIDDEN}", f"{scheme}://{rest}")


def without_passwords(text: str) -> str:
    """A message of a database or of Spark, without the passwords in its URLs and connection strings.

    >>> without_passwords("no answer from postgresql://rankcast:s3cret@db/movies (host=db password='s3 cret')")
    'no answer from postgresql://rankcast:***@db/movies (host=db password=***)'
    """
    for pattern in (_IN_DATABASE_URL, _IN_URL):
        text = pattern.sub(rf"\g<1>:{_HIDDEN}@", text)
    return _NAMED.sub(rf"\g<1>{_HIDDEN}", text)
