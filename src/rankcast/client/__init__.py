"""A client of the service: the same verbs, waiting for each answer or asynchronously."""

from rankcast.client.answers import Acknowledged, Page, Received, ServiceError, Trial
from rankcast.client.asynchronous import AsyncClient
from rankcast.client.client import Client

__all__ = ["Acknowledged", "AsyncClient", "Client", "Page", "Received", "ServiceError", "Trial"]
