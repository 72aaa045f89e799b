"""What must survive: catalog, event log, deliveries, rejects. One SQLite file, or PostgreSQL by its URL."""

from rankcast.store.access_log import AccessLog, KeptToken
from rankcast.store.answer_log import AnswerLog
from rankcast.store.catalog_log import Change
from rankcast.store.delivery_log import Instants, Progress
from rankcast.store.digest_log import DigestLog
from rankcast.store.event_log import Logged, LoggedText, LogRow, Published
from rankcast.store.leases import Lease
from rankcast.store.pipelines import IN_PROCESS, SPARK, Batched, Pipeline
from rankcast.store.quiet_log import QuietLog
from rankcast.store.rejects import KeptReject
from rankcast.store.set_aside import KeptSetAside
from rankcast.store.stats import Stats
from rankcast.store.store import Store
from rankcast.store.webhook_log import WebhookLog
from rankcast.store.webhook_messages import MessageLog

__all__ = [
    "IN_PROCESS",
    "SPARK",
    "AccessLog",
    "AnswerLog",
    "Batched",
    "Change",
    "DigestLog",
    "Instants",
    "KeptReject",
    "KeptSetAside",
    "KeptToken",
    "Lease",
    "LogRow",
    "Logged",
    "LoggedText",
    "MessageLog",
    "Pipeline",
    "Progress",
    "Published",
    "QuietLog",
    "Stats",
    "Store",
    "WebhookLog",
]
