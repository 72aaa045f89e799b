"""The pages of operators and policies, from their declarations in `rankcast.model`."""

from pieces import code, table

from rankcast.model import Decaying, Filter, Length, NoveltyPart, Op, Policy, SpecialOp
from rankcast.model.declared import Nested, Word, declared
from rankcast.model.policies import EVENTS, TIME

__all__ = ["operators", "policies"]

_NESTED = {"filter": Filter, "novelty": NoveltyPart, "decay": Decaying}


def operators() -> str:
    """All operators, with the kinds of values that they take."""
    rows = []
    for op in (*Op, *SpecialOp):
        one = op.declared
        kinds = ", ".join(kind.value for kind in one.kinds)
        passes = one.passes.replace("(#", "(../semantics.md#")
        rows.append((code(one.symbol), code(one.example), kinds, passes, one.words, ", ".join(map(code, one.aliases))))
    titles = ("operator", "example", "takes", "passes", "in words", "known elsewhere as")
    return (
        "# Operators\n\nA predicate names an attribute, an operator and mostly a value. [What Rankcast means]"
        "(../semantics.md#events-and-subscriptions) says exactly when it holds. This page is generated from the "
        f"declarations in `rankcast.model.operators`.\n\n{table(titles, rows)}"
    )


def policies() -> str:
    """All fields of a policy and of the records within it."""
    text = (
        "# Policies\n\nA policy says how many events a user gets, when, and by which criteria. Every field is optional. "
        "`rankcast policy`, the HTTP API, the page and catalog files take the same fields. This page is generated from "
        "the declarations in `rankcast.model.policies`.\n\n"
    )
    for title, record in {"policy": Policy, **_NESTED}.items():
        name = "Fields of a policy" if record is Policy else f"Fields of `{title}`"
        rows = [(code(one.name), _bounds(one.kind), one.help) for one in declared(record) if one.name != "user"]
        text += f"## {name}\n\n{table(('field', 'bounds', 'meaning'), rows)}"
        for one in declared(record):
            text += _words(one.name, one.kind)
    return text


def _bounds(kind: object) -> str:
    if isinstance(kind, Nested):
        return f"{EVENTS.bounds} events, or {TIME.bounds}" if kind.of is Length else "its own fields, below"
    return str(kind.bounds)


def _words(name: str, kind: object) -> str:
    """What each word of a field means, if the words say it."""
    members = list(kind.words) if isinstance(kind, Word) else []
    rows = [(code(one.value), one.meaning) for one in members if getattr(one, "meaning", "")]
    return f"### `{name}`\n\n{table(('value', 'meaning'), rows)}" if rows else ""
