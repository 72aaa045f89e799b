"""Error messages for invalid expressions: what was found, what is expected, and the likely mistake."""

from rankcast.errors import ExpressionError, did_you_mean
from rankcast.language.printing import show_name, show_value
from rankcast.language.tokens import KEYWORDS, Tokens
from rankcast.model import Op, SpecialOp

OPERATORS = tuple(op.value for op in (*Op, *SpecialOp))
"""All operators that may follow the name of an attribute."""

_OTHER_LANGUAGES = {alias: op.value for op in Op for alias in op.declared.aliases}


def no_attribute(tokens: Tokens) -> ExpressionError:
    """The error where a predicate should begin with a name."""
    piece = tokens.pieces[tokens.at]
    if tokens.pieces == [""]:
        return tokens.error("the expression is empty; write one like genre = 'drama', or true for everything")
    hint = ""
    if piece.lower() in KEYWORDS - {"and", "or"}:
        hint = f'; a name that is a keyword needs double quotes: "{piece}"'
    elif piece[:1] in tuple("-+.0123456789"):
        hint = "; the name of the attribute comes first"
    elif piece[:1] == "'":
        hint = "; names are written without quotes, or in double ones"
    return tokens.error(f"{tokens.found()}, where a predicate should be, like year > 1999{hint}")


def no_operator(tokens: Tokens, attribute: str) -> ExpressionError:
    """The error where an operator should follow the name of the attribute."""
    piece = tokens.pieces[tokens.at]
    word = piece.lower()
    name = show_name(attribute)
    message = f"{tokens.found()}, where an operator should be ({', '.join(OPERATORS)})"
    following = tokens.pieces[tokens.at + 1].lower() if piece else ""
    if word == "not":
        rest = "exists" if following == "exists" else f"{following if following in OPERATORS else '='} …"
        also = "" if following == "exists" else f", which also holds where {name} is missing"
        hint = f"; 'not' stands before the whole predicate: not ({name} {rest}){also}"
    elif word in _OTHER_LANGUAGES:
        hint = f"; did you mean {_OTHER_LANGUAGES[word]!r}?"
    elif word in ("and", "or", ")", ""):
        hint = f"; write {name} exists, or {name} = …"
    elif tokens.is_name() and following in OPERATORS:
        hint = f'; a name of several words needs double quotes: "{attribute} {piece}"'
    elif tokens.is_name():
        hint = did_you_mean(word, OPERATORS) or f"; write {name} = {show_value(piece)}"
    else:
        hint = ""
    return tokens.error(message + hint)


def no_value(tokens: Tokens) -> ExpressionError:
    """The error where a value is expected."""
    piece = tokens.pieces[tokens.at]
    before = tokens.pieces[tokens.at - 1]
    word = piece.lower()
    hint = ""
    if piece[:1] == '"':
        inner = piece[1:-1].replace('""', '"')
        hint = f"; double quotes are for names, strings need single quotes: {show_value(inner)}"
    elif word in ("date", "time"):
        example = "2003-01-01" if word == "date" else "2003-01-01T20:00:00Z"
        hint = f"; write {word} '{example}', or '{word}' in single quotes for the string"
    elif piece in (">", "<") and before == "=":
        hint = f"; did you mean '{piece}='?"
    elif piece == "=" == before:
        hint = "; one '=' is enough"
    elif piece == "=" and before in ("<", ">"):
        hint = f"; did you mean '{before}='?"
    elif word in ("null", "none"):
        hint = "; there is no such value, ask with exists whether there is one"
    elif tokens.is_name() and word not in KEYWORDS:
        hint = f"; strings need single quotes: {show_value(piece)}"
    return tokens.error(f"{tokens.found()}, where a value should be, like 'text' or 5{hint}")


def no_concept(tokens: Tokens, attribute: str | None) -> ExpressionError:
    """The error where the name of a concept should follow ``is``."""
    piece = tokens.pieces[tokens.at]
    hint = ""
    if attribute and (piece.lower() in ("true", "false") or piece[:1] in tuple("'-.0123456789")):
        hint = f"; to compare with a value write {show_name(attribute)} = {piece[:40]}"
    return tokens.error(f"{tokens.found()}, where the name of a concept should be{hint}")


def no_end(tokens: Tokens) -> ExpressionError:
    """The error where an expression should continue or end."""
    piece = tokens.pieces[tokens.at]
    if piece == ")":
        return tokens.error("a ')' without a '(' before it")
    before = tokens.pieces[tokens.at - 1]
    hint = ""
    if piece == ",":
        hint = "; did you mean 'and'?"
    elif before[-1:] == "'" and tokens.position(tokens.at - 1) + len(before) == tokens.position(tokens.at):
        hint = "; a quote inside of a string is written twice: ''"
    elif before.lower() == "true" and piece.lower() in OPERATORS:
        hint = f'; a name that is a keyword needs double quotes: "{before}"'
    elif tokens.is_name():
        hint = did_you_mean(piece, ("and", "or"))
    return tokens.error(f"{tokens.found()}, where 'and', 'or' or the end of the expression should be{hint}")
