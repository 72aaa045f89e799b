"""The words of the text form: names, values, operators, and where each stands."""

import re
from typing import NamedTuple

from rankcast.errors import ExpressionError

__all__ = ["END", "HEDGES", "KEYWORDS", "NAME", "Token", "next_token"]

KEYWORDS = frozenset(
    ["and", "or", "not", "in", "between", "exists", "is", "contains", "startswith", "endswith", "true", "false"],
)
"""Words that cannot be names without double quotes, in any case."""

HEDGES = frozenset(("not", "very", "somewhat"))
"""Words that cannot be names of concepts without double quotes, in any case."""

NAME = re.compile(r"[^\W\d][\w.]*")
"""What may be a name without double quotes: letters of any script, digits, underscores, dots."""

# The possessive quantifiers (*+) keep a doubled quote in one piece and an unterminated string linear in time.
_TOKEN = re.compile(
    r"""\s*+(?:
      (?P<word>[^\W\d][\w.]*+)
    | (?P<string>'[^']*+(?:''[^']*+)*+')
    | (?P<number>-?(?:[0-9]++(?:\.[0-9]++)?+|\.[0-9]++)(?:[eE][+-]?[0-9]++)?+(?![\w.]))
    | (?P<symbol><=|>=|!=|<>|==|=|<|>|\(|\)|\[|\]|,)
    | (?P<name>"[^"]*+(?:""[^"]*+)*+")
    | (?P<end>\Z)
    )""",
    re.VERBOSE,
)

END = "end"


class Token(NamedTuple):
    """A piece of the text. `kind` is word, string, number, symbol, name (in double quotes) or end; `value` is
    the text itself, for words and symbols in lower case."""

    kind: str
    value: str
    start: int
    end: int


_INSTEAD = {
    "&": "'and'",
    "|": "'or'",
    "!": "'not'",
    "~": "'not'",
    "‘": "straight single quotes: 'text'",
    "’": "straight single quotes: 'text'",
    "“": "straight quotes: single ones around values, double ones around names",
    "”": "straight quotes: single ones around values, double ones around names",
    "`": "single quotes around values, double quotes around names",
    "{": "round brackets: (…)",
    "}": "round brackets: (…)",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
}


def next_token(text: str, position: int) -> Token:
    """The token at or after a position; raises where there is none."""
    found = _TOKEN.match(text, position)
    if found is None:
        raise _no_token(text, position)
    kind = found.lastgroup or END
    start, end = found.span(kind)
    value = text[start:end]
    return Token(kind, value.lower() if kind == "word" else value, start, end)


def _no_token(text: str, position: int) -> ExpressionError:
    while text[position].isspace():
        position += 1
    character = text[position]
    if character == "'":
        return ExpressionError(
            "a string begins here and never ends; close it with ' (a quote inside is written twice: '')", text, position
        )
    if character == '"':
        return ExpressionError('a name in double quotes begins here and never ends; close it with "', text, position)
    if character in "-+.0123456789":
        written = re.compile(r"[-+.\w]*").match(text, position)
        shown = written.group() if written else character
        return ExpressionError(
            f"found {shown[:40]!r}, which is not a number; numbers are written like 5, -0.5 or 1e6", text, position
        )
    instead = _INSTEAD.get(character)
    hint = f"; write {instead}" if instead else ""
    return ExpressionError(f"found {character!r}, which means nothing here{hint}", text, position)
