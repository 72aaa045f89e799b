"""Size limits for expressions, in text and in JSON."""

from rankcast.errors import LimitError
from rankcast.language.printing import show
from rankcast.model import And, Expression, Not, Or, Predicate

MAX_LENGTH = 100_000
"""Maximum number of characters of the text form."""

MAX_DEPTH = 100
"""Maximum nesting of `and`, `or` and `not` (in text also of brackets)."""

MAX_PREDICATES = 2_000
"""Maximum number of predicates in one expression."""


def check_limits(expression: Expression, text: str | None = None) -> None:
    """Raise `LimitError` if the expression, or the text that `show` would write for it, exceeds a limit.

    The error shows `text` if it is given, otherwise the text of `show`. O(parts), without recursion.

    >>> from rankcast.model import Always
    >>> check_limits(Always())
    """
    shown = show(expression)
    if text is None:
        text = shown[:MAX_LENGTH]
    if len(shown) > MAX_LENGTH:
        raise too_long(text, len(shown))
    predicates = 0
    pending = [(expression, 0)]
    while pending:
        part, depth = pending.pop()
        match part:
            case Predicate():
                predicates += 1
            case And(parts) | Or(parts):
                pending.extend((child, depth + 1) for child in parts)
            case Not(child):
                pending.append((child, depth + 1))
        if depth > MAX_DEPTH:
            raise too_deep(text, 0)
    if predicates > MAX_PREDICATES:
        raise too_many_predicates(text, 0)


def too_long(text: str, length: int) -> LimitError:
    """The error for an expression with too much text."""
    return LimitError(
        f"an expression of {length:,} characters; the limit is {MAX_LENGTH:,}",
        text[:MAX_LENGTH],
        min(len(text), MAX_LENGTH),
    )


def too_deep(text: str, position: int) -> LimitError:
    """The error for an expression that is nested too deeply."""
    return LimitError(
        f"an expression nested more than {MAX_DEPTH} levels deep (brackets, 'and', 'or', 'not')", text, position
    )


def too_many_predicates(text: str, position: int) -> LimitError:
    """The error for an expression with too many predicates."""
    return LimitError(f"an expression of more than {MAX_PREDICATES:,} predicates", text, position)
