"""The JSON form of policies (semantics: Files)."""

from rankcast.language.declared_json import decode_fields, encode_fields, json_fields
from rankcast.language.fields import Fields
from rankcast.language.presets import preset_fields
from rankcast.model import Policy
from rankcast.plain import JsonObject

__all__ = ["decode_policy", "encode_policy"]

_KNOWN = ("kind", "preset", *json_fields(Policy))


def decode_policy(obj: JsonObject) -> Policy:
    """The policy in a JSON object of kind ``policy``.

    A ``preset`` supplies the fields that the object does not have.
    """
    fields = Fields("a policy", obj, _KNOWN)
    if "preset" in fields:
        own = {name: value for name, value in obj.items() if value is not None and name != "preset"}
        fields = Fields("a policy", {**preset_fields(fields.text("preset")), **own}, _KNOWN)
    return Policy(**decode_fields(Policy, fields))


def encode_policy(policy: Policy) -> JsonObject:
    """The policy as a JSON object, without defaults."""
    return {"kind": "policy", **encode_fields(policy)}
