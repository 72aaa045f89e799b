"""The store keeps everything that must survive a restart: catalog, event log, deliveries and rejected input.

It is one SQLite file, or a PostgreSQL database given by its URL.
"""

from rankcast.store.access_log import AccessLog, TokenRecord
from rankcast.store.answer_log import AnswerLog
from rankcast.store.audit_log import AuditEntry, AuditLog
from rankcast.store.catalog_log import Change
from rankcast.store.delivery_log import Instants, Progress
from rankcast.store.event_log import LoggedEvent, LoggedText, LogRow, PublishReceipt
from rankcast.store.leases import Lease
from rankcast.store.pipelines import IN_PROCESS, SPARK, BatchCounts, Pipeline
from rankcast.store.push.digest_log import DigestLog
from rankcast.store.push.quiet_log import QuietLog
from rankcast.store.push.webhook_log import WebhookLog
from rankcast.store.push.webhook_messages import MessageLog
from rankcast.store.rejects import KeptReject
from rankcast.store.sessions import SessionLog
from rankcast.store.set_aside import KeptSetAside
from rankcast.store.stats import Stats
from rankcast.store.store import Store

__all__ = [
    "IN_PROCESS",
    "SPARK",
    "AccessLog",
    "AnswerLog",
    "AuditEntry",
    "AuditLog",
    "BatchCounts",
    "Change",
    "DigestLog",
    "Instants",
    "KeptReject",
    "KeptSetAside",
    "Lease",
    "LogRow",
    "LoggedEvent",
    "LoggedText",
    "MessageLog",
    "Pipeline",
    "Progress",
    "PublishReceipt",
    "QuietLog",
    "SessionLog",
    "Stats",
    "Store",
    "TokenRecord",
    "WebhookLog",
]
