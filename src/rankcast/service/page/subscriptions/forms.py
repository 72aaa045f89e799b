"""Expressions as forms: conditions in groups, with conversion in both directions."""

import csv
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import Enum
from io import StringIO
from typing import assert_never

from rankcast import model
from rankcast.errors import ModelError
from rankcast.language import parse_time, show_time

_SPECIAL = {op.value: op for op in model.SpecialOp}


class FormShape(Enum):
    """How conditions are combined: all, any, or in groups.

    In DNF, one group must hold as a whole. In CNF, at least one condition of each group must hold.
    """

    ALL = "all"
    ANY = "any"
    DNF = "dnf"
    CNF = "cnf"

    @property
    def is_grouped(self) -> bool:
        """Whether there can be several groups."""
        return self in (FormShape.DNF, FormShape.CNF)


@dataclass(slots=True)
class Condition:
    """One line of the form. `op` is the operator symbol; `texts` are the values as typed (for ``is``: the concept).

    If `kind` is None, the values decide it: a number if they look like numbers, otherwise a string.
    """

    attribute: str = ""
    op: str = "="
    texts: list[str] = field(default_factory=list)
    kind: model.Kind | None = None
    hedges: tuple[model.Hedge, ...] = ()
    thresholds: model.Thresholds | None = None


@dataclass(slots=True)
class Form:
    """Conditions in groups. Shapes without groups have exactly one."""

    shape: FormShape
    groups: list[list[Condition]]


def form_of(expression: model.Expression) -> Form | None:
    """The form of an expression, or None if a form cannot express it: `not`, deeper nesting, values of mixed types.

    >>> from rankcast.language import parse
    >>> form_of(parse("genre = 'drama' and (year < 1920 or year > 1999)")).shape
    <FormShape.CNF: 'cnf'>
    >>> form_of(parse("not year > 1999")) is None
    True
    """
    match expression:
        case model.Always():
            return Form(FormShape.ALL, [[]])
        case model.Predicate():
            shape, grouped = FormShape.ALL, [[expression]]
        case model.And(parts):
            grouped = [_predicates(part, model.Or) for part in parts]
            shape = FormShape.CNF
            if all(isinstance(part, model.Predicate) for part in parts):
                shape, grouped = FormShape.ALL, [[one for group in grouped for one in group]]
        case model.Or(parts):
            grouped = [_predicates(part, model.And) for part in parts]
            shape = FormShape.DNF
            if all(isinstance(part, model.Predicate) for part in parts):
                shape, grouped = FormShape.ANY, [[one for group in grouped for one in group]]
        case model.Not():
            return None
        case other:
            assert_never(other)
    groups = [[_condition(predicate) for predicate in group] for group in grouped]
    if not all(groups) or any(condition is None for group in groups for condition in group):
        return None
    return Form(shape, [[condition for condition in group if condition is not None] for group in groups])


def expression_of(form: Form) -> model.Expression:
    """The expression of a form. Incomplete conditions are left out; without any conditions it matches everything.

    Raises `ModelError` for a value that is not of the required kind.
    """
    groups = [[_predicate(one) for one in group if is_complete(one)] for group in form.groups]
    inner, outer = (model.Or, model.And) if form.shape in (FormShape.CNF, FormShape.ANY) else (model.And, model.Or)
    parts = [_joined(inner, group) for group in groups if group]
    return _joined(outer, parts) if parts else model.Always()


def is_complete(condition: Condition) -> bool:
    """Whether the condition is complete enough to be used."""
    op = operator_of(condition.op)
    needed = 0 if op is model.SpecialOp.EXISTS else 2 if op is model.SpecialOp.BETWEEN else 1
    return bool(condition.attribute.strip()) and sum(bool(text.strip()) for text in condition.texts) >= needed


def operator_of(symbol: str) -> model.Op | model.SpecialOp:
    """The operator of a line."""
    return _SPECIAL.get(symbol) or model.Op.of(symbol)


def operators_for(kind: model.Kind | None) -> dict[str, str]:
    """The operators to offer for an attribute, with their names; `kind` is None if it is unknown.

    >>> of_times = operators_for(model.Kind.TIME)
    >>> of_times["<"], "startswith" in of_times
    ('before', False)
    """
    declared = [
        op.declared
        for op in (*model.Op, *model.SpecialOp)
        if op is not model.SpecialOp.IS and op.declared.is_offered(kind)
    ]
    return {one.symbol: (kind is model.Kind.TIME and one.time_words) or one.words for one in declared}


def split_texts(text: str) -> list[str]:
    """Split a list at commas. A value that contains a comma is in double quotes.

    >>> split_texts('drama, "Paris, Texas"')
    ['drama', 'Paris, Texas']
    """
    rows = list(csv.reader([text.replace("\n", " ")], skipinitialspace=True))
    return [value for value in (value.strip() for value in (rows[0] if rows else [])) if value]


def join_texts(texts: Sequence[str]) -> str:
    """Join values into a list that `split_texts` can split."""
    written = StringIO()
    csv.writer(written, lineterminator="").writerow(texts)
    return written.getvalue().replace(",", ", ") if not any("," in text for text in texts) else written.getvalue()


def _joined(kind: type[model.And] | type[model.Or], parts: Sequence[model.Expression]) -> model.Expression:
    flat: list[model.Expression] = []
    for part in parts:
        flat += part.parts if isinstance(part, kind) else (part,)
    return flat[0] if len(flat) == 1 else kind(tuple(flat))


def _predicates(part: model.Expression, kind: type[model.And] | type[model.Or]) -> list[model.Predicate]:
    """The predicates of a group; empty if it contains anything else."""
    if isinstance(part, model.Predicate):
        return [part]
    if isinstance(part, kind) and all(isinstance(one, model.Predicate) for one in part.parts):
        return [one for one in part.parts if isinstance(one, model.Predicate)]
    return []


def _condition(predicate: model.Predicate) -> Condition | None:
    """The line for a predicate, or None if its typed form would mean something else."""
    made = Condition(predicate.attribute, thresholds=predicate.thresholds)
    match predicate.test:
        case model.Compare(op, value):
            made.op, made.texts, made.kind = op.value, [_text(value)], model.kind_of(value)
        case model.OneOf(values):
            made.op, made.texts, made.kind = "in", [_text(value) for value in values], model.kind_of(values[0])
        case model.Between(low, high):
            made.op, made.texts, made.kind = "between", [_text(low), _text(high)], model.kind_of(low)
        case model.Exists():
            made.op = "exists"
        case model.Is(model.Term(concept, hedges)):
            made.op, made.texts, made.hedges = "is", [concept], hedges
        case other:
            assert_never(other)
    try:
        same = is_complete(made) and _predicate(made) == predicate
    except ModelError:
        return None
    return made if same else None


def _predicate(condition: Condition) -> model.Predicate:
    name = condition.attribute.strip()
    try:
        return model.Predicate(name, _test(condition), condition.thresholds)
    except ModelError as error:
        raise ModelError(f"{name}: {error}") from None


def _test(condition: Condition) -> model.Test:
    texts = [text for text in condition.texts if text.strip()]
    op = operator_of(condition.op)
    match op:
        case model.SpecialOp.EXISTS:
            return model.Exists()
        case model.SpecialOp.IS:
            return model.Is(model.Term(texts[0].strip(), condition.hedges))
    may_be_number = op is not model.Op.CONTAINS and all(
        map(_is_number, texts)
    )  # a list of numbers is rarer than a text
    kind = condition.kind or (model.Kind.NUMBER if may_be_number else model.Kind.STRING)
    if len(op.declared.kinds) == 1:
        (kind,) = op.declared.kinds
    values = [_scalar(text, kind) for text in texts]
    match op:
        case model.SpecialOp.IN:
            return model.OneOf(tuple(values))
        case model.SpecialOp.BETWEEN:
            low, high = values[0], values[1]
            return model.Between(low, high)
        case model.Op():
            return model.Compare(op, values[0])
        case other:
            assert_never(other)


def _scalar(text: str, kind: model.Kind) -> model.Scalar:
    match kind:
        case model.Kind.STRING:
            return text
        case model.Kind.NUMBER:
            return _number(text)
        case model.Kind.BOOLEAN:
            if text.strip().lower() not in ("true", "false", "yes", "no"):
                raise ModelError(f"{text!r} is neither true nor false")
            return text.strip().lower() in ("true", "yes")
        case model.Kind.TIME:
            return parse_time(text.strip())


def _number(text: str) -> float:
    try:
        return int(text)
    except ValueError:
        pass
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ModelError(f"{text!r} is not a number")
    return number


def _is_number(text: str) -> bool:
    try:
        return math.isfinite(_number(text))
    except ModelError:
        return False


def _text(value: model.Scalar) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            text = show_time(value)
            return text[:10] if text.endswith("T00:00:00Z") else text
        case float():
            return repr(value)
        case str() | int():
            return str(value)
