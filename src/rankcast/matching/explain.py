"""Explanations of why an expression holds for an event or does not, predicate by predicate."""

from dataclasses import dataclass
from datetime import datetime

from rankcast import model
from rankcast.language import show, show_time
from rankcast.language.membership_json import membership_to_json
from rankcast.matching.joint import ValueQuestion, is_imprecise, questions_of
from rankcast.matching.outcomes import Meaning
from rankcast.matching.predicates import degrees_of, least_of, reaches

_LONGEST = 60


@dataclass(frozen=True, slots=True)
class MatchFinding:
    """The result for one predicate, or for an ``and``, ``or`` or ``not`` with the results of its parts.

    It says what was asked, whether it holds, and why.
    """

    asked: str
    holds: bool
    why: str
    parts: tuple["MatchFinding", ...] = ()

    def lines(self) -> list[str]:
        """The finding as lines for people, with parts indented."""
        lines = [f"{self.asked}: {'yes' if self.holds else 'no'}, {self.why}"]
        for part in self.parts:
            lines += [f"  {line}" for line in part.lines()]
        return lines


def explain_match(
    where: model.Expression, event: model.Event, meaning: Meaning, shared: Meaning | None = None
) -> MatchFinding:
    """The decision of `matches`, with reasons. Every part is evaluated, even if one part alone decides.

    >>> from datetime import UTC
    >>> from rankcast.language import parse
    >>> from rankcast.matching import NO_CONCEPTS
    >>> event = model.Event("e1", datetime(2004, 2, 13, tzinfo=UTC), {"genre": ("comedy",), "year": (2004,)})
    >>> for line in explain_match(parse("genre = 'drama' and year > 1999"), event, NO_CONCEPTS).lines():
    ...     print(line)
    all of these: no, 1 of 2 holds
      genre = 'drama': no, genre is comedy
      year > 1999: yes, year is 2004
    """
    match where:
        case model.Predicate():
            return _of_predicate(where, event, meaning, shared or meaning)
        case model.And() | model.Or():
            findings = _of_parts(where, event, meaning, shared or meaning)
            held = sum(finding.holds for finding in findings)
            which, least = ("all", len(findings)) if isinstance(where, model.And) else ("any", 1)
            return MatchFinding(f"{which} of these", held >= least, _count(held, findings), findings)
        case model.Not(part):
            finding = explain_match(part, event, meaning, shared)
            return MatchFinding(
                "not this", not finding.holds, "it holds" if finding.holds else "it does not hold", (finding,)
            )
        case model.Always():
            return MatchFinding("true", True, "it holds for every event")


def _of_parts(
    where: model.And | model.Or, event: model.Event, meaning: Meaning, shared: Meaning
) -> tuple[MatchFinding, ...]:
    """The findings of the parts; predicates on one imprecise value are one part, with their own findings below."""
    questions, parts = questions_of(where, event) if is_imprecise(event) else ((), where.parts)
    return (
        *(explain_match(part, event, meaning, shared) for part in parts),
        *(_of_question(question, event, meaning, shared) for question in questions),
    )


def _of_question(question: ValueQuestion, event: model.Event, meaning: Meaning, shared: Meaning) -> MatchFinding:
    literals: tuple[model.Expression, ...] = (*question.asserted, *map(model.Not, question.denied))
    holds = question.evaluate(meaning, shared).holds
    why = f"{question.attribute} is {_said(question.value)}"
    if question.asserted:
        possibility, necessity = question.degrees(meaning, shared)
        why += f", together possible to {possibility:.6g} and certain to {necessity:.6g}"
        if not holds:
            why += _lacking(possibility, question.least_possibility()) or "; more certainty is needed"
    parts = tuple(explain_match(literal, event, meaning, shared) for literal in literals)
    return MatchFinding(show(question.joined_by(literals)), holds, why, parts)


def _of_predicate(predicate: model.Predicate, event: model.Event, meaning: Meaning, shared: Meaning) -> MatchFinding:
    attribute, test = predicate.attribute, predicate.test
    value = event.attributes.get(attribute)
    if value is None:
        return MatchFinding(show(predicate), False, f"there is no {attribute}")
    possibility, necessity = degrees_of(predicate, value, meaning, shared)
    holds = reaches(predicate, possibility, necessity)
    least = least_of(predicate)
    why = f"{attribute} is {_said(value)}"
    if isinstance(value, tuple) and isinstance(test, model.Is):
        why += f", to degree {possibility:.6g}"
        if not holds:
            why += _needed("", max(least.possibility, least.necessity))
    elif isinstance(value, tuple):
        kind = model.kind_of(value[0])
        if (
            model.is_list(value)
            and not holds
            and not (isinstance(test, model.Compare) and test.op is model.Op.CONTAINS)
        ):
            why += f", a list of {len(value):,} {kind.value}s, to be asked with contains"
        elif not _is_about(test, kind):
            why += f", a {kind.value}"
    elif not isinstance(test, model.Exists):
        why += f", possible to {possibility:.6g} and certain to {necessity:.6g}"
        if not holds:
            why += _lacking(possibility, least.possibility) or _needed("certain to ", least.necessity)
    return MatchFinding(show(predicate), holds, why)


def _lacking(possibility: float, least: float) -> str:
    return _needed("possible to ", least) if possibility < least or not possibility else ""


def _needed(what: str, least: float) -> str:
    return f"; {what}{least:.6g} is needed" if least else f"; {what}more than 0 is needed"


def _count(held: int, findings: tuple[MatchFinding, ...]) -> str:
    return f"{held} of {len(findings)} {'holds' if held == 1 else 'hold'}"


def _is_about(test: model.Test, kind: model.Kind) -> bool:
    match test:
        case model.Compare(_, value) | model.Between(value, _):
            return model.kind_of(value) is kind
        case model.OneOf(values):
            return any(model.kind_of(value) is kind for value in values)
        case model.Exists() | model.Is():
            return True


def _said(value: model.AttributeValue) -> str:
    match value:
        case tuple():
            text = ", ".join(_said_scalar(each) for each in value)
        case model.Term(concept, hedges):
            text = " ".join([*(hedge.value for hedge in hedges), concept])
        case model.Interval(low, high):
            text = f"between {low} and {high}"
        case _:
            ((form, numbers),) = membership_to_json(value).items()
            text = f"{form} {numbers}"
    return text if len(text) <= _LONGEST else text[: _LONGEST - 1] + "…"


def _said_scalar(value: model.Scalar) -> str:
    match value:
        case bool():
            return "true" if value else "false"
        case datetime():
            return show_time(value)
        case str() | int() | float():
            return str(value)
