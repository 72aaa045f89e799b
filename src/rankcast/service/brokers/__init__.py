"""Brokers over the network: a service can be the edge of another one. See docs/brokers.md for the protocol."""

from rankcast.service.brokers.node import BrokerNode

__all__ = ["BrokerNode"]
