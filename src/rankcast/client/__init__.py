"""Clients of the HTTP API: blocking (`Client`) and asynchronous (`AsyncClient`), with the same methods."""

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
