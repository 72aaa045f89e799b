"""What must survive: catalog, event log, deliveries, rejects. One SQLite file, or PostgreSQL by its URL."""

from rankcast.store.access_log import AccessLog, KeptToken
from rankcast.store.answer_log import AnswerLog
from rankcast.store.catalog_log import Change
from rankcast.store.delivery_log import Progress
from rankcast.store.event_log import Logged, Published
from rankcast.store.rejects import KeptReject
from rankcast.store.stats import Stats
from rankcast.store.store import Store

__all__ = [
    "AccessLog",
    "AnswerLog",
    "Change",
    "KeptReject",
    "KeptToken",
    "Logged",
    "Progress",
    "Published",
    "Stats",
    "Store",
]
