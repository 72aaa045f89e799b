"""The editor of membership functions: the meaning of vague words."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from nicegui import ui

from rankcast.errors import ModelError
from rankcast.model import Concept, Membership, Record
from rankcast.service.page.concepts.concept_desk import HISTORY, ConceptDesk
from rankcast.service.page.concepts.concept_dialogs import ask_for_name, ask_to_replace, replaced_by
from rankcast.service.page.concepts.concept_fields import ConceptFields
from rankcast.service.page.concepts.concept_list import EVERYBODY, show_concepts
from rankcast.service.page.concepts.concept_preview import ConceptPreview
from rankcast.service.page.concepts.concept_shapes import converted, first_shape
from rankcast.service.page.concepts.curve_editor import CurveEditor, form_of
from rankcast.service.page.concepts.mining_view import MiningView
from rankcast.service.page.controls import choice
from rankcast.service.page.drawings import wear
from rankcast.service.page.visitors import View, compute
from rankcast.service.page.widgets import (
    UndoBar,
    act,
    complaining,
    demo_link,
    emptied,
    empty,
    group,
    keep_address,
    legend_key,
    set_props,
    words,
)
from rankcast.service.studies.attribute_study import axis_of
from rankcast.service.studies.concept_trial import try_concepts
from rankcast.wording import counted


async def build(view: View) -> None:
    """Build the concept editor."""
    wear()
    desk = ConceptDesk(view, partial(compute, view))
    with complaining():
        await desk.load()
        await _build_workshop(view, desk)


async def _build_workshop(view: View, desk: ConceptDesk) -> None:
    if not desk.attributes:
        with empty(
            "o_area_chart",
            "No concepts yet",
            "A concept says how well a word fits a value, such as how cheap 1,400 is. Publish some events first: a "
            "concept belongs to one of their attributes.",
        ):
            demo_link()
        return
    await _Workshop(view, desk).show_mining()


class _Workshop:
    """The page of one visitor: the chosen attribute and concept, and the unsaved draft."""

    def __init__(self, view: View, desk: ConceptDesk) -> None:
        self._view = view
        self._desk = desk
        self._concept: Concept | None = None
        self._draft: Membership | None = None
        self._proposed: tuple[Concept, ...] = ()
        self._undo_bar = UndoBar()
        self._ground = ui.context.slot.parent
        self._build()

    # building

    def _build(self) -> None:
        with group("div", "rc-row rc-wrap"):
            names, attribute = self._desk.attributes, self._desk.attribute
            choice("Attribute", names, attribute, self._chosen, is_titled=True, classes="rc-chooser")
            self._propose = act("Propose from the data", self._mined, icon="o_auto_graph")
            act("New concept", self._named, icon="o_add")
        with group("div", "rc-workshop"):
            with group("section", "rc-card rc-column", aria_label="Concepts of the attribute"):
                self._list = group("div", "rc-column rc-tight rcd-concepts")
            with group("section", "rc-card rc-column", aria_label="Editor"):
                self._head = group("div", "rc-row rc-spread rc-wrap")
                self._editor = CurveEditor("Degree of membership", self._dragged)
                self._legend = group("div", "rc-row rc-wrap rc-legend rc-small rc-soft")
                self._fields = ConceptFields(self._typed, self._reformed)
                self._fields.rebuilt = lambda made: self._fields.show(made, self._desk.study, still=False)
                self._complaint = words("p", "", "rc-note rc-bad")
                set_props(self._complaint, role="alert")
                self._buttons = group("div", "rc-row rc-wrap")
        with group("section", "rc-card rc-column", aria_label="What would change", aria_live="polite"):
            words("h2", "What it matches")
            effects = group("div", "rc-column")
            with effects:
                words("p", "Trying it on recent events…", "rc-soft rc-small")
        only = None if self._view.visitor.switches else self._view.user
        self._preview = ConceptPreview(self._view, effects, self._desk, only, self._complain)
        self._mining = MiningView(self._view, self._mined_again)
        self._select(self._desk.first(self._view.query))

    async def _chosen(self, attribute: str) -> None:
        with complaining():
            await self._desk.choose(attribute)
            await self._show_first()

    async def show_mining(self) -> None:
        """Show what mining changed on the attribute."""
        await self._mining.show(self._desk.attribute)

    async def _mined_again(self) -> None:
        with complaining():
            await self._desk.load()
            await self._show_first()

    async def _show_first(self) -> None:
        self._select(self._desk.first({}))
        await self.show_mining()

    def _select(self, concept: Concept | None) -> None:
        """Start editing this concept from its saved version."""
        self._concept, self._draft = concept, concept.membership if concept else None
        self._proposed = ()
        self._address()
        self._show()

    def _address(self) -> None:
        query = {"attribute": self._desk.attribute}
        if self._concept is not None:
            query |= {"concept": self._concept.name} | ({"for": self._concept.user} if self._concept.user else {})
        keep_address(ui.context.client, query)

    # showing

    def _show(self) -> None:
        show_concepts(self._list, self._desk, self._concept, self._select)
        self._show_head()
        self._show_curves()
        self._fields.show(self._draft, self._desk.study, still=self._is_still())
        self._complaint.visible = False
        self._show_buttons()
        self._try()

    def _is_still(self) -> bool:
        return self._concept is None or not self._desk.may_edit(self._concept) or bool(self._proposed)

    def _show_head(self) -> None:
        with emptied(self._head):
            if self._proposed:
                words("h2", f"{len(self._proposed)} concepts proposed for {self._desk.attribute}")
                return
            if self._concept is None:
                words("h2", f"Nothing chosen on {self._desk.attribute}")
                return
            words("h2", f"{self._desk.attribute} is {self._concept.name}")
            if not self._desk.may_edit(self._concept):
                words("span", "Everybody's; make your own meaning to change it.", "rc-soft rc-small")

    def _show_curves(self) -> None:
        picture = self._desk.picture(self._concept, self._draft, self._proposed)
        axis, edited = picture.axis, picture.edited
        self._editor.show(axis, picture.bars, picture.curves, edited, still=self._is_still())
        with emptied(self._legend):
            legend_key("recent values", classes="rc-key rc-key-bars")
            if edited and axis.categories is None:
                legend_key(self._concept.name if self._concept else "", classes="rc-key rc-key-line")
                legend_key("very", classes="rc-key rc-key-very")
                legend_key("somewhat", classes="rc-key rc-key-somewhat")
                if form_of(edited.membership) == "piecewise":
                    words("span", "Double-click adds a point, Delete removes it.")
            elif edited:
                legend_key("degree; drag a bar, or use the arrow keys", classes="rc-key rc-key-line")

    def _show_buttons(self) -> None:
        with emptied(self._buttons):
            if self._proposed:
                if self._view.visitor.switches:
                    act("Use them for everybody", lambda: self._use(None), icon="o_check", kind="main")
                act(f"Use them for {self._view.user}", lambda: self._use(self._view.user), icon="o_person")
                act("Discard", self._discard, kind="quiet")
                return
            if self._concept is None:
                return
            if self._desk.may_edit(self._concept):
                self._save_button = act("Save", self._save, icon="o_check", kind="main")
                self._undo_button = act("Undo changes", self._undo, icon="o_undo")
                self._changed_shown()
            if self._concept.user != self._view.user:
                mine = (self._desk.attribute, self._concept.name, self._view.user)
                if mine not in self._desk.catalog.concepts:
                    act(f"My own meaning, for {self._view.user}", self._override, icon="o_person_add")
            if self._desk.may_edit(self._concept):
                act("Remove", self._remove, icon="o_delete", kind="danger")

    def _changed_shown(self) -> None:
        saved = self._saved()
        changed = saved is None or saved.membership != self._draft
        self._save_button.set_enabled(changed)
        self._undo_button.set_enabled(changed and saved is not None)

    def _saved(self) -> Concept | None:
        return None if self._concept is None else self._desk.saved(self._concept)

    # what the visitor does

    def _dragged(self, membership: Membership, done: bool) -> None:
        self._draft = membership
        self._fields.show(membership, self._desk.study, still=False)
        self._changed_shown()
        self._complaint.visible = False
        if done:
            self._show_curves()
        self._try()

    def _typed(self, membership: Membership | None, error: str) -> None:
        self._complaint.text, self._complaint.visible = error, bool(error)
        if membership is None:
            self._save_button.set_enabled(False)
            return
        self._draft = membership
        self._changed_shown()
        self._show_curves()
        self._try()

    def _reformed(self, form: str) -> None:
        if self._draft is None:
            return
        axis = axis_of(self._desk.study, [self._draft])
        self._draft = converted(self._draft, form, axis)
        self._fields.show(self._draft, self._desk.study, still=False)
        self._complaint.visible = False
        self._changed_shown()
        self._show_curves()
        self._try()

    def _try(self) -> None:
        self._preview.show(None if self._proposed else self._concept, self._draft)

    def _complain(self, error: str) -> None:
        self._complaint.text, self._complaint.visible = error, True

    async def _save(self) -> None:
        if self._concept is None or self._draft is None:
            return
        new = replace(self._concept, membership=self._draft)
        with complaining():
            await self._change(f"Saved: {new.name} on {new.attribute}", put=[new])

    async def _change(self, said: str, put: Sequence[Concept] = (), remove: Sequence[Concept] = ()) -> None:
        """Save and remove concepts in one step, show the first one, and offer to undo it."""
        known = self._desk.catalog.concepts
        before = [known.get((one.attribute, one.name, one.user)) for one in (*put, *remove)]
        restored = [old for old in before if old is not None]
        added = [new for new, old in zip(put, before, strict=False) if old is None]
        await self._write(put, remove)

        async def undo() -> None:
            await self._write(restored, added)

        self._undo_bar.offer(said, undo)

    async def _write(self, put: Sequence[Concept], remove: Sequence[Record]) -> None:
        await asyncio.to_thread(lambda: self._view.service.put(*put, remove=remove))
        await self._desk.load()
        self._select(put[0] if put else next(iter(self._desk.concepts()), None))

    def _undo(self) -> None:
        self._select(self._saved())

    async def _remove(self) -> None:
        if self._concept is None:
            return
        concept = self._concept
        with complaining():
            if (saved := self._saved()) is not None:
                await self._change(f"Removed {concept.name} on {concept.attribute}", remove=[saved])
            else:
                self._select(next(iter(self._desk.concepts()), None))

    def _override(self) -> None:
        """Start this user's own definition from the shared one as it is drawn, with changes that are not saved."""
        if self._concept is not None and self._draft is not None:
            draft = self._draft
            self._select(replace(self._concept, user=self._view.user))
            self._draft = draft
            self._show()

    def _named(self) -> None:
        """Ask for the name of a new concept, and start it in the middle of the data."""

        def begin(name: str, whose: str) -> None:
            owner = None if whose == EVERYBODY else self._view.user
            if (self._desk.attribute, name, owner) in self._desk.catalog.concepts:
                raise ModelError(f"there is {name!r} already")
            self._select(Concept(name, self._desk.attribute, first_shape(axis_of(self._desk.study, [])), owner))

        owners = [EVERYBODY, self._view.user] if self._view.visitor.switches else [self._view.user]
        ask_for_name(self._desk.attribute, owners, begin)

    async def _mined(self) -> None:
        """Propose concepts from recent values and from what subscriptions ask for."""
        with complaining():
            found = await self._desk.proposals()
            if not found.concepts:
                ui.notify(f"Nothing to propose: {found.reason}", type="warning")
                return
            self._proposed = found.concepts
            self._show()

    async def _use(self, user: str | None) -> None:
        """Save the proposed concepts. If they replace others, show first what changes for whom, and ask."""
        made = [replace(concept, user=user) for concept in self._proposed]
        with complaining():
            await self._desk.load()
            if not replaced_by(self._desk.catalog, made):
                await self._put(made)
                return
            service = self._view.service
            part = None if user is None else await asyncio.to_thread(service.part_of, user)
            effects = await compute(self._view, try_concepts, service.history(HISTORY), part, made, user)
            ask_to_replace(self._desk.catalog, made, effects, self._put)

    async def _put(self, concepts: Sequence[Concept]) -> None:
        with self._ground, complaining():  # the dialog that asked is gone
            await self._change(f"Saved {counted(len(concepts), 'concept')} on {self._desk.attribute}", put=concepts)

    def _discard(self) -> None:
        self._proposed = ()
        self._show()
