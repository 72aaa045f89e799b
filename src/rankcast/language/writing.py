"""Joining the parts of an expression into text, for the text form and for labels."""

from collections.abc import Callable

from rankcast.model import Always, And, Expression, Not, Or, Predicate


def written(
    expression: Expression,
    predicate: Callable[[Predicate], str],
    always: str,
    bracketed: Callable[[Expression, Expression], bool],
) -> str:
    """The text of an expression; `bracketed` decides which parts of an expression need brackets.

    O(parts), without recursion.
    """
    words: list[str] = []
    pending: list[Expression | str] = [expression]
    while pending:
        match pending.pop():
            case str(word):
                words.append(word)
            case Predicate() as leaf:
                words.append(predicate(leaf))
            case Always():
                words.append(always)
            case Not(part) as whole:
                pending.extend((")", part, "not (") if bracketed(whole, part) else (part, "not "))
            case (And(parts) | Or(parts)) as whole:
                between = " and " if isinstance(whole, And) else " or "
                for number, part in enumerate(reversed(parts)):
                    if number:
                        pending.append(between)
                    pending.extend((")", part, "(") if bracketed(whole, part) else (part,))
    return "".join(words)
