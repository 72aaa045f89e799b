"""OpenAPI schemas of the messages between brokers, derived from their declarations."""

import msgspec

from rankcast.plain import JsonObject
from rankcast.service.brokers.messages import (
    Acknowledged,
    BrokerMessages,
    BrokerName,
    BrokerTree,
    Hello,
    Message,
    Welcome,
)

_DECLARED = (Acknowledged, BrokerMessages, BrokerName, BrokerTree, Hello, Welcome)
_REF = "#/components/schemas/{name}"


def _schemas() -> JsonObject:
    (message, *_), components = msgspec.json.schema_components([Message, *_DECLARED], ref_template=_REF)
    return {"Message": {**message, "description": "One message between two brokers."}, **components}


BROKER_SCHEMAS = _schemas()
