"""The operations that the API and the page share, over one store."""

from collections import Counter
from collections.abc import Callable, Iterable
from datetime import timedelta

from rankcast.errors import RankcastError
from rankcast.language import parse
from rankcast.model import Catalog, Delivery, Event, Policy, Record
from rankcast.pipeline.local import CommittedBatch
from rankcast.pipeline.metrics import Metrics
from rankcast.service.access import Access
from rankcast.service.backlogs import PublisherBacklogs
from rankcast.service.brokers import BrokerNode
from rankcast.service.change_costs import ChangeCosts, owners_of
from rankcast.service.checkpointer import Checkpointer
from rankcast.service.counts import check_counts
from rankcast.service.feeds import Feeds
from rankcast.service.miner import ConceptMiner
from rankcast.service.pipeline_process import PipelineProcess
from rankcast.service.pruner import Pruner
from rankcast.service.publisher import LogPublisher
from rankcast.service.push.digests import Digests
from rankcast.service.push.webhooks import PushMetrics, Webhooks
from rankcast.service.rates import RateLimits
from rankcast.service.request_shares import RequestShares
from rankcast.service.right_of_way import RightOfWay
from rankcast.service.runner import Runner
from rankcast.service.sampler import Sampler
from rankcast.service.sessions import Sessions
from rankcast.service.settings import ServiceSettings
from rankcast.service.store_check import StoreCheck
from rankcast.service.trial_pool import TrialPool
from rankcast.service.trial_tasks import (
    TrialHistory,
    backtest_history,
    funnel_history,
    recent_events,
    try_on_history,
)
from rankcast.service.trials import ExpressionTrial, Funnel
from rankcast.service.vague_sampler import VagueSampler
from rankcast.store import PublishReceipt, ReactionLog, Store
from rankcast.store.answer_log import AnswerLog
from rankcast.store.audit_log import AuditLog, note_retention
from rankcast.store.blocks import start_of_newest
from rankcast.store.catalog.log import Check, Decision
from rankcast.store.event_log import Refuse
from rankcast.store.retention.rules import DEFAULTS, show_rules
from rankcast.store.secrets import check_keys
from rankcast.store.users import delete_user

_NO_LIMIT = 1e9
_UNKNOWN = 2**62


class Service:
    """The service over one store. All methods are thread-safe.

    Most methods are one short transaction. `explain`, `try_expression`, `backtest` and `funnel` serve or match recent
    events again in a child process (`TrialPool`). They may take `limits.trial_seconds` or more, so call them with
    `asyncio.to_thread`.
    """

    def __init__(self, settings: ServiceSettings) -> None:
        self.settings = settings
        self.store = Store.create(settings.store, exist_ok=True, is_served=True)
        self.streams: Counter[str] = Counter()
        """The number of open live feeds of each token."""
        self._urgent = 0
        """The offset of the last event that holds back other writers until it is served."""
        self._hurried = 0
        """The offset of the last event that has the right of way until it is delivered, once it has one."""
        self._reached = 0
        self.access = Access(self.store)
        self.sessions = Sessions(self.store, self.access, settings.session_idle, settings.session_length)
        self.answers = AnswerLog(self.store.database)
        self.audit = AuditLog(self.store.database)
        self.rates = RateLimits(settings.limits.rate, settings.limits.burst)
        self.event_rates = RateLimits(settings.limits.event_rate, settings.limits.event_burst)
        self.byte_rates = RateLimits(settings.limits.byte_rate, settings.limits.byte_burst)
        self.trials = TrialPool(settings.limits.trials, settings.limits.trials_of_one, settings.limits.trial_seconds)
        self.right_of_way = RightOfWay(begun=self.trials.pause, ended=self.trials.resume)
        self.shares = RequestShares(
            settings.limits.processor_rate, settings.limits.processor_burst, right_of_way=self.right_of_way
        )
        self.page_rates = RateLimits(settings.limits.pages, settings.limits.page_burst)
        self.message_rates = RateLimits(settings.limits.messages, settings.limits.message_burst)
        self.probe_rates = RateLimits(settings.limits.probes, settings.limits.probe_burst)
        self.metrics = Metrics(self.store)
        self.feeds = Feeds(self.store, settings.poll, self._handed_out)
        limits = settings.limits
        self.backlogs = PublisherBacklogs(
            limits.backlog, limits.backlog_events, limits.backlog_requests, self._is_serving, held=self._held
        )
        self.change_costs = ChangeCosts(_NO_LIMIT if settings.dev else limits.change_rate, limits.change_burst)
        self.runner: Runner | PipelineProcess = (
            PipelineProcess(settings.store, settings.shards, settings.poll, self._woken, self._served)
            if settings.own_process
            else Runner(self.store, settings.shards, settings.poll, self._woken, self._served)
        )
        self.store_check = StoreCheck(self.store)
        self.publisher = LogPublisher(self.store, logged=self._logged)
        self.brokers = BrokerNode(self)
        self.digests = Digests(self, timedelta(days=settings.kept_days), self.trials, settings.store)
        self.webhooks = Webhooks(self, self.digests)
        self.pruner = Pruner(self.store, settings.retention)
        self.checkpointer = Checkpointer(self.store)
        self.sampler = Sampler(self.store)
        self.vague = VagueSampler(self.store)
        self.miner = ConceptMiner(self, settings.mined, settings.mine_every)
        self.reactions = ReactionLog(self.store.database)
        self.metrics.registry.register(PushMetrics(self.webhooks, self.digests))

    def start(self) -> None:
        """Start the pipeline, unless it runs elsewhere, and start making digests and sending webhooks.

        Refused if the environment contains an invalid key for webhook secrets.
        """
        check_keys()
        note_retention(self.store.database, show_rules(self.settings.retention), show_rules(DEFAULTS))
        if self.settings.pipeline:
            self.runner.start()
        self.brokers.start()
        self.digests.start()
        self.webhooks.start()
        self.pruner.start()
        self.checkpointer.start()
        self.sampler.start()
        self.vague.start()
        self.miner.start()

    def stop(self) -> None:
        """Finish the current batch and close the store."""
        self.feeds.end()
        self.brokers.stop()
        self.sampler.stop()
        self.vague.stop()
        self.pruner.stop()
        self.trials.stop()  # also ends a plan of the miner
        self.miner.stop()
        self.publisher.close()
        self.webhooks.stop()
        self.digests.stop()
        self.runner.stop()
        self.checkpointer.stop()
        self.sessions.close()
        self.access.close()
        self.store.close()

    def _is_serving(self) -> bool:
        """Whether the pipeline runs here without an error."""
        return self.settings.pipeline and self.runner.is_running and self.runner.error is None

    def _held(self) -> None:
        self.runner.hasten()

    def _served(self, batch: CommittedBatch) -> None:
        if batch.offset >= self._urgent:
            self.store.database.let_go()
        self._reached = batch.offset
        if not self.feeds.listeners:
            self._handed_out()
        self.backlogs.served(batch)
        self.change_costs.served(batch)

    def _logged(self, urgent: int | None) -> None:
        if urgent is not None and self._is_serving():
            self._urgent = self._hurried = urgent
        else:
            self.store.database.let_go()  # nobody is about to write because of it
        self.runner.wake(urgent)
        self.brokers.wake()

    def hurry(self, who: str) -> None:
        """Give the right of way to the event that somebody is about to log, if it is a quiet publisher."""
        if self._is_serving() and self.publisher.is_quiet(who) and self.right_of_way.take():
            self._hurried = _UNKNOWN

    def _handed_out(self) -> None:
        if self._hurried <= self._reached:
            self.right_of_way.give_back()

    def _woken(self) -> None:
        self.feeds.wake()
        self.webhooks.delivered()

    # the catalog

    def users(self) -> list[str]:
        """All users with a subscription or a policy, sorted."""
        catalog = self.catalog()
        return sorted({*catalog.users(), *catalog.policies})

    def catalog(self) -> Catalog:
        """The newest catalog. It is shared, so do not change it."""
        return self.store.catalog()

    def part_of(self, user: str | None) -> Catalog:
        """The part of the newest catalog that affects one user."""
        return self.catalog().alone(user)

    def put(self, *records: Record, remove: Iterable[Record] = (), check: Check = lambda catalog: None) -> int:
        """Put records into the catalog, and remove others, all or none. Returns the new version of the catalog.

        Refused if an owner would exceed the limits, or by `check`. Both checks see the current catalog in the same
        transaction, even if other services use the store.
        """

        def checked(catalog: Catalog) -> None:
            check(catalog)
            check_counts(catalog, records, self.settings.limits)

        gone = tuple(remove)
        version = self.change_costs.run(
            owners_of((*records, *gone)), lambda: self.store.change(put=records, remove=gone, check=checked)
        )
        self.brokers.wake()
        return version

    def remove(self, *records: Record, check: Check | None = None) -> int:
        """Remove records from the catalog, all or none. Returns the new version; `check` works as in `put`."""
        version = self.change_costs.run(owners_of(records), lambda: self.store.change(remove=records, check=check))
        self.brokers.wake()
        return version

    def decide(self, user: str, decide: Callable[[Catalog], Decision]) -> int:
        """Change a user's records depending on their current state. Returns the new version of the catalog."""
        version = self.change_costs.run([user], lambda: self.store.decide(user, decide))
        self.brokers.wake()
        return version

    def delete_user(self, user: str) -> bool:
        """Delete all data of a user in one transaction. Returns whether there was any."""
        deleted = delete_user(self.store.database, user)
        self.access.forget()
        self.brokers.wake()
        return any(deleted.values())

    # events and deliveries

    def publish(self, events: Iterable[Event], refuse: Refuse | None = None) -> list[PublishReceipt]:
        """Log events in order, and wake the pipeline.

        An event that is already in the log is acknowledged again. See `Store.publish` for events that cannot be
        logged.
        """
        published = self.store.publish(events, refuse=refuse)
        self._logged(published[-1].offset if published else None)
        return published

    def deliveries(
        self, user: str | None, after: int = 0, limit: int = 50, newest_first: bool = False
    ) -> list[tuple[int, Delivery]]:
        """Deliveries with their numbers: the first ones after the number `after`.

        With `newest_first`, the last ones *before* the number `after` instead (0: the very last), newest first.
        """
        if not newest_first:
            return list(self.store.deliveries(user, after, limit))
        start = start_of_newest(self.store.database, user, after or None, limit)
        if start is None:
            return []
        found = self.store.deliveries(user, start - 1, limit)
        return [(number, delivery) for number, delivery in found if not after or number < after][::-1]

    def event(self, event_id: str) -> Event | None:
        """The event with that id."""
        logged = self.store.event(event_id)
        return None if logged is None else logged.event

    def recent_events(self, limit: int) -> list[Event]:
        """The last events of the log, newest first: at most `limit`, and at most `limits.history_bytes` in total."""
        return recent_events(self.store, limit, self.settings.limits.history_bytes)[::-1]

    # trials and explanations: in a child process, which is killed when its time is up

    def history(self, limit: int) -> TrialHistory:
        """The last events of the log, for a trial."""
        return TrialHistory(self.settings.store, limit, self.settings.limits.history_bytes)

    def try_expression(self, text: str, limit: int = 1000, user: str | None = None) -> ExpressionTrial:
        """What an expression would have matched among the last `limit` events."""
        part = self.part_of(user)
        try:
            where = parse(text)
            part.check_expression(where, user)
        except RankcastError as error:
            return ExpressionTrial(0, min(limit, self.store.last_offset()), [], error)
        return self.trials.run(user or "", try_on_history, self.history(limit), where, part, user, limit)

    def backtest(self, user: str, policy: Policy, limit: int = 1000) -> list[Delivery]:
        """What a policy would have delivered to the user from the last `limit` events, in the order of delivery."""
        part = self.part_of(user)
        return self.trials.run(user, backtest_history, self.history(limit), user, policy, part)[1]

    def funnel(self, user: str, limit: int = 1000) -> Funnel:
        """How many of the last `limit` events were published, matched the user, were ranked, and were delivered."""
        return self.trials.run(user, funnel_history, self.history(limit), user, self.part_of(user))
