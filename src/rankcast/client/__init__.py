"""A client of the service: the same verbs, waiting for each answer or asynchronously."""

from rankcast.client.answers import Acknowledgement, DeliveryPage, ReceivedDelivery, ServiceError, TrialResult
from rankcast.client.asynchronous import AsyncClient
from rankcast.client.client import Client

__all__ = [
    "Acknowledgement",
    "AsyncClient",
    "Client",
    "DeliveryPage",
    "ReceivedDelivery",
    "ServiceError",
    "TrialResult",
]
