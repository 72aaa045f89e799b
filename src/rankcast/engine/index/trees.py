"""Expressions over numbered literals, with negation pushed down to the literals, and the entries that find them.

A tree is the number of a literal, ``("and", parts)``, ``("or", parts)``, True or False. It is filed as *entries*:
literals that must all hold, possibly with the rest of the tree. An event that satisfies the tree satisfies some
entry, and an entry that holds implies the tree. Nothing is multiplied out: for a conjunction of alternatives, the
shortest list of alternatives is filed, one entry each, and the rest is a program (a chain of literals with jumps).
"""

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from rankcast.engine.index.words import ACCEPT, REJECT
from rankcast.model import Always, And, Expression, Not, Or, Predicate

Tree: TypeAlias = "int | bool | tuple[str, tuple[Tree, ...]]"


class LiteralEntry(NamedTuple):
    """Literals that must all hold, and `rest` too if it is given."""

    literals: tuple[int, ...]
    rest: Tree = True


def tree_of(where: Expression, literal: Callable[[Predicate, bool], Tree], negated: bool = False) -> Tree:
    """The tree of an expression; `literal` gives the tree of a predicate or of its negation.

    >>> from rankcast.language import parse
    >>> tree_of(parse("not (a = 1 or b = 2) and c = 3"), lambda one, negated: -ord(one.attribute) * negated)
    ('and', (-97, -98, 0))
    """
    match where:
        case Predicate():
            return literal(where, negated)
        case Not(part):
            return tree_of(part, literal, not negated)
        case Always():
            return not negated
        case And(parts) | Or(parts):
            is_and = isinstance(where, And) is not negated
            return _joined("and" if is_and else "or", [tree_of(part, literal, negated) for part in parts])


def _joined(word: str, parts: list[Tree]) -> Tree:
    neutral = word == "and"
    flat: list[Tree] = []
    for part in parts:
        if part is neutral:
            continue
        if isinstance(part, bool):
            return part
        flat.extend(part[1] if isinstance(part, tuple) and part[0] == word else (part,))
    distinct = tuple(dict.fromkeys(flat))
    if not distinct:
        return neutral
    return distinct[0] if len(distinct) == 1 else (word, distinct)


def entries_of(tree: Tree, is_key: Callable[[int], bool]) -> list[LiteralEntry]:
    """The entries of a tree; `is_key` says whether an entry can be filed under a literal."""
    match tree:
        case bool():
            return [LiteralEntry(())] if tree else []
        case int():
            return [LiteralEntry((tree,))]
        case ("or", parts):
            return [entry for part in parts for entry in entries_of(part, is_key)]
        case (_, parts):
            plain = tuple(part for part in parts if isinstance(part, int))
            rest = _joined("and", [part for part in parts if not isinstance(part, int)])
            if rest is True or any(is_key(literal) for literal in plain):
                return [LiteralEntry(plain, rest)]
            keys = _keys(tree, is_key)
            return [LiteralEntry(plain, rest)] if keys is None else [LiteralEntry((key, *plain), rest) for key in keys]


def _keys(tree: Tree, is_key: Callable[[int], bool]) -> tuple[int, ...] | None:
    """Literals of which at least one holds whenever the tree does; None if there are none."""
    match tree:
        case bool():
            return None if tree else ()
        case int():
            return (tree,) if is_key(tree) else None
        case (word, parts):
            choices = [_keys(part, is_key) for part in parts]
            known = [choice for choice in choices if choice is not None]
            if word == "and":
                return min(known, key=len) if known else None
            if len(known) < len(choices):
                return None
            return tuple(dict.fromkeys(key for choice in known for key in choice))
    return None


def program_of(tree: Tree, instructions: list[tuple[int, int, int]]) -> int:
    """Append the instructions (literal, next if it holds, next if not) that evaluate a tree; returns the first one.

    >>> instructions = []
    >>> program_of(("or", (7, ("and", (8, 9)))), instructions), instructions
    (2, [(9, -1, -2), (8, 0, -2), (7, -1, 1)])
    """

    def write(tree: Tree, accept: int, reject: int) -> int:
        match tree:
            case bool():
                return accept if tree else reject
            case int():
                instructions.append((tree, accept, reject))
                return len(instructions) - 1
            case (word, parts):
                begin = accept if word == "and" else reject
                for part in reversed(parts):
                    begin = write(part, begin, reject) if word == "and" else write(part, accept, begin)
                return begin
        raise AssertionError(tree)

    return write(tree, ACCEPT, REJECT)
