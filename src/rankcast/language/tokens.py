"""The tokens of the text form: names, values, operators, brackets."""

import re
from itertools import islice

from rankcast.errors import ExpressionError
from rankcast.model import Op, SpecialOp

KEYWORDS = frozenset(("and", "or", "not", "true", "false")) | {
    op.value for op in (*Op, *SpecialOp) if op.declared.is_reserved
}
"""Words that need double quotes to be a name, in any case."""

HEDGES = frozenset(("not", "very", "somewhat"))
"""Words that also need double quotes to be the name of a concept, in any case."""

NAME = re.compile(r"[^\W\d][\w.]*")
"""Names that need no double quotes: letters of any script, digits, underscores, dots."""

# Every character that is not white space belongs to some token; the parser finds the errors. The possessive
# quantifiers (*+) keep a doubled quote together and make unterminated strings linear.
_PIECE = re.compile(
    r"""[^\W\d][\w.]*+
    | '[^']*+(?:''[^']*+)*+'
    | <> | [<>!=]=?+
    | [-+.0-9][-+.\w]*+
    | "[^"]*+(?:""[^"]*+)*+"
    | \S""",
    re.VERBOSE,
)

_INSTEAD = {
    "&": "'and'",
    "|": "'or'",
    "!": "'not'",
    "~": "'not'",
    "‘": "straight single quotes: 'text'",
    "’": "straight single quotes: 'text'",
    "“": "straight quotes, single ones around values",
    "”": "straight quotes, single ones around values",
    "`": "single quotes around values, double ones around names",
    "{": "round brackets: (…)",
    "}": "round brackets: (…)",
    "≤": "'<='",
    "≥": "'>='",
    "≠": "'!='",
}


class Tokens:
    """The tokens of a text, with an empty one at the end, and the index of the next token.

    Positions in the text are computed only for errors.
    """

    __slots__ = ("at", "pieces", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = _PIECE.findall(text)
        self.pieces.append("")
        self.at = 0

    def position(self, at: int) -> int:
        """The position of a token in the text."""
        found = next(islice(_PIECE.finditer(self.text), at, None), None)
        return len(self.text) if found is None else found.start()

    def is_name(self) -> bool:
        """Whether the next token begins like a name without quotes; it may be a keyword."""
        return NAME.match(self.pieces[self.at]) is not None

    def found(self) -> str:
        """The next token and the one before it, for error messages."""
        return f"found {_cut(self.pieces[self.at])}" + (f" after {_cut(self.pieces[self.at - 1])}" if self.at else "")

    def error(self, message: str, at: int | None = None) -> ExpressionError:
        """An error at a token, by default the next one. If the token is invalid in itself, the error says so."""
        at = self.at if at is None else at
        return ExpressionError(_malformed(self.pieces[at]) or message, self.text, self.position(at))


def _malformed(piece: str) -> str:
    if piece == "'":
        return "a string begins here and never ends; close it with ' (a quote inside is written twice: '')"
    if piece == '"':
        return 'a name in double quotes begins here and never ends; close it with "'
    if not piece or len(piece) > 1 or piece.isalnum() or piece in "_<>=()[],-+.":
        return ""
    instead = _INSTEAD.get(piece)
    return f"found {piece!r}, which means nothing here" + (f"; write {instead}" if instead else "")


def _cut(piece: str) -> str:
    if not piece:
        return "the end"
    shown = "".join(letter if letter.isprintable() else "�" for letter in piece[:40])
    if len(piece) > 40:
        shown += "…"
    return shown if shown[0] in "'\"" else f"'{shown}'"
