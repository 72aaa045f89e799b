"""Clients of the HTTP API: blocking (`Client`) and asynchronous (`AsyncClient`), with the same methods."""

from rankcast.client.answers import Acknowledgement, DeliveryPage, ReceivedDelivery, ServiceError, TrialResult
from rankcast.client.calls import Call, ServiceCalls
from rankcast.client.client import AsyncClient, Client

__all__ = [
    "Acknowledgement",
    "AsyncClient",
    "Call",
    "Client",
    "DeliveryPage",
    "ReceivedDelivery",
    "ServiceCalls",
    "ServiceError",
    "TrialResult",
]
