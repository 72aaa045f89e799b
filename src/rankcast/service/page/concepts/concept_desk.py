"""The model of the concept editor: the concepts of one attribute, and the recent events with that attribute."""

import asyncio
import json
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ParamSpec, Protocol, TypeVar

from rankcast.fuzzy import MiningResult, ValueMiningResult
from rankcast.model import Catalog, Concept, Is, Membership, Table, predicates_of
from rankcast.service.page.concepts.curve_editor import DrawnCurve
from rankcast.service.page.drawings import colour
from rankcast.service.page.visitors import View
from rankcast.service.studies.attribute_study import (
    Axis,
    Study,
    axis_of,
    bars_of,
    middle,
    propose_concepts,
    study_recent,
)

_P = ParamSpec("_P")
_T = TypeVar("_T")

HISTORY = 2000
"""The number of recent events that are drawn and tried."""


@dataclass(frozen=True, slots=True)
class ConceptPicture:
    """The data of the drawing."""

    axis: Axis
    bars: Sequence[tuple[float, float, float]]
    curves: Sequence[DrawnCurve]
    edited: DrawnCurve | None


class _Compute(Protocol):
    """Runs a function in a child process (`rankcast.service.page.visitors.compute`)."""

    async def __call__(self, function: Callable[_P, _T], *arguments: _P.args, **named: _P.kwargs) -> _T: ...


class ConceptDesk:
    """The catalog and the recent events as of the last `load`, for one visitor and one attribute.

    Visitors see shared concepts and their own, and may change their own. Administrators see and change all. `compute`
    runs what takes long in a child process.
    """

    catalog: Catalog
    attributes: list[str]
    study: Study

    def __init__(self, view: View, compute: _Compute) -> None:
        self._view = view
        self._compute = compute
        self.attribute = view.query.get("attribute", "")

    async def load(self) -> None:
        """Read the catalog, and study the recent events."""
        self.catalog = await asyncio.to_thread(self._view.service.catalog)
        await self.choose(self.attribute)

    async def choose(self, attribute: str) -> None:
        """Switch to another attribute; without events that have it, to the most used one."""
        history = self._view.service.history(HISTORY)
        with_concepts = list(dict.fromkeys(name for name, _, _ in self.catalog.concepts))
        self.attributes, self.study = await self._compute(study_recent, history, with_concepts, attribute, self._uses())
        self.attribute = self.study.attribute

    def concepts(self) -> list[Concept]:
        """The concepts of the attribute that the visitor may see: shared ones first, each from low to high."""
        user, sees_all = self._view.user, self._view.visitor.switches
        seen = [
            concept
            for concept in self.catalog.concepts.values()
            if concept.attribute == self.attribute and (sees_all or concept.user in (None, user))
        ]
        return sorted(
            seen,
            key=lambda one: (one.user is not None, one.user != user, one.user or "", middle(one.membership), one.name),
        )

    def first(self, query: Mapping[str, str]) -> Concept | None:
        """The concept to show first: the one in the address, or else one that the user owns, or else uses."""
        asked, owner = query.get("concept"), query.get("for") or None
        used = {test.term.concept for at, test in self._vague_wishes() if at == self.attribute}

        def suits(concept: Concept) -> tuple[bool, ...]:
            named = concept.name == asked
            return named and concept.user == owner, named, concept.user == self._view.user, concept.name in used

        return max(self.concepts(), key=suits, default=None)

    def may_edit(self, concept: Concept) -> bool:
        """Whether the visitor may change the concept."""
        return self._view.visitor.switches or concept.user == self._view.user

    def saved(self, concept: Concept) -> Concept | None:
        """The saved version of the concept, or None."""
        return self.catalog.concepts.get((concept.attribute, concept.name, concept.user))

    async def proposals(self) -> MiningResult | ValueMiningResult:
        """Concepts mined from the recent values, and from what subscriptions ask for."""
        user = None if self._view.visitor.switches else self._view.user
        return await self._compute(propose_concepts, self._view.service.history(HISTORY), self.study, user)

    def picture(
        self, concept: Concept | None, draft: Membership | None, proposed: Sequence[Concept] = ()
    ) -> ConceptPicture:
        """The concepts over the data: the proposed ones, or the existing ones with the draft of the edited one.

        While a concept is edited, only shared concepts and those of its owner are drawn.
        """
        concepts = list(proposed) or self.concepts()
        curves = {
            key_of(one): DrawnCurve(key_of(one), one.name, colour(at), one.membership)
            for at, one in enumerate(concepts)
        }
        edited = None
        if concept is not None and draft is not None and not proposed:
            present = curves.get(key_of(concept))
            shade = present.colour if present else colour(len(curves))
            edited = DrawnCurve(key_of(concept), concept.name, shade, draft)
            curves = {
                key: replace(curves[key], name=_told_apart(one, concept))
                for key, one in ((key_of(one), one) for one in concepts)
                if one.user in (None, concept.user)
            }
        leading = edited or next(iter(curves.values()), None)
        tables = leading is not None and isinstance(leading.membership, Table)
        alike = [curve for curve in curves.values() if isinstance(curve.membership, Table) == tables]
        drawn = [curve.membership for curve in alike] + ([draft] if edited is not None and draft is not None else [])
        axis = axis_of(self.study, drawn)
        return ConceptPicture(axis, bars_of(self.study, axis), alike, edited)

    def _uses(self) -> dict[str, tuple[int, int]]:
        """By attribute, the number of vague predicates in the user's subscriptions, and the number of concepts."""
        asked = Counter(attribute for attribute, _ in self._vague_wishes())
        known = Counter(attribute for attribute, _, _ in self.catalog.concepts)
        return {name: (asked[name], known[name]) for name in asked | known}

    def _vague_wishes(self) -> list[tuple[str, Is]]:
        return [
            (predicate.attribute, predicate.test)
            for subscription in self.catalog.subscriptions_of(self._view.user)
            for predicate in predicates_of(subscription.where)
            if isinstance(predicate.test, Is)
        ]


def _told_apart(one: Concept, edited: Concept) -> str:
    """The name of a concept, with its owner if the edited concept has the same name."""
    same = one.name == edited.name and one.user != edited.user
    return f"{one.name} ({one.user or 'everybody'})" if same else one.name


def key_of(concept: Concept) -> str:
    """A unique key of a concept."""
    return json.dumps([concept.attribute, concept.name, concept.user])
