"""The text form cut into its pieces: names, values, operators, brackets."""

import re
from itertools import islice

from rankcast.errors import ExpressionError
from rankcast.model import Op, SpecialOp

__all__ = ["HEDGES", "KEYWORDS", "NAME", "Tokens"]

KEYWORDS = frozenset(("and", "or", "not", "true", "false")) | {
    op.value for op in (*Op, *SpecialOp) if op.declared.is_reserved
}
"""Words that cannot be names without double quotes, in any case."""

HEDGES = frozenset(("not", "very", "somewhat"))
"""Words that, besides, cannot be names of concepts without double quotes, in any case."""

NAME = re.compile(r"[^\W\d][\w.]*")
"""What may be a name without double quotes: letters of any script, digits, underscores, dots."""

# Every character that is not white space falls into some piece; what is wrong with a piece is found by the parser
# when it gets there. The possessive quantifiers (*+) keep a doubled quote together and unterminated strings linear.
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
    """The pieces of a text, an empty one for its end, and the place of the one that comes next.

    Positions in the text are worked out only when an error needs one.
    """

    __slots__ = ("at", "pieces", "text")

    def __init__(self, text: str) -> None:
        self.text = text
        self.pieces: list[str] = _PIECE.findall(text)
        self.pieces.append("")
        self.at = 0

    def position(self, at: int) -> int:
        """Where a piece begins in the text."""
        found = next(islice(_PIECE.finditer(self.text), at, None), None)
        return len(self.text) if found is None else found.start()

    def is_name(self) -> bool:
        """Whether the next piece begins like a name without quotes; it may be a keyword."""
        return NAME.match(self.pieces[self.at]) is not None

    def found(self) -> str:
        """What comes next and after what, for people."""
        return f"found {_cut(self.pieces[self.at])}" + (f" after {_cut(self.pieces[self.at - 1])}" if self.at else "")

    def error(self, message: str, at: int | None = None) -> ExpressionError:
        """An error at a piece, by default the next one; if that means nothing in itself, the error says so."""
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
