"""The store keeps everything that must survive a restart: catalog, event log, deliveries and rejected input.

It is one SQLite file, or a PostgreSQL database given by its URL.
"""

from rankcast.store.access_log import AccessLog, SessionLog, TokenRecord
from rankcast.store.answer_log import AnswerLog
from rankcast.store.audit_log import AuditEntry, AuditLog
from rankcast.store.broker_log import BrokerLog, BrokerSelf, EventRoute, NeighbourRow, ReceivedEvent, RoutedText
from rankcast.store.catalog.log import Change
from rankcast.store.delivery_log import Instants, Progress
from rankcast.store.event_log import LoggedEvent, LoggedText, LogRow, PublishReceipt
from rankcast.store.leases import Lease
from rankcast.store.mining_log import MiningEffect, MiningLog, MiningRun
from rankcast.store.pipelines import IN_PROCESS, SPARK, BatchCounts, Pipeline
from rankcast.store.push.digest_log import DigestLog
from rankcast.store.push.quiet_log import QuietLog
from rankcast.store.push.webhook_log import WebhookLog
from rankcast.store.push.webhook_messages import MessageLog
from rankcast.store.reaction_log import Reaction, ReactionLog
from rankcast.store.rejects import KeptReject
from rankcast.store.samples import ActivityLog, ActivitySample
from rankcast.store.set_aside import KeptSetAside
from rankcast.store.state_pages import ClockAdvance, PageMark, SavedState, StateChanges, StatePage
from rankcast.store.status import Stats
from rankcast.store.store import Store

__all__ = [
    "IN_PROCESS",
    "SPARK",
    "AccessLog",
    "ActivityLog",
    "ActivitySample",
    "AnswerLog",
    "AuditEntry",
    "AuditLog",
    "BatchCounts",
    "BrokerLog",
    "BrokerSelf",
    "Change",
    "ClockAdvance",
    "DigestLog",
    "EventRoute",
    "Instants",
    "KeptReject",
    "KeptSetAside",
    "Lease",
    "LogRow",
    "LoggedEvent",
    "LoggedText",
    "MessageLog",
    "MiningEffect",
    "MiningLog",
    "MiningRun",
    "NeighbourRow",
    "PageMark",
    "Pipeline",
    "Progress",
    "PublishReceipt",
    "QuietLog",
    "Reaction",
    "ReactionLog",
    "ReceivedEvent",
    "RoutedText",
    "SavedState",
    "SessionLog",
    "StateChanges",
    "StatePage",
    "Stats",
    "Store",
    "TokenRecord",
    "WebhookLog",
]
