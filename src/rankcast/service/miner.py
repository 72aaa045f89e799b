"""Mines concepts again and again, for the attributes that the operator named."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from rankcast.errors import RankcastError
from rankcast.lab.adapting import MINED_EVENTS, SCHEDULE, Adaptation, adapt, plan_adaptation, summary_of, undo_run
from rankcast.model.actors import acting, present_actor
from rankcast.service.background import BackgroundTask
from rankcast.service.trial_tasks import TrialHistory, recent_events
from rankcast.store import MiningLog, MiningRun, Store

if TYPE_CHECKING:
    from rankcast.service.service import Service

_log = logging.getLogger("rankcast.service.mining")


@dataclass(frozen=True, slots=True)
class MiningState:
    """When an attribute was last mined, and what came of it: the number of the run, or why nothing changed."""

    time: datetime
    run: int | None
    reason: str


class ConceptMiner(BackgroundTask):
    """Mines the attributes every so often. Plans are made in a child process with the limits of trials."""

    def __init__(self, service: "Service", attributes: Sequence[str], every: timedelta) -> None:
        super().__init__("mining", "nothing was mined")
        self._service = service
        self.attributes = tuple(attributes)
        self.every = every
        self.log = MiningLog(service.store.database)
        self.states: dict[str, MiningState] = {}
        """The last outcome for each attribute, since the service started."""

    def start(self) -> None:
        """Start with a round, if attributes were named."""
        if self.attributes:
            super().start()

    def pause(self) -> float:
        """The time from one round to the next."""
        return self.every.total_seconds()

    def round(self) -> None:
        """Mine each attribute. A failure of one does not stop the others."""
        for attribute in self.attributes:
            if self.is_stopping():
                return
            with acting(SCHEDULE):
                try:
                    self.adapt(attribute, is_asked=False)
                except RankcastError as error:
                    self._note(attribute, None, str(error))
                    _log.warning("%s was not mined: %s", attribute, error)

    def adapt(self, attribute: str, *, is_asked: bool) -> Adaptation:
        """Mine an attribute now. Takes up to the time of a trial."""
        who = present_actor() or SCHEDULE
        service = self._service
        planned = service.trials.run(who.who, plan_from_store, service.history(MINED_EVENTS), attribute, is_asked)
        if planned.run is not None:
            planned = Adaptation(attribute, adapt(service.store, planned.run))
            service.brokers.wake()
        self._note(attribute, planned.run, planned.reason)
        return planned

    def undo(self, number: int) -> MiningRun:
        """Undo a run. The schedule leaves the attribute alone from then on, until somebody asks for a run."""
        run = undo_run(self._service.store, number)
        self._service.brokers.wake()
        return run

    def _note(self, attribute: str, run: MiningRun | None, reason: str) -> None:
        now = self._service.store.database.clock()
        self.states[attribute] = MiningState(now, None if run is None else run.number, reason)


def plan_from_store(history: TrialHistory, attribute: str, is_asked: bool) -> Adaptation:
    """What mining an attribute would change, from recent events and the newest catalog of a store."""
    with Store.open(history.store) as store:
        catalog, last = store.catalog(), MiningLog(store.database).last(attribute)
        events = recent_events(store, history.events, history.bytes)[::-1]
    wheres = [one.where for one in catalog.subscriptions.values()]
    return plan_adaptation(catalog, summary_of(attribute, events, wheres), events, last, is_asked=is_asked)
