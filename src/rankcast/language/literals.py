"""Parsing of names and values in the text form."""

import re
from datetime import datetime

from rankcast.errors import ModelError
from rankcast.language.complaints import no_value
from rankcast.language.times import parse_time
from rankcast.language.tokens import NAME, Tokens
from rankcast.model import MAX_NAME, MAX_TEXT, Scalar, check_name, check_scalar

_NUMBER = re.compile(r"-?(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_DATE = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
NUMBER_STARTS = frozenset("-+.0123456789")
"""The characters with which a number, valid or not, begins."""


class Literals(Tokens):
    """Reads names and values from the tokens of a text."""

    __slots__ = ()

    def name(self, reserved: frozenset[str]) -> str | None:
        """The next name, with or without double quotes; None if there is none."""
        piece = self.pieces[self.at]
        if NAME.match(piece):
            if piece.lower() in reserved:
                return None
            if len(piece) > MAX_NAME:
                raise self.error(f"a name of {len(piece):,} characters; it must have at most {MAX_NAME}")
            self.at += 1
            return piece
        if piece[:1] != '"' or piece == '"':
            return None
        if piece == '""':
            raise self.error("a name that is empty")
        name = piece[1:-1].replace('""', '"')
        try:
            check_name("a name", name)
        except ModelError as error:
            raise self.error(str(error)) from None
        self.at += 1
        return name

    def value(self) -> Scalar:
        """A string, number, boolean, date or time."""
        piece = self.pieces[self.at]
        first = piece[:1]
        if first == "'" != piece:
            text = piece[1:-1].replace("''", "'")
            if len(text) > MAX_TEXT:
                raise self.error(f"a string of {len(text):,} characters; it must have at most {MAX_TEXT:,}")
            self.at += 1
            return text
        if first in NUMBER_STARTS:
            return self.number()
        word = piece.lower()
        if word in ("true", "false"):
            self.at += 1
            return word == "true"
        if word in ("date", "time") and self.pieces[self.at + 1][:1] == "'":
            return self.instant(word)
        raise no_value(self)

    def number(self) -> int | float:
        """A number; an integer if it has neither a point nor an exponent."""
        piece = self.pieces[self.at]
        if not _NUMBER.fullmatch(piece):
            right = f"write date '{piece}'" if _DATE.fullmatch(piece) else "numbers are written like 5, -0.5 or 1e6"
            raise self.error(f"found '{piece[:40]}', which is not a number; {right}")
        try:
            value = int(piece) if piece.lstrip("-").isdigit() else float(piece)
            check_scalar(value)
        except ValueError:
            raise self.error(
                f"the number {piece[:40]} is out of range: integers have 64 bits, reals reach up to 1.7e308"
            ) from None
        self.at += 1
        return value

    def instant(self, word: str) -> datetime:
        """``date '…'`` or ``time '…'``."""
        self.at += 1
        written = self.pieces[self.at][1:-1]
        if word == "date" and re.match("[0-9-]{10}[Tt ]", written):
            raise self.error(f"a date has no time of day; write date '{written[:10]}' or time '{written[:40]}'")
        try:
            time = parse_time(written)
        except ModelError as error:
            raise self.error(str(error)) from None
        self.at += 1
        return time
